//! Each publisher's format, by checks that share no code with the writer, and its publication lag.

mod support;

use calamine::{Data, Reader, Xls};
use gsi_model::Day;
use std::io::Read;
use support::*;

fn csv(reply: &Reply) -> Vec<Vec<String>> {
    reply.text().lines().map(|l| l.split(',').map(str::to_owned).collect()).collect()
}

fn last_date(reply: &Reply, column: usize) -> String {
    csv(reply).last().unwrap()[column].clone()
}

#[test]
fn stress_index_adds_up() {
    let stage = stage(settings(1), NOW);
    let rows = csv(&stage.get("www.financialresearch.gov/financial-stress-index/data/fsi.csv"));
    assert_eq!(
        rows[0].join(","),
        "Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,Volatility,United States,Other advanced economies,Emerging markets"
    );
    assert_eq!(rows[1][0], "2000-01-03");
    assert!(rows.len() > 6_600, "{}", rows.len());
    let mut values = Vec::new();
    for row in &rows[1..] {
        let n: Vec<f64> = row[1..].iter().map(|v| v.parse().unwrap()).collect();
        assert!((n[0] - n[1..6].iter().sum::<f64>()).abs() < 0.01, "{row:?}");
        assert!((n[0] - n[6..9].iter().sum::<f64>()).abs() < 0.01, "{row:?}");
        assert!(!Day::parse_iso(&row[0]).unwrap().is_weekend());
        values.push(n[0]);
    }
    values.sort_by(f64::total_cmp);
    let q = |p: f64| values[(values.len() as f64 * p) as usize];
    // Published 2000–2024: median −1.0, 95 % 6.9, greatest 29.
    assert!((-2.5..0.5).contains(&q(0.5)), "median {}", q(0.5));
    assert!((1.5..12.0).contains(&q(0.95)), "95 % {}", q(0.95));
    assert!((3.0..40.0).contains(&values[values.len() - 1]));
}

#[test]
fn publication_lags() {
    let check = |now: &str, path: &str, column: usize, want: &str| {
        let stage = stage(settings(1), now);
        assert_eq!(last_date(&stage.get(path), column), want, "{path} at {now}");
    };
    let ofr = "www.financialresearch.gov/financial-stress-index/data/fsi.csv";
    check("2026-10-14T13:59:00Z", ofr, 0, "2026-10-08");
    check("2026-10-14T14:00:00Z", ofr, 0, "2026-10-09");
    check("2026-10-18T00:00:00Z", ofr, 0, "2026-10-14");
    let brent = "raw.githubusercontent.com/datasets/oil-prices/main/data/brent-daily.csv";
    check("2026-08-22T12:00:00Z", brent, 0, "2026-08-18");
    check("2026-08-27T05:59:00Z", brent, 0, "2026-08-18");
    check("2026-08-27T06:00:00Z", brent, 0, "2026-08-25");
    let rates =
        "data-api.ecb.europa.eu/service/data/EXR/D.USD.EUR.SP00.A?format=csvdata&startPeriod=2026-10-01";
    check("2026-11-13T14:59:00Z", rates, 6, "2026-11-12");
    check("2026-11-13T15:00:00Z", rates, 6, "2026-11-13");
    check("2026-11-15T12:00:00Z", rates, 6, "2026-11-13");
}

#[test]
fn catalogue() {
    let stage = stage(settings(1), NOW);
    let json =
        stage.get("www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json").json();
    let entries = json["vulnerabilities"].as_array().unwrap();
    assert_eq!(json["count"], entries.len());
    assert!((1_400..2_100).contains(&entries.len()), "{}", entries.len());
    let mut ids: Vec<&str> = entries.iter().map(|e| e["cveID"].as_str().unwrap()).collect();
    assert!(
        ids.iter().all(|id| id.starts_with("CVE-")
            && id.len() >= 13
            && id[9..].bytes().all(|b| b.is_ascii_digit()))
    );
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), entries.len());
    let per_year =
        |y: &str| entries.iter().filter(|e| e["dateAdded"].as_str().unwrap().starts_with(y)).count();
    // 186 or 187 in the real 2023 and 2024.
    for year in ["2023", "2024", "2025"] {
        assert!((130..260).contains(&per_year(year)), "{year}: {}", per_year(year));
    }
    assert_eq!(entries.iter().filter(|e| e["dateAdded"] == "2021-11-03").count(), 287);
    let known = entries.iter().filter(|e| e["knownRansomwareCampaignUse"] == "Known").count();
    assert!((0.1..0.3).contains(&(known as f64 / entries.len() as f64)));
}

#[test]
fn prices_stay_in_reason() {
    let stage = stage(settings(1), NOW);
    for (path, first, low, high, vol) in [
        (
            "raw.githubusercontent.com/datasets/oil-prices/main/data/brent-daily.csv",
            "1987-05-20",
            6.0,
            250.0,
            0.025,
        ),
        (
            "raw.githubusercontent.com/datasets/oil-prices/main/data/wti-daily.csv",
            "1986-01-02",
            6.0,
            250.0,
            0.025,
        ),
        (
            "raw.githubusercontent.com/datasets/natural-gas/main/data/daily.csv",
            "1997-01-07",
            0.5,
            30.0,
            0.045,
        ),
    ] {
        let rows = csv(&stage.get(path));
        assert_eq!((rows[0].join(","), rows[1][0].as_str()), ("Date,Price".to_owned(), first));
        let prices: Vec<f64> = rows[1..].iter().map(|r| r[1].parse().unwrap()).collect();
        assert!(prices.iter().all(|p| (low..high).contains(p)), "{path}");
        let returns: Vec<f64> = prices.windows(2).map(|w| (w[1] / w[0]).ln()).collect();
        let spread = (returns.iter().map(|r| r * r).sum::<f64>() / returns.len() as f64).sqrt();
        assert!((0.6 * vol..1.6 * vol).contains(&spread), "{path}: {spread}");
    }
}

#[test]
fn the_workbook_opens_in_a_spreadsheet_reader() {
    let stage = stage(settings(1), NOW);
    let reply = stage.get("www.matteoiacoviello.com/gpr_files/data_gpr_daily_recent.xls");
    assert_eq!(reply.body[..4], [0xD0, 0xCF, 0x11, 0xE0]);
    let mut book: Xls<_> = Xls::new(std::io::Cursor::new(reply.body)).unwrap();
    let sheet = book.worksheet_range("Sheet1").unwrap();
    let names: Vec<String> = (0..11).map(|c| sheet.get_value((0, c)).unwrap().to_string()).collect();
    assert_eq!(names[..6], ["DAY", "N10D", "GPRD", "GPRD_ACT", "GPRD_THREAT", "date"]);
    assert_eq!(sheet.get_value((1, 0)), Some(&Data::Float(19_850_101.0)));
    assert_eq!(sheet.get_value((1, 9)), Some(&Data::String("DAY".into())));
    let last = sheet.get_value((sheet.height() as u32 - 1, 0)).unwrap();
    // Monday the 9th's release ends with Sunday the 8th.
    assert_eq!(last, &Data::Float(20_261_108.0));
}

#[test]
fn curve_and_uncertainty_and_pressure() {
    let stage = stage(settings(1), NOW);
    let treasury = |year: i32| {
        format!(
            "home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/{year}/all?type=daily_treasury_yield_curve&field_tdr_date_value={year}&page&_format=csv"
        )
    };
    let rows = csv(&stage.get(&treasury(2026)));
    assert_eq!(rows[0].len(), 15);
    assert_eq!((rows[0][2].as_str(), rows[1][0].as_str()), ("\"1.5 Month\"", "11/13/2026"));
    assert!(rows[1..].iter().all(|r| r[12].parse::<f64>().is_ok_and(|y| (0.0..15.0).contains(&y))));
    assert_eq!(csv(&stage.get(&treasury(2017)))[0].len(), 12);
    assert_eq!(stage.get(&treasury(2027)).status, 404);

    let epu = csv(&stage.get("www.policyuncertainty.com/media/All_Daily_Policy_Data.csv"));
    assert_eq!(epu[0].join(","), "day,month,year,daily_policy_index");
    assert_eq!(epu.last().unwrap()[..3], ["14", "11", "2026"]);
    assert_eq!(epu.len() - 1, 15_293);

    let matrix = stage
        .get("www.newyorkfed.org/medialibrary/research/interactives/data/gscpi/gscpi_interactive_data.csv");
    let text = matrix.text().trim_start_matches('\u{feff}').to_owned();
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!((rows[1][0], rows[1].len()), ("30-Sep-1997", rows[0].len()));
    let newest = rows.iter().rev().find(|r| !r[0].is_empty()).unwrap();
    assert_eq!(newest[0], "31-Oct-2026");
    assert_eq!(newest.iter().filter(|c| **c == "#N/A").count(), rows[0].len() - 2);
}

#[test]
fn tone_of_the_press() {
    let stage = stage(settings(1), NOW);
    let ask = |query: &str, mode: &str, from: &str, to: &str| {
        stage.get(&format!(
            "api.gdeltproject.org/api/v2/doc/doc?query={query}&mode={mode}&format=json&STARTDATETIME={from}&ENDDATETIME={to}"
        ))
    };
    let sanctions = "%28tariffs+OR+%22trade+war%22+OR+sanctions%29+sourcelang%3Aenglish";
    let (from, to) = ("20170101000000", "20261231235959");
    let tone = ask(sanctions, "timelinetone", from, to).json();
    let points = tone["timeline"][0]["data"].as_array().unwrap();
    assert_eq!(points[0]["date"], "20170101T000000Z");
    assert_eq!(points.last().unwrap()["date"], "20261114T000000Z", "today is not over");
    let mean = points.iter().map(|p| p["value"].as_f64().unwrap()).sum::<f64>() / points.len() as f64;
    assert!((-3.2..-2.3).contains(&mean), "{mean}");
    let volume = ask(sanctions, "timelinevol", "20260101000000", "20260131235959").json();
    let points = volume["timeline"][0]["data"].as_array().unwrap();
    assert_eq!(points.len(), 31);
    assert!(points.iter().all(|p| (0.0..10.0).contains(&p["value"].as_f64().unwrap())));

    let sentence = ask(&"x".repeat(271), "timelinetone", from, to);
    assert_eq!((sentence.status, sentence.text().starts_with("Your query")), (200, true));
    assert_eq!(ask("unicorns", "timelinetone", from, to).json(), serde_json::json!({}));
}

#[test]
fn straits_are_paged_and_errors_come_as_success() {
    let stage = stage(settings(1), NOW);
    let base =
        "services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Chokepoints_Data/FeatureServer/0";
    let page = |offset: usize| {
        stage
            .get(&format!(
                "{base}/query?where=1%3D1&outFields=*&resultOffset={offset}&resultRecordCount=5000&f=json"
            ))
            .json()
    };
    let (first, second) = (page(0), page(1_000));
    assert_eq!(first["exceededTransferLimit"], true);
    let rows = first["features"].as_array().unwrap();
    assert_eq!((rows.len(), second["features"].as_array().unwrap().len()), (1_000, 1_000));
    let row = &rows[0]["attributes"];
    let cargo = ["n_container", "n_dry_bulk", "n_general_cargo", "n_roro"]
        .iter()
        .map(|k| row[k].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(row["n_cargo"], cargo);
    assert_eq!(row["n_total"], cargo + row["n_tanker"].as_u64().unwrap());
    let newest = stage
        .get(&format!(
            "{base}/query?where=portid%3D%27chokepoint6%27&orderByFields=date+DESC&resultRecordCount=1&f=json"
        ))
        .json();
    // Tuesday the 10th's release reaches the 5th.
    assert_eq!(newest["features"][0]["attributes"]["date"], "2026-11-05");
    let error = stage.get(&format!("{base}/query?where=date%3E1760000000&f=json"));
    assert_eq!((error.status, error.json()["error"]["code"].as_i64()), (200, Some(400)));
    assert!(stage.get(&format!("{base}?f=json")).json()["fields"].as_array().unwrap().len() > 15);
}

#[test]
fn attackers() {
    let stage = stage(settings(1), NOW);
    let current = stage.get("epss.empiricalsecurity.com/epss_scores-current.csv.gz");
    assert_eq!(
        (current.status, current.header("location")),
        (302, "https://epss.empiricalsecurity.com/epss_scores-2026-11-14.csv.gz")
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(
        &stage.get("epss.empiricalsecurity.com/epss_scores-2026-11-14.csv.gz").body[..],
    )
    .read_to_string(&mut text)
    .unwrap();
    assert!(
        text.starts_with("#model_version:v2025.03.14,score_date:2026-11-14T00:00:00Z\ncve,epss,percentile\n")
    );
    let high =
        text.lines().skip(2).filter(|l| l.split(',').nth(1).unwrap().parse::<f64>().unwrap() >= 0.5).count();
    assert!((200..3_000).contains(&high), "{high}");

    let search = stage.get("api.github.com/search/repositories?q=CVE-2026+in:name,description+created:2026-11-13&per_page=100").json();
    let items = search["items"].as_array().unwrap();
    assert_eq!(search["total_count"], items.len());
    assert!(items.iter().all(|i| i["created_at"].as_str().unwrap().starts_with("2026-11-13")
        && i["name"].as_str().unwrap().starts_with("CVE-2026-")));

    let victims = stage.get("api.ransomware.live/v2/recentvictims").json();
    assert_eq!(victims.as_array().unwrap().len(), 100);
    let monthly = stage.get("api.ransomware.live/v2/victims/2026/10").json();
    assert!((300..1_200).contains(&monthly.as_array().unwrap().len()));

    let ioda = "api.ioda.inetintel.cc.gatech.edu/v2";
    let events = stage
        .get(&format!("{ioda}/outages/events?from=1794500000&until=1794700000&entityType=country"))
        .json();
    assert!(events["error"].is_null() && events["data"].as_array().unwrap().len() > 5);
    let signals =
        stage.get(&format!("{ioda}/signals/raw/country/IR?from=1794690000&until=1794700000")).json();
    assert_eq!(signals["data"][0].as_array().unwrap().len(), 3);
    assert!(signals["data"][0][0]["values"].as_array().unwrap().last().unwrap().is_null());
}

#[test]
fn hazards_and_deaths() {
    let stage = stage(settings(1), NOW);
    let quakes = stage.get("earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_week.geojson").json();
    let features = quakes["features"].as_array().unwrap();
    assert_eq!(quakes["metadata"]["count"], features.len());
    assert!((80..220).contains(&features.len()), "{}", features.len());
    let alerts = stage.get("www.gdacs.org/gdacsapi/api/events/geteventlist/SEARCH?eventlist=EQ;TC;FL&alertlevel=orange;red&fromdate=2026-09-01&todate=2026-11-01").json();
    assert!(alerts["features"].as_array().unwrap().iter().all(|f| f["properties"]["alertlevel"] != "Green"));

    let index = stage.get("ucdp.uu.se/downloads/");
    assert!(
        index.text().contains("candidateged/GEDEvent_v26_0_9.csv") && !index.text().contains("v26_0_10.csv")
    );
    let table = stage.get("ucdp.uu.se/downloads/candidateged/GEDEvent_v26_0_9.csv");
    let mut lines = table.text().lines();
    assert_eq!(lines.next().unwrap().split(',').count(), 49);
    let rows: Vec<&str> = lines.collect();
    assert!((1_400..2_000).contains(&rows.len()), "{}", rows.len());
    // Quoted fields hold no comma in this world, so a plain split counts the columns.
    assert!(rows.iter().all(|r| r.split(',').count() == 49));
    assert_eq!(stage.get("ucdp.uu.se/downloads/candidateged/GEDEvent_v26_0_10.csv").status, 404);
}
