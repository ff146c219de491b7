//! Every decoder against damaged input: bits flipped, bytes cut out, pieces repeated, garbage mixed in.
//!
//! Seeds are the real files when they are at hand and small fixtures otherwise. `GSI_FUZZ_ROUNDS` makes it longer.

use gsi_feeds::{Connector, Payload, all_connectors};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A run of some seconds; the long one is a separate target.
const ROUNDS: usize = 60;
/// Larger seeds are cut: damage at the end of a megabyte teaches nothing new.
const MAX_SEED: usize = 60_000;

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
        (
            "gdelt",
            "20250820163000.mentions.CSV",
            text(
                "1258581976\t20250820123000\t20250820163000\t1\ta.com\thttps://a.com/\t4\t3302\t-1\t3361\t1\t100\t5721\t-7.2\t\t\n",
            ),
        ),
        ("epu", "e.csv", text("day,month,year,daily_policy_index\n1,1,1985,103.83\n")),
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
                r#"{"metadata":{"generated":1794700800000},"features":[{"id":"us1","properties":{"mag":5,"time":1794700000000,"ids":",us1,","status":"reviewed"}}]}"#,
            ),
        ),
        (
            "gdacs",
            "SEARCH",
            text(
                r#"{"features":[{"geometry":{"type":"Point"},"properties":{"eventtype":"EQ","eventid":1,"episodeid":1,"alertlevel":"Red","fromdate":"2026-11-13T00:00:00"}}]}"#,
            ),
        ),
        (
            "ucdp",
            "GEDEvent_v26_0_8.csv",
            text("id,type_of_violence,date_prec,date_start,date_end,best\n1,1,1,2026-08-01,2026-08-03,5\n"),
        ),
        ("gpr", "gpr.xls", text("\u{0}not a workbook")),
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

fn real() -> Vec<(&'static str, String, Vec<u8>)> {
    let root = std::env::var_os("GSI_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let folders = [
        ("gdelt", "gdelt2/zips"),
        ("gdelt", "gdelt2/export"),
        ("gdelt", "gdelt2/mentions"),
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
        // Two of each folder: the rest differ only in their rows.
        for path in list(&root.join(folder)).into_iter().take(2) {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if let Ok(bytes) = std::fs::read(&path) {
                seeds.push((feed, name, bytes));
            }
        }
    }
    if seeds.is_empty() {
        println!("skipped: no real data");
    }
    seeds
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.sort();
    files
}

fn damage(seed: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..=6) {
        if bytes.is_empty() {
            bytes.push(random.random());
        }
        let at = random.random_range(0..bytes.len());
        let end = (at + random.random_range(1..=64usize)).min(bytes.len());
        match random.random_range(0..9) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = *b"\t\n,\"-.0\x00\xff{}"[..].get(random.random_range(0..11)).unwrap_or(&0),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => random.fill_bytes(&mut bytes[at..end]),
            6 => drop(bytes.splice(at..at, *b"99999999999999999999999999")),
            7 => drop(bytes.splice(at..at, "\u{202e}<script>\u{0}é\u{feff}".bytes())),
            _ => bytes[at..end].reverse(),
        }
    }
    bytes
}

fn check(connector: &Arc<dyn Connector>, name: &str, bytes: &[u8], what: &str) {
    let fetched_at = "2026-11-15T00:00:00Z".parse().expect("a time");
    let payload = Payload { name, bytes, fetched_at, last_modified: None };
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| connector.decode(&payload)));
    let outcome = outcome.unwrap_or_else(|_| panic!("{what}: the decoder panicked"));
    match outcome {
        Ok(decoded) => {
            assert!(decoded.is_balanced(), "{what}: {} seen, {decoded:?}", decoded.seen);
            for o in &decoded.observations {
                assert!(o.value.is_finite() && o.period_start < o.period_end, "{what}: {o:?}");
                assert!(o.known_at <= fetched_at, "{what}: {o:?}");
            }
            for row in &decoded.rows {
                let texts = [&row.url, &row.actor1.name, &row.actor2.name, &row.code];
                let place = row.geo.as_ref().map(|g| &g.name);
                for text in texts.into_iter().chain(place) {
                    assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{what}: {text:?}");
                    assert!(text.len() <= gsi_feeds::text::MAX_URL, "{what}");
                }
            }
        }
        Err(refusal) => {
            let known = gsi_feeds::refusal::ALL.iter().any(|(code, _)| *code == refusal.code);
            assert!(known, "{what}: {refusal}");
        }
    }
}

#[test]
fn damaged_payloads_never_harm() {
    let rounds = std::env::var("GSI_FUZZ_ROUNDS").ok().and_then(|v| v.parse().ok()).unwrap_or(ROUNDS);
    let connectors = all_connectors();
    let own = fixtures().into_iter().map(|(feed, name, bytes)| (feed, name.to_owned(), bytes));
    let mut random = ChaCha8Rng::seed_from_u64(20_261_115);
    let mut covered = std::collections::BTreeSet::new();
    for (feed, name, mut seed) in own.chain(real()) {
        let connector =
            connectors.iter().find(|c| c.origin().feed == feed).expect("a connector of that name");
        check(connector, &name, &seed, &format!("{feed} {name} undamaged"));
        covered.insert(feed);
        if !name.ends_with(".zip") && !name.ends_with(".xls") {
            seed.truncate(MAX_SEED);
        }
        for round in 0..rounds {
            let bytes = damage(&seed, &mut random);
            check(connector, &name, &bytes, &format!("{feed} {name} round {round}"));
        }
    }
    let missing: Vec<_> =
        connectors.iter().map(|c| c.origin().feed).filter(|f| !covered.contains(f)).collect();
    assert!(missing.is_empty(), "no seed for {missing:?}");
}

#[test]
fn connectors_are_told_apart() {
    let connectors = all_connectors();
    let mut feeds: Vec<_> = connectors.iter().map(|c| c.origin().feed).collect();
    let mut series: Vec<_> = connectors.iter().flat_map(|c| c.series()).map(|s| s.series).collect();
    let (feed_count, series_count) = (feeds.len(), series.len());
    feeds.sort();
    feeds.dedup();
    series.sort();
    series.dedup();
    assert_eq!((feeds.len(), series.len()), (feed_count, series_count));
    for connector in &connectors {
        let origin = connector.origin();
        assert!(origin.warn_after < origin.stale_after && origin.poll_every >= 900, "{}", origin.feed);
        assert!(origin.homepage.starts_with("https://") && !origin.attribution.is_empty(), "{}", origin.feed);
        assert_eq!(gsi_feeds::connector(origin.feed).map(|c| c.origin().feed), Some(origin.feed));
    }
}
