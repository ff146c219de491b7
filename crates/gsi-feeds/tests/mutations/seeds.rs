//! The inputs to damage: small fixtures, and the real files if they are available.

use super::workbooks;

/// Feed, name of the payload, bytes.
pub type Seed = (&'static str, String, Vec<u8>);

pub fn all() -> Vec<Seed> {
    let own = fixtures().into_iter().map(|(feed, name, bytes)| (feed, name.to_owned(), bytes));
    own.chain(real()).collect()
}

/// Shortens a seed, because damage at the end of a megabyte tests nothing new. Archives and workbooks need their ends.
pub fn cut(name: &str, mut seed: Vec<u8>, most: usize) -> Vec<u8> {
    if !name.ends_with(".zip") && !name.ends_with(".xls") {
        seed.truncate(most);
    }
    seed
}

const GPR: [&[&str]; 3] = [
    &["DAY", "N10D", "GPRD", "GPRD_ACT", "GPRD_THREAT"],
    &["20260914", "500", "189.5", "246.4", "219.3"],
    &["20260915", "500", "100.25", "90", "91"],
];

/// 58 columns: fighting in Israel between two sides.
const DAILY_ROW: &str = "1\t20260110\t202601\t2026\t2026.02\tISR\tISRAEL\tISR\t\t\t\t\t\t\t\tPSE\tGAZA\tPSE\t\t\t\t\t\t\t\t1\t190\t190\t19\t4\t-10\t5\t1\t5\t-4.5\t4\tGaza\tGZ\tGZ00\t31.5\t34.5\t-1\t4\tGaza\tGZ\tGZ00\t31.5\t34.5\t-1\t4\tTel Aviv\tIS\tIS05\t32.1\t34.8\t-2\t20260110\thttps://a.example/war\n";

/// 61 columns: fighting in Ukraine.
const EVENT_ROW: &str = "1258623886\t20250820\t202508\t2025\t2025.6301\tUKRMIL\tUKRAINE\tUKR\t\t\t\t\tMIL\t\t\t\t\t\t\t\t\t\t\t\t\t1\t190\t190\t19\t4\t-10.0\t14\t2\t14\t-5.9627354378282\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t4\tKyiv, Kyyiv, Misto, Ukraine\tUP\tUP12\t\t50.4333\t30.5167\t-1044367\t20250820163000\thttps://news.example/a/shelling-in-the-east\n";

fn fixtures() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let text = |s: &str| s.as_bytes().to_vec();
    vec![
        ("oil", "brent-daily.csv", text("Date,Price\n1987-05-20,18.63\n2026-08-18,95.29\n")),
        (
            "ofr",
            "fsi.csv",
            text(
                "Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,Volatility,United States,Other advanced economies,Emerging markets\n2000-01-03,2.14,0.54,-0.051,0.67,0.472,0.509,1.769,0.521,-0.15\n",
            ),
        ),
        (
            "kev",
            "k.json",
            text(
                r#"{"dateReleased":"2025-08-25T17:04:19.9796Z","count":1,"vulnerabilities":[{"cveID":"CVE-2025-48384","dateAdded":"2025-08-25","knownRansomwareCampaignUse":"Unknown"}]}"#,
            ),
        ),
        (
            "gdelt",
            "20250820163000.export.CSV",
            text(&"1258623886\t20240820\t202408\t2024\t2024.6301\n".repeat(20)),
        ),
        ("gdelt", "20250820163000.export.CSV", text(EVENT_ROW)),
        ("gdelt_daily", "20260110.export.CSV", text(&DAILY_ROW.repeat(3))),
        ("epu", "e.csv", text("day,month,year,daily_policy_index\n1,1,1985,103.83\n")),
        (
            "gdelt_doc",
            "market_negativity.recent.json",
            text(
                r#"{"timeline":[{"series":"Average Tone","data":[{"date":"20261112T000000Z","value":-0.41},{"date":"20261113T000000Z","value":0.2}]}]}"#,
            ),
        ),
        (
            "gdelt_doc",
            "sanctions_share.history.json",
            text(
                r#"{"timeline":[{"series":"Volume Intensity","data":[{"date":"20170101T000000Z","value":0.882}]}]}"#,
            ),
        ),
        (
            "gdelt_doc",
            "market_negativity.recent.json",
            text("Please limit requests to one every 5 seconds\n"),
        ),
        ("treasury", "2026.csv", text("Date,\"2 Yr\",\"10 Yr\"\n09/14/2026,3.62,4.21\n")),
        ("ecb", "history.csv", text("CURRENCY,TIME_PERIOD,OBS_VALUE\nUSD,2026-11-13,1.08\n")),
        ("vix", "VIX_History.csv", text("DATE,OPEN,HIGH,LOW,CLOSE\n01/02/1990,17.2,17.2,17.2,17.2\n")),
        ("gscpi", "gscpi", text("Date,44592,46234\n31-Jul-2026,#N/A,0.94\n")),
        (
            "portwatch",
            "recent-0.json",
            text(
                r#"{"features":[{"attributes":{"date":"2026-06-02","year":2026,"month":6,"day":2,"portid":"chokepoint6","n_total":10,"capacity":5}}]}"#,
            ),
        ),
        (
            "epss",
            "epss.csv",
            text(
                "#model_version:v2025.03.14,score_date:2026-05-18T00:00:00Z\ncve,epss,percentile\nCVE-1999-0001,0.0046,0.7385\n",
            ),
        ),
        (
            "poc",
            "2026-11-13.json",
            text(
                r#"{"items":[{"id":1,"name":"CVE-2026-1234","full_name":"a/b","created_at":"2026-11-13T10:00:00Z"}]}"#,
            ),
        ),
        (
            "ransomware",
            "2026-11.json",
            text(r#"[{"victim":"Acme","group":"a","discovered":"2026-11-02T09:30:28+00:00"}]"#),
        ),
        (
            "ioda",
            "2026-11-13.json",
            text(
                r#"{"error":null,"data":[{"location":"country/US","start":1794540000,"duration":1800,"datasource":"bgp"}]}"#,
            ),
        ),
        (
            "usgs",
            "w",
            text(
                r#"{"metadata":{"generated":1794700800000},"features":[{"id":"us1","properties":{"mag":5,"time":1794700000000,"ids":",us1,","status":"reviewed"},"geometry":{"type":"Point","coordinates":[142.5,-7.25,10]}}]}"#,
            ),
        ),
        (
            "gdacs",
            "SEARCH",
            text(
                r#"{"features":[{"geometry":{"type":"Point","coordinates":[142.5,-7.25]},"properties":{"eventtype":"EQ","eventid":1,"episodeid":1,"alertlevel":"Red","fromdate":"2026-11-13T00:00:00"}}]}"#,
            ),
        ),
        (
            "ucdp",
            "GEDEvent_v26_0_8.csv",
            text(
                "id,type_of_violence,date_prec,date_start,date_end,best,country\n\
                 1,1,1,2026-08-01,2026-08-03,5,Ukraine\n",
            ),
        ),
        ("gpr", "gpr.xls", text("\u{0}not a workbook")),
        ("gpr", "gpr.xls", workbooks::binary(&GPR)),
        ("gpr", "gpr.xls", workbooks::modern(&GPR)),
        (
            "ciss",
            "ciss.csv",
            text(
                "REF_AREA,PROVIDER_FM_ID,TIME_PERIOD,OBS_VALUE\nUS,SS_CIN,2026-10-08,0.0123\nU2,SS_CIN,2026-10-08,0.2\n",
            ),
        ),
        (
            "ports",
            "recent.json",
            text(
                r#"{"features":[{"attributes":{"date":"2026-11-01","calls":5100,"imports":3.1e7,"exports":3.0e7}}]}"#,
            ),
        ),
        (
            "nvd",
            "2026-11-13.json",
            text(
                r#"{"totalResults":1,"vulnerabilities":[{"cve":{"id":"CVE-2026-1001","published":"2026-11-13T10:15:00.123","vulnStatus":"Received","metrics":{"cvssMetricV31":[{"cvssData":{"baseScore":9.8}}]}}}]}"#,
            ),
        ),
        (
            "fred",
            "T10Y2Y.json",
            text(
                r#"{"observations":[{"date":"2026-11-12","value":"0.51"},{"date":"2026-11-11","value":"."}]}"#,
            ),
        ),
        (
            "radar",
            "outages.json",
            text(
                r#"{"success":true,"result":{"annotations":[{"id":"1","startDate":"2026-11-12T10:00:00Z","endDate":null,"outage":{"outageType":"NETWORK"}}]}}"#,
            ),
        ),
        (
            "ucdp_api",
            "26.0.8.json",
            text(
                r#"{"TotalCount":1,"Result":[{"id":1,"type_of_violence":1,"date_start":"2026-08-01","date_end":"2026-08-03","best":3}]}"#,
            ),
        ),
        (
            "acled",
            "2026-11-02.json",
            text(
                r#"{"data":[{"event_id_cnty":"UKR1001","event_date":"2026-11-02","event_type":"Battles","fatalities":"4"}]}"#,
            ),
        ),
        (
            "reliefweb",
            "disasters.json",
            text(
                r#"{"data":[{"id":"52001","fields":{"primary_type":{"code":"FL"},"date":{"created":"2026-11-13T06:00:00+00:00"}}}]}"#,
            ),
        ),
    ]
}

fn real() -> Vec<Seed> {
    if drills::real_data::folder().is_none() {
        return Vec::new();
    }
    let folders = [
        ("gdelt", "gdelt2/zips"),
        ("gdelt", "gdelt2/export"),
        ("gdelt", "gdelt2/corrupt_upstream"),
        ("kev", "kev"),
        ("oil", "oil"),
        ("ofr", "ofr_fsi"),
        ("epu", "epu"),
        ("portwatch", "portwatch"),
        ("gscpi", "gscpi"),
        ("epss", "epss"),
        ("ucdp", "ucdp"),
        ("nvd", "nvd"),
    ];
    let mut seeds = Vec::new();
    for (feed, folder) in folders {
        // Two files of each folder are enough, because the others differ only in their rows.
        for path in drills::real_data::files(folder).into_iter().take(2) {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if let Ok(bytes) = std::fs::read(&path) {
                seeds.push((feed, name, bytes));
            }
        }
    }
    seeds
}
