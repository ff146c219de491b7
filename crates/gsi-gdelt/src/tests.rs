//! The decoder against the plain one, on real files when they are at hand, and on hostile rows in any case.

use super::*;
use gsi_model::Day;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::Read;
use std::path::PathBuf;

/// The event files of a folder of the real data, unpacked, with their names.
fn real(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut paths = drills::real_data::files(&format!("gdelt2/{folder}"));
    let was_empty = paths.is_empty();
    paths.retain(|path| !path.to_string_lossy().contains("mentions"));
    assert!(was_empty || !paths.is_empty(), "nothing but mentions in {folder}");
    let unpacked = |path: PathBuf| {
        let mut bytes = std::fs::read(&path).unwrap();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let packed = std::mem::take(&mut bytes);
            flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        }
        (path.file_name().unwrap().to_string_lossy().into_owned(), bytes)
    };
    paths.into_iter().map(unpacked).collect()
}

fn stamp_of(name: &str) -> Option<Timestamp> {
    Timestamp::parse_compact(name.split('.').next()?.as_bytes())
}

fn check_equal(body: &[u8], stamp: Option<Timestamp>, what: &str) {
    // Not `assert_eq`: nobody wants to see a megabyte of rows.
    assert!(decode(body, stamp) == plain::decode(body, stamp), "{what}");
}

#[test]
fn real_files_decode_without_a_reject() {
    for (name, body) in real("export") {
        let decoded = decode(&body, stamp_of(&name)).unwrap_or_else(|r| panic!("{name}: {r}"));
        assert!(decoded.is_balanced() && decoded.seen > 500, "{name}: {}", decoded.seen);
        assert!(decoded.rejected.is_empty(), "{name}: {:?}", decoded.rejected);
        assert_eq!((decoded.newest, decoded.slots.len()), (stamp_of(&name), 1), "{name}");
    }
}

#[test]
fn real_broken_files_are_refused_or_accounted_for() {
    for (name, body) in real("corrupt_upstream") {
        assert_eq!(decode(&body, stamp_of(&name)).unwrap_err().code, RefusalCode::Schema, "{name}");
    }
    for (name, body) in real("as_found_with_header") {
        let decoded = decode(&body, stamp_of(&name)).unwrap_or_else(|r| panic!("{name}: {r}"));
        assert!(decoded.is_balanced(), "{name}");
        assert_eq!(decoded.rejected, [(Reject::Header, 1)].into(), "{name}");
    }
    for (name, body) in real("samples") {
        match decode(&body, stamp_of(&name)) {
            Ok(decoded) => {
                assert!(name.starts_with("sparkgdelt_events"), "{name}");
                assert_eq!((decoded.accepted, decoded.seen), (100, 100), "{name}: {:?}", decoded.rejected);
            }
            Err(refusal) => assert!(
                matches!(refusal.code, RefusalCode::Schema | RefusalCode::NoValidRows | RefusalCode::Garbage),
                "{name}: {refusal}"
            ),
        }
    }
}

#[test]
fn the_plain_decoder_agrees_on_real_files() {
    for folder in ["export", "corrupt_upstream", "as_found_with_header", "samples"] {
        for (name, body) in real(folder) {
            check_equal(&body, stamp_of(&name), &name);
        }
    }
}

proptest! {
    /// Rows of the publisher's shape in which any cells are replaced by any of the odd ones.
    #[test]
    fn the_plain_decoder_agrees_on_odd_rows(
        changes in prop::collection::vec((0..6usize, 0..COLUMNS, 0..ODD_CELLS.len()), 0..24),
        is_named: bool,
        cut in 0..2_000usize,
    ) {
        let ids = ["1", "2", "3", "2", "9", "4"];
        let mut rows: Vec<Vec<Vec<u8>>> = ids
            .map(|id| row(&[(0, id)]).trim_end().split('\t').map(|cell| cell.as_bytes().to_vec()).collect())
            .into();
        for (at, column, odd) in changes {
            rows[at][column] = ODD_CELLS[odd].to_vec();
        }
        let mut body: Vec<u8> = rows.iter().flat_map(|cells| [cells.join(&b'\t'), vec![b'\n']].concat()).collect();
        body.truncate(body.len().saturating_sub(cut / 2 * (cut % 2)));
        check_equal(&body, Timestamp::parse_compact(b"20250820163000").filter(|_| is_named), "odd rows");
    }
}

/// Bytes changed, cells emptied, exchanged and moved between rows, rows repeated and cut: mostly near misses.
#[test]
fn the_plain_decoder_agrees_on_damaged_files() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut seeds: Vec<Vec<u8>> = real("export").into_iter().map(|(_, body)| body).collect();
    seeds.push((1..=60).map(|i| row(&[(0, &(i * 7 % 50).to_string())])).collect::<String>().into_bytes());
    for round in 0..600 {
        let seed = &seeds[round % seeds.len()];
        let mut rows: Vec<Vec<&[u8]>> = seed
            .split_inclusive(|b| *b == b'\n')
            .skip(random.random_range(0..40))
            .take(random.random_range(1..80))
            .map(|line| line.split(|b| *b == b'\t').collect())
            .collect();
        for _ in 0..random.random_range(0..12) {
            let (a, b) = (random.random_range(0..rows.len()), random.random_range(0..rows.len()));
            let (i, j) = (random.random_range(0..rows[a].len()), random.random_range(0..rows[b].len()));
            match random.random_range(0..6) {
                0 => rows[a][i] = ODD_CELLS[random.random_range(0..ODD_CELLS.len())],
                1 => rows[a][i] = rows[b].get(i).copied().unwrap_or(b""),
                2 => rows[a][i] = rows[b][j],
                3 => rows[a] = rows[b].clone(),
                4 if rows[a].len() > 1 => drop(rows[a].remove(i)),
                _ => rows.swap(a, b),
            }
        }
        let mut body = rows.iter().map(|cells| cells.join(&b'\t')).collect::<Vec<_>>().concat();
        for _ in 0..random.random_range(0..6) {
            let at = random.random_range(0..body.len());
            body[at] = b"\t\n\0\xff\xc3.-+e09aZ "[random.random_range(0..14)];
        }
        body.truncate(body.len() - if round % 9 == 0 { random.random_range(0..body.len()) } else { 0 });
        let named = [None, Timestamp::parse_compact(b"20250820154500")][round % 2];
        check_equal(&body, named, &format!("round {round}"));
    }
}

const ODD_CELLS: [&[u8]; 24] = [
    b"",
    b"0",
    b"-0",
    b"1",
    b"5",
    b"6",
    b"00",
    b"+1",
    b"-1",
    b"1.",
    b".5",
    b"1.5",
    b"-1.25",
    b"1e1",
    b"1e400",
    b"99999999",
    b"1234567890123456",
    b"0.1234567890123456",
    b"-12.34567890123",
    b"20250230",
    b"20250820",
    b"\xc3\xa9",
    b"\xc3",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
];

/// A row of the publisher's shape; `changes` replaces cells.
fn row(changes: &[(usize, &str)]) -> String {
    let mut cells = vec![""; COLUMNS];
    for (i, value) in [
        (0, "1258623886"),
        (1, "20250820"),
        (2, "202508"),
        (3, "2025"),
        (4, "2025.6301"),
        (5, "UKRMIL"),
        (6, "UKRAINE"),
        (7, "UKR"),
        (12, "MIL"),
        (25, "1"),
        (26, "190"),
        (27, "190"),
        (28, "19"),
        (29, "4"),
        (30, "-10.0"),
        (31, "14"),
        (32, "2"),
        (33, "14"),
        (34, "-5.9627354378282"),
        (51, "4"),
        (52, "Kyiv, Kyyiv, Misto, Ukraine"),
        (53, "UP"),
        (54, "UP12"),
        (56, "50.4333"),
        (57, "30.5167"),
        (58, "-1044367"),
        (59, "20250820163000"),
        (60, "https://news.example/a/shelling-in-the-east"),
    ] {
        cells[i] = value;
    }
    for (i, value) in changes {
        cells[*i] = value;
    }
    cells.join("\t") + "\n"
}

fn run(text: &[u8]) -> Result<Decoded, PayloadRefusal> {
    decode(text, Timestamp::parse_compact(b"20250820163000"))
}

#[test]
fn every_needed_column_is_checked() {
    let check = |changes: &[(usize, &str)], want: &str| {
        let text = row(&[(0, "1")]) + &row(changes);
        let decoded = run(text.as_bytes()).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!(decoded.rejected.keys().next().map_or("", |r| r.key()), want, "{changes:?}");
    };
    check(&[], "");
    check(&[(51, "0"), (52, ""), (53, ""), (54, ""), (56, ""), (57, ""), (58, "")], "");
    check(&[(53, "ZZ")], "");
    check(&[(26, "0874"), (27, "087"), (28, "08"), (29, "2"), (30, "10.0")], "");
    for (column, value, reason) in [
        (0, "", "id"),
        (0, "-5", "id"),
        (0, "0", "id"),
        (0, "GLOBALEVENTID", "header"),
        (1, "20250832", "date"),
        (1, "2025-08-20", "date"),
        (2, "202507", "date"),
        (25, "2", "code"),
        (26, "19x", "code"),
        (26, "210", "code"),
        (28, "18", "code"),
        (29, "5", "code"),
        (30, "-10.1", "number"),
        (30, "nan", "number"),
        (31, "", "number"),
        (31, "99999999", "number"),
        (34, "1e400", "number"),
        (51, "6", "geo"),
        (53, "up", "geo"),
        (53, "UKR", "geo"),
        (54, "U<12", "geo"),
        (56, "90.1", "geo"),
        (57, "", "geo"),
        (57, "-180.5", "geo"),
        (59, "20250820164500", "stamp"),
        (59, "2025082016300", "date"),
        (60, "", "url"),
        (6, "a\0b", "nul"),
        (6, "a\tb", "columns"),
    ] {
        check(&[(column, value)], reason);
    }
    let mut bytes = row(&[(0, "1")]).into_bytes();
    bytes.extend_from_slice(
        &row(&[(6, "XX")])
            .into_bytes()
            .iter()
            .map(|b| if *b == b'X' { 0xff } else { *b })
            .collect::<Vec<_>>(),
    );
    assert_eq!(run(&bytes).unwrap().rejected[&Reject::Utf8], 1);
}

#[test]
fn hostile_text_is_neutral_when_it_arrives() {
    let text = row(&[(6, "\u{202e}EVIL\u{1b}[31m"), (52, "<b>Kyiv\u{200b}"), (60, "javascript:alert(1)")]);
    let decoded = run(text.as_bytes()).unwrap();
    let kept = &decoded.rows[0];
    assert_eq!((kept.actor1.name.as_str(), kept.url.as_str()), ("EVIL[31m", ""));
    assert_eq!(kept.geo.as_ref().unwrap().name, "<b>Kyiv");
}

#[test]
fn articles_weigh_one_however_many_rows_they_have() {
    let (a, b) = (
        "https://a.example/ransomware-attack-closes-the-pipeline",
        "https://b.example/x/ransomware-attack-closes-the-pipeline-77",
    );
    let text = [
        row(&[(0, "1"), (60, a)]),
        row(&[(0, "2"), (60, a), (26, "010"), (27, "010"), (28, "01"), (29, "1"), (53, "RS"), (54, "RS48")]),
        row(&[(0, "3"), (60, a), (26, "010"), (27, "010"), (28, "01"), (29, "1")]),
        row(&[(0, "4"), (60, b), (26, "130"), (27, "130"), (28, "13"), (29, "3")]),
        row(&[(0, "4"), (60, b)]),
        row(&[(0, "3"), (60, b)]),
    ]
    .concat();
    let decoded = run(text.as_bytes()).unwrap();
    assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (6, 4, 2));
    assert_eq!(decoded.rows.iter().map(|r| r.id).collect::<Vec<_>>(), [1, 4]);
    let slot = &decoded.slots[0];
    assert_eq!((slot.rows, slot.articles, slot.cyber, slot.supply), (4, 2, 1, 0));
    assert!((slot.conflict - 1.0 / 3.0).abs() < 1e-12 && slot.threat == 1.0);
    let countries: Vec<_> =
        slot.countries.iter().map(|c| (c.country.as_str().to_owned(), c.articles, c.conflict)).collect();
    assert_eq!(countries, [("RU".to_owned(), 1, 0.0), ("UA".to_owned(), 2, 0.5)]);
}

#[test]
fn broken_files_are_refused_whole() {
    let good: String = (1..=100).map(|i| row(&[(0, &i.to_string())])).collect();
    let check = |text: &str, code: &str| assert_eq!(run(text.as_bytes()).unwrap_err().code.key(), code);
    check(&good[..good.len() - 40], "truncated");
    check(good.trim_end(), "truncated");
    check(&good.replace("\t19\t", "\t"), "schema");
    check(&(good.clone() + &"garbage\n".repeat(20)), "garbage");
    check(&good.replace("20250820163000", "20250820164500"), "no_valid_rows");
    check("", "no_valid_rows");
    let oldest = row(&[(1, "19000101"), (2, "190001"), (3, "1900")]);
    assert_eq!(run(oldest.as_bytes()).unwrap().rows[0].day, Day(-25_567).0);
}
