//! Answers for spreadsheets and feed readers.

use crate::contract::target;
use crate::support::{Answer, Rig, world};
use data_encoding::BASE64;
use serde_json::Value;

const CSV: &str = "text/csv; charset=utf-8; header=present";

fn table(answer: &Answer) -> Vec<Vec<String>> {
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some(CSV));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&answer.body[..]);
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Returns a JSON value as a table's cell.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(cell).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

#[test]
fn a_table_has_the_values_of_the_json() {
    let rig = Rig::new();
    let lists: [(&str, &str, &[&str]); 6] = [
        (
            "/v1/alerts?limit=7",
            "/alerts",
            &["id", "rule", "state", "subject", "country", "began_at", "-", "value", "threshold"],
        ),
        (
            "/v1/conflict?limit=7",
            "/events",
            &["id", "occurred_at", "lat", "lon", "-", "-", "category", "-", "escalation", "actors"],
        ),
        ("/v1/briefings?limit=7", "/briefings", &["id", "published_at", "headline", "summary", "tags"]),
        (
            "/v1/countries?limit=2",
            "/countries",
            &["country", "name", "score", "trend", "delta_24h", "coverage"],
        ),
        (
            "/v1/global-stability/history?step=15m",
            "/points",
            &["at", "min", "max", "last", "published_at", "late"],
        ),
        (
            "/v1/global-stability/pillar/macro/history?step=15m",
            "/points",
            &["at", "min", "max", "last", "published_at", "late"],
        ),
    ];
    for (target, items, fields) in lists {
        let json = rig.get(target);
        let csv = rig.get(&format!("{target}&format=csv"));
        let rows = table(&csv);
        let entries = json.json().pointer(items).unwrap().as_array().unwrap().clone();
        assert!(!entries.is_empty(), "{target}");
        assert_eq!(rows.len(), entries.len() + 1, "{target}");
        for (row, entry) in rows[1..].iter().zip(&entries) {
            assert_eq!(row.len(), rows[0].len());
            for (at, field) in fields.iter().enumerate().filter(|(_, field)| **field != "-") {
                assert_eq!(row[at], cell(&entry[*field]), "{target}: {field}");
            }
        }
        // A table's next page is only in the header.
        assert_eq!(csv.header("link").is_some(), json.header("link").is_some(), "{target}");
        let link = csv.header("link").unwrap_or("format=csv");
        assert!(link.contains("format=csv"), "{link}");
        // `Accept` selects the same table, and `Vary` then names `Accept`.
        let accepted = rig.get_with(target, &[("Accept", "text/csv")]);
        assert_eq!(accepted.body, csv.body, "{target}");
        assert_eq!(
            csv.header("vary"),
            Some("Authorization, Accept-Encoding"),
            "{target}: the address selects the form"
        );
        let etag = json.header("etag").unwrap();
        for answer in [&json, &accepted, &rig.get_with(target, &[("If-None-Match", etag)])] {
            assert_eq!(answer.header("vary"), Some("Authorization, Accept, Accept-Encoding"), "{target}");
        }
    }
}

#[test]
fn one_request_has_all_five_series() {
    let rig = Rig::new();
    let body = rig.get("/v1/global-stability/history?step=15m&series=all").json();
    for pillar in ["conflict", "cyber", "supply_chain", "macro"] {
        let alone = rig.get(&format!("/v1/global-stability/pillar/{pillar}/history?step=15m")).json();
        assert_eq!(body["pillars"][pillar], alone["points"], "{pillar}");
    }
    let rows = table(&rig.get("/v1/global-stability/history?step=15m&series=all&format=csv"));
    assert_eq!(rows[0].join(","), "at,min,max,last,published_at,late,conflict,cyber,supply_chain,macro");
    let last = |pillar: &str| cell(&body["pillars"][pillar].as_array().unwrap().last().unwrap()["last"]);
    assert_eq!(rows.last().unwrap()[6..], ["conflict", "cyber", "supply_chain", "macro"].map(last));
}

#[test]
fn a_form_that_is_not_offered_is_refused() {
    let rig = Rig::new();
    for (target, accept, status) in [
        ("/v1/conflict?format=xml", "*/*", 400),
        ("/v1/conflict?format=", "*/*", 400),
        ("/v1/conflict?format=csv&format=csv", "*/*", 400),
        ("/v1/briefings?format=geojson", "*/*", 400),
        ("/v1/global-stability?format=csv", "*/*", 400),
        ("/v1/global-stability", "text/csv", 406),
        ("/v1/feeds", "text/csv", 406),
        ("/v1/briefings", "application/geo+json", 406),
        ("/v1/briefings?format=csv", "application/json", 406),
        ("/briefings.atom", "text/html", 406),
        ("/briefings.atom", "application/xml", 200),
        ("/briefings.json", "application/json", 200),
        ("/v1/conflict", "application/geo+json", 200),
    ] {
        assert_eq!(rig.get_with(target, &[("Accept", accept)]).status, status, "{target} {accept}");
    }
}

#[test]
fn basic_is_accepted_for_tables_and_feeds() {
    let rig = Rig::new();
    let basic = |pair: String| format!("Basic {}", BASE64.encode(pair.as_bytes()));
    let good = basic(format!("anybody:{}", rig.key));
    for target in [
        "/v1/conflict?format=csv",
        "/v1/briefings?limit=2&format=csv",
        "/briefings.atom",
        "/briefings.json",
        "/v1/alerts?format=csv",
        "/alerts.atom",
        "/alerts.json",
    ] {
        assert_eq!(rig.ask("GET", target, &[("Authorization", &good)]).status, 200, "{target}");
        let stranger = rig.ask("GET", target, &[]);
        assert_eq!(stranger.status, 401);
        let challenges: Vec<&str> = stranger
            .headers
            .iter()
            .filter(|(name, _)| name == "www-authenticate")
            .map(|(_, v)| &**v)
            .collect();
        assert_eq!(
            challenges,
            ["Bearer realm=\"gsi\"", "Basic realm=\"gsi\", charset=\"UTF-8\""],
            "{target}"
        );
    }
    for target in [
        "/v1/conflict",
        "/v1/conflict?format=json",
        "/v1/conflict?x=format=csv",
        "/v1/global-stability",
        "/stream",
    ] {
        assert_eq!(rig.ask("GET", target, &[("Authorization", &good)]).status, 401, "{target}");
    }
    for bad in [
        basic(rig.key.clone()),
        basic(format!("{}:", rig.key)),
        basic("anybody:wrong".into()),
        "Basic ???".into(),
        "Basic".into(),
        "Basic /////w==".into(),
    ] {
        let answer = rig.ask("GET", "/v1/conflict?format=csv", &[("Authorization", &bad)]);
        assert_eq!(answer.status, 401, "{bad}");
    }
    // Keys in the address are ignored.
    for target in [
        format!("/v1/conflict?format=csv&key={}", rig.key),
        format!("http://anybody:{}@localhost/v1/conflict?format=csv", rig.key),
    ] {
        assert_eq!(rig.ask("GET", &target, &[]).status, 401, "{target}");
    }
}

/// An endpoint without a table accepts no key by Basic authentication, whatever its query.
#[test]
fn basic_is_refused_where_there_is_no_table() {
    let rig = Rig::new();
    let good = format!("Basic {}", BASE64.encode(format!("anybody:{}", rig.key).as_bytes()));
    let mut tables = 0;
    for endpoint in gsi_api::endpoints() {
        let asked = format!("{}?format=csv", target(&rig, &endpoint.path));
        let has_table = rig.get(&asked).status == 200;
        tables += usize::from(has_table);
        let is_feed = endpoint.path.ends_with(".atom") || endpoint.path.ends_with(".json");
        if !is_feed {
            let status = rig.ask("GET", &asked, &[("Authorization", &good)]).status;
            assert_eq!(status, if has_table { 200 } else { 401 }, "{asked}");
        }
    }
    assert!(tables > 5, "{tables}");
    for (method, asked) in
        [("POST", "/mcp?format=csv"), ("GET", "/v1/nothing?format=csv"), ("GET", "/v1?format=csv")]
    {
        let answer = rig.ask(method, asked, &[("Authorization", &good)]);
        assert_eq!((answer.status, answer.code().as_str()), (401, "missing_credentials"), "{asked}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"gsi\""), "{asked}");
        assert_eq!(
            answer.headers_named("www-authenticate"),
            1,
            "{asked}: the challenge does not offer Basic"
        );
    }
}

#[test]
fn feeds_have_the_newest_briefings() {
    let rig = Rig::new();
    let briefings = rig.get("/v1/briefings?limit=50").json()["briefings"].as_array().unwrap().clone();
    let json = rig.get("/briefings.json");
    assert_eq!(json.header("content-type"), Some("application/feed+json"));
    let feed = json.json();
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(feed["items"].as_array().unwrap().len(), briefings.len());
    assert_eq!(feed["items"][0]["content_text"], briefings[0]["summary"]);
    let tag = briefings[0]["tags"][0].as_str().unwrap();
    let some = rig.get(&format!("/briefings.json?tag={tag}")).json()["items"].as_array().unwrap().clone();
    assert!(some.iter().all(|item| item["tags"].as_array().unwrap().iter().any(|t| t == tag)));

    let atom = rig.get("/briefings.atom");
    assert_eq!(atom.header("content-type"), Some("application/atom+xml; charset=utf-8"));
    let text = atom.text();
    let mut reader = quick_xml::Reader::from_str(text);
    let mut entries = 0;
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Start(start) if start.name().as_ref() == "entry" => entries += 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(entries, briefings.len());
    assert!(text.contains(&format!("<id>urn:gsi:{}</id>", briefings[0]["id"].as_str().unwrap())));
    let newest = briefings.iter().map(|b| b["published_at"].as_str().unwrap()).max().unwrap();
    assert!(text.contains(&format!("<updated>{newest}</updated>")));
    let etag = atom.header("etag").unwrap();
    assert_eq!(rig.get_with("/briefings.atom", &[("If-None-Match", etag)]).status, 304);
    assert!(newest <= world::LAST);
}

#[test]
fn a_cached_page_does_not_pass_on_another_callers_link() {
    let rig = Rig::new();
    let key = format!("Bearer {}", rig.key);
    let by_header =
        rig.ask("GET", "/v1/conflict?limit=1", &[("Authorization", &key), ("Accept", "text/csv")]);
    let by_query = rig.get("/v1/conflict?limit=1&format=csv");
    let link = |answer: &Answer| answer.header("link").unwrap().to_owned();
    assert!(!link(&by_header).contains("format="), "{}", link(&by_header));
    assert!(link(&by_query).contains("format=csv"), "{}", link(&by_query));
}
