//! The decoder on real files where they are available, and on hostile rows in any case.

use super::cells::COLUMNS;
use super::*;
use gsi_model::{NewsSlot, SlotCountry};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::Read;
use std::path::PathBuf;

/// Reads the event files of a folder of the real data, unpacked, with their names.
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

/// Checks that a file decodes to the sum of its rows: each row is decoded in a separate file, and the tallies are computed
/// again with plain loops.
fn check_sum_of_rows(body: &[u8], stamp: Option<Timestamp>, what: &str) {
    // Not `assert_eq`, which would print a megabyte of rows.
    assert!(decode(body, stamp) == sum_of_rows(body, stamp), "{what}");
}

fn sum_of_rows(body: &[u8], stamp: Option<Timestamp>) -> Result<Decoded, PayloadRefusal> {
    let mut sum = Decoded::default();
    let mut ids = HashSet::new();
    let mut accepted: BTreeMap<Timestamp, Vec<AcceptedRow<'_>>> = BTreeMap::new();
    let mut lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
    let cut = lines.pop().filter(|line| !line.is_empty());
    for line in lines {
        sum.seen += 1;
        let kept = match decode_alone(line, stamp) {
            Ok(kept) => kept,
            Err(reason) => {
                sum.reject(reason);
                continue;
            }
        };
        let row = AcceptedRow::new(line);
        if !ids.insert(row.id) {
            sum.duplicates += 1;
            continue;
        }
        sum.accepted += 1;
        sum.rows.extend(kept);
        accepted.entry(row.added).or_default().push(row);
    }
    if cut.is_some() {
        sum.seen += 1;
        sum.reject(Reject::Truncated);
    }
    check_structure(&sum)?;
    sum.newest = accepted.keys().next_back().copied();
    sum.slots = accepted.iter().map(|(stamp, rows)| count_slot(*stamp, rows)).collect();
    Ok(sum)
}

/// Decodes one line in a file with one sound row before it. Returns the line's row, if it is kept.
fn decode_alone(line: &[u8], stamp: Option<Timestamp>) -> Result<Option<NewsRow>, Reject> {
    const OTHER_ID: &str = "9999999999999999999";
    let added = stamp.map_or("20250820163000".to_owned(), Timestamp::to_compact);
    // Root 01, so it is counted and not kept.
    let sound = row(&[
        (column::ID, OTHER_ID),
        (column::DAY, &added[..8]),
        (column::MONTH, &added[..6]),
        (column::YEAR, &added[..4]),
        (column::CODE, "010"),
        (column::BASE_CODE, "010"),
        (column::ROOT_CODE, "01"),
        (column::QUAD_CLASS, "1"),
        (column::ADDED, &added),
    ]);
    let mut decoded = decode(&[sound.as_bytes(), line, &b"\n"[..]].concat(), stamp).unwrap();
    assert!(decoded.is_balanced() && decoded.seen == 2 && decoded.duplicates == 0);
    assert!(decoded.accepted == 2 || decoded.rejected_total() == 1);
    match decoded.rejected.keys().next() {
        Some(reason) => Err(*reason),
        None => Ok(decoded.rows.pop()),
    }
}

/// The cells of an accepted row that the tallies use.
struct AcceptedRow<'a> {
    id: u64,
    added: Timestamp,
    root: u8,
    country: Option<CountryCode>,
    address: &'a str,
}

impl<'a> AcceptedRow<'a> {
    fn new(line: &'a [u8]) -> Self {
        let cells: Vec<&str> = std::str::from_utf8(line).unwrap().split('\t').collect();
        AcceptedRow {
            id: cells[column::ID].parse().unwrap(),
            added: Timestamp::parse_compact(cells[column::ADDED].as_bytes()).unwrap(),
            root: cells[column::ROOT_CODE].parse().unwrap(),
            country: CountryCode::from_fips(cells[column::GEO_COUNTRY]),
            address: cells[column::URL],
        }
    }
}

fn count_slot(stamp: Timestamp, rows: &[AcceptedRow<'_>]) -> NewsSlot {
    // In the order in which the file names them, so that sums of shares are the same to the last bit.
    let mut addresses: Vec<&str> = Vec::new();
    let mut placed: Vec<(&str, CountryCode)> = Vec::new();
    for row in rows {
        if !addresses.contains(&row.address) {
            addresses.push(row.address);
        }
        if let Some(country) = row.country
            && !placed.contains(&(row.address, country))
        {
            placed.push((row.address, country));
        }
    }
    let share = |is_counted: &dyn Fn(&AcceptedRow<'_>) -> bool, roots: &[u8]| {
        let all = rows.iter().filter(|row| is_counted(row));
        let some = all.clone().filter(|row| roots.contains(&row.root));
        some.count() as f64 / all.count() as f64
    };
    let by_address =
        |roots: &[u8]| addresses.iter().map(|address| share(&|row| row.address == *address, roots)).sum();
    let mut countries: BTreeMap<CountryCode, SlotCountry> = BTreeMap::new();
    for (address, country) in &placed {
        let is_there = |row: &AcceptedRow<'_>| row.address == *address && row.country == Some(*country);
        let new = SlotCountry { country: *country, articles: 0, conflict: 0.0 };
        let entry = countries.entry(*country).or_insert(new);
        entry.articles += 1;
        entry.conflict += share(&is_there, &[18, 19, 20]);
    }
    let [cyber, supply] = themes::count(addresses.iter().copied());
    NewsSlot {
        stamp,
        known_at: stamp,
        rows: rows.len() as u32,
        articles: addresses.len() as u32,
        conflict: by_address(&[18, 19, 20]),
        threat: by_address(&[13, 15]),
        cyber,
        supply,
        countries: countries.into_values().collect(),
    }
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
fn real_files_are_the_sum_of_their_rows() {
    for folder in ["export", "corrupt_upstream", "as_found_with_header", "samples"] {
        for (name, body) in real(folder) {
            check_sum_of_rows(&body, stamp_of(&name), &name);
        }
    }
}

proptest! {
    /// Replaces any cells of rows in the publisher's shape by any of `ODD_CELLS`.
    #[test]
    fn odd_rows_are_judged_one_by_one(
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
        check_sum_of_rows(&body, Timestamp::parse_compact(b"20250820163000").filter(|_| is_named), "odd rows");
    }
}

/// Changes bytes, empties, exchanges and moves cells between rows, and repeats and cuts rows. Most results are almost valid.
#[test]
fn damaged_files_are_the_sum_of_their_rows() {
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
        check_sum_of_rows(&body, named, &format!("round {round}"));
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

/// Returns a row in the publisher's shape; `changes` replaces cells.
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
fn hostile_text_is_neutralised() {
    let text = row(&[(6, "\u{202e}EVIL\u{1b}[31m"), (52, "<b>Kyiv\u{200b}"), (60, "javascript:alert(1)")]);
    let decoded = run(text.as_bytes()).unwrap();
    let kept = &decoded.rows[0];
    assert_eq!((kept.actor1.name.as_str(), kept.url.as_str()), ("EVIL[31m", ""));
    assert_eq!(kept.geo.as_ref().unwrap().name, "<b>Kyiv");
}

#[test]
fn an_article_weighs_one_whatever_its_number_of_rows() {
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
