//! Documents and tables without an end, of many values, or nested without limit.

use crate::{Bomb, bomb, bomb_of};

pub const DOCUMENTS: &[Bomb] = &[
    bomb("lists in lists", || b"[".repeat(10_000_000)),
    bomb("objects in objects", || b"{\"a\":".repeat(2_000_000)),
    bomb("many numbers", || list("0", 10_000_000)),
    bomb("many empty lists", || list("[]", 5_000_000)),
    bomb("many small objects", || list("{\"\":0}", 2_000_000)),
    bomb("many small texts", || list("\"a\"", 5_000_000)),
    bomb("an object of many keys", wide_object),
    bomb("a long text", || [&b"{\"data\":\""[..], &b"a".repeat(30_000_000), b"\"}"].concat()),
    bomb("a long number", || [b"[".to_vec(), b"7".repeat(1_000_000), b"]".to_vec()].concat()),
    bomb("small objects under every name", named_lists),
    bomb_of("ransomware", "claims by many groups", claims),
    bomb_of("kev", "a catalogue of small objects", catalogue),
];

pub const TABLES: &[Bomb] = &[
    bomb("one endless line", || b"a".repeat(30_000_000)),
    bomb("one endless field", || [&b"Date,Price\n\""[..], &b"a".repeat(30_000_000)].concat()),
    bomb("many columns", || b",".repeat(10_000_000)),
    bomb("many columns in the second line", || [&b"Date,Price\n"[..], &b",".repeat(10_000_000)].concat()),
    bomb("many columns over many lines", || [&b"\""[..], &b"\",\"\n".repeat(5_000_000)].concat()),
    bomb("many blank lines", || [&b"Date,Price\n"[..], &b"\n".repeat(3_000_000)].concat()),
    bomb("many tabs", || b"\t".repeat(10_000_000)),
    bomb("many zero bytes", || vec![0; 20_000_000]),
    bomb_of("ucdp", "many events", events),
    bomb_of("epss", "many vulnerabilities", vulnerabilities),
    bomb_of("gdelt", "many rows", rows),
];

fn list(item: &str, items: usize) -> Vec<u8> {
    let mut text = String::with_capacity((item.len() + 1) * items + 2);
    text.push('[');
    for _ in 1..items {
        text.push_str(item);
        text.push(',');
    }
    text.push_str(item);
    text.push(']');
    text.into_bytes()
}

fn wide_object() -> Vec<u8> {
    let members: Vec<String> = (0..1_000_000).map(|n| format!("\"{n}\":0")).collect();
    format!("{{{}}}", members.join(",")).into_bytes()
}

/// Near the limit for a document, with the names that the feeds read.
fn named_lists() -> Vec<u8> {
    let list = String::from_utf8(list("{\"\":0}", 50_000)).unwrap();
    let names = ["data", "features", "items", "Result", "vulnerabilities"];
    let members = names.map(|name| format!("\"{name}\":{list}"));
    format!("{{{},\"totalResults\":50000}}", members.join(",")).into_bytes()
}

fn claims() -> Vec<u8> {
    let claim =
        |n: u32| format!(r#"{{"victim":"v{n}","group":"g{n}","discovered":"2026-11-02T09:30:28+00:00"}}"#);
    let claims: Vec<String> = (0..150_000).map(claim).collect();
    format!("[{}]", claims.join(",")).into_bytes()
}

fn catalogue() -> Vec<u8> {
    let list = String::from_utf8(list("{\"\":0}", 1_500_000)).unwrap();
    let head = r#"{"dateReleased":"2025-08-25T17:04:19.9796Z","count":1500000,"vulnerabilities":"#;
    format!("{head}{list}}}").into_bytes()
}

fn events() -> Vec<u8> {
    let head = "id,type_of_violence,date_prec,date_start,date_end,best,country\n";
    let event = |n: u32| format!("{n},1,1,2026-08-01,2026-08-03,5,Ukraine\n");
    let events: String = (0..1_000_000).map(event).collect();
    format!("{head}{events}").into_bytes()
}

fn vulnerabilities() -> Vec<u8> {
    let head = "#model_version:v2025.03.14,score_date:2026-05-18T00:00:00Z\ncve,epss,percentile\n";
    let score = |n: u32| format!("CVE-2020-{n},0.9,0.9\n");
    let scores: String = (1_000..1_500_000).map(score).collect();
    format!("{head}{scores}").into_bytes()
}

/// 61 columns: fighting in Ukraine.
fn rows() -> Vec<u8> {
    let row = |n: u32| {
        format!(
            "{n}\t20250820\t202508\t2025\t2025.6301\tUKRMIL\tUKRAINE\tUKR\t\t\t\t\tMIL\t\t\t\t\t\t\t\t\t\t\t\t\t1\t190\t190\t19\t4\t-10.0\t14\t2\t14\t-5.9\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t4\tKyiv\tUP\tUP12\t\t50.4333\t30.5167\t-1044367\t20250820163000\thttps://news.example/{n}\n"
        )
    };
    let rows: String = (1_000_000..1_100_000).map(row).collect();
    rows.into_bytes()
}
