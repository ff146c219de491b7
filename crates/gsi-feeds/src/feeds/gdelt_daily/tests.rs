use super::*;
use crate::formats::unpack::tests::zip_of;

const NAME: &str = "20260110.export.CSV.zip";

/// Returns a row with these cells. All others are empty.
fn row(id: u64, root: &str, quad: &str, country: &str, sides: [&str; 2], address: &str) -> String {
    let mut cells = vec![String::new(); COLUMNS];
    for (at, text) in [
        (column::ID, id.to_string().as_str()),
        (column::SIDE1, sides[0]),
        (column::SIDE2, sides[1]),
        (column::ROOT_CODE, root),
        (column::QUAD_CLASS, quad),
        (column::COUNTRY, country),
        (column::ADDED, "20260110"),
        (column::ADDRESS, address),
    ] {
        cells[at] = text.to_owned();
    }
    cells.join("\t") + "\n"
}

fn run(name: &str, bytes: &[u8]) -> Result<Decoded, PayloadRefusal> {
    let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
    decode(&Payload::new(name, bytes, fetched_at))
}

fn value(decoded: &Decoded, series: &str, entity: &str) -> Option<f64> {
    decoded.observations.iter().find(|o| o.series == series && o.entity == entity).map(|o| o.value)
}

#[test]
fn a_day_is_counted() {
    let rows = [
        // One article on fighting in Israel (FIPS IS) with one row in Egypt, and one on trade in France.
        row(1, "19", "4", "IS", ["ISR", "PSE"], "https://a.example/war"),
        row(2, "19", "4", "IS", ["ISR", "PSE"], "https://a.example/war"),
        row(3, "04", "1", "EG", ["EGY", ""], "https://a.example/war"),
        row(4, "13", "3", "IS", ["ISR", "ISR"], "https://a.example/war"),
        row(5, "06", "2", "FR", ["FRA", "DEU"], "https://b.example/trade"),
        row(5, "06", "2", "FR", ["FRA", "DEU"], "https://b.example/trade"),
    ];
    let decoded = run(NAME, &zip_of(&[("20260110.export.CSV", rows.concat().as_bytes())])).unwrap();
    assert!(decoded.is_balanced());
    assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (6, 5, 1));
    let check = |series: &str, entity: &str, want: Option<f64>| {
        assert_eq!(value(&decoded, series, entity), want, "{series} {entity}");
    };
    check("news.articles", "", Some(2.0));
    check("news.conflict", "", Some(25.0));
    check("news.threat", "", Some(12.5));
    check("news.conflict_by_country", "IL", Some(100.0 * (2.0 / 3.0) / 2.0));
    check("news.conflict_by_country", "EG", None);
    check("gdelt_daily.rows", "", Some(5.0));
    check("gdelt_daily.root_rows", "19", Some(2.0));
    check("gdelt_daily.root_rows", "20", Some(0.0));
    check("gdelt_daily.pair_conflict_rows", "IL-PS", None);
    let first = &decoded.observations[0];
    assert_eq!(first.period_start.to_string(), "2026-01-10T00:00:00Z");

    let many: Vec<String> =
        (0..7).map(|i| row(i, "18", "4", "IS", ["PSE", "ISR"], "https://a.example/war")).collect();
    let decoded = run(NAME, many.concat().as_bytes()).unwrap();
    assert_eq!(value(&decoded, "gdelt_daily.pair_conflict_rows", "IL-PS"), Some(7.0));
}

#[test]
fn bad_rows_are_counted_and_bad_files_refused() {
    let good: Vec<String> =
        (10..200).map(|i| row(i, "04", "1", "FR", ["", ""], &format!("https://a.example/{i}"))).collect();
    let good = good.concat();
    let bad = [
        row(1, "21", "4", "IS", ["", ""], "https://a.example/1"),
        row(2, "19", "5", "IS", ["", ""], "https://a.example/1"),
        row(3, "19", "4", "IS", ["", ""], ""),
        row(4, "19", "4", "IS", ["", ""], "https://a.example/1").replace("20260110", "20250110"),
        "too\tfew\n".to_owned(),
        row(5, "19", "4", "IS", ["", ""], "https://a.example/1").replace("5\t", "x\t"),
    ];
    let decoded = run(NAME, (good.clone() + &bad.concat()).as_bytes()).unwrap();
    assert!(decoded.is_balanced());
    let codes: Vec<_> = decoded.rejected.iter().map(|(code, n)| format!("{code} {n}")).collect();
    assert_eq!(codes, ["code 2", "columns 1", "date 1", "id 1", "url 1"]);

    let zip = zip_of(&[("a", good.as_bytes())]);
    let check = |what: &str, name: &str, bytes: &[u8], want: &str| {
        assert_eq!(run(name, bytes).unwrap_err().code.key(), want, "{what}");
    };
    check("no day in the name", "export.CSV.zip", &zip, "schema");
    check("from the future", "20270101.export.CSV.zip", &zip, "clock");
    check("the columns of 2.0", NAME, "a\t".repeat(60).as_bytes(), "truncated");
    check("another table", NAME, ("a\t".repeat(60) + "\n").repeat(20).as_bytes(), "schema");
    check("nothing", NAME, b"", "empty");
    check("a cut row", NAME, &good.as_bytes()[..good.len() - 9], "truncated");
    check("a cut zip", NAME, &zip[..zip.len() / 2], "bad_zip");
    check("two members", NAME, &zip_of(&[("a", good.as_bytes()), ("b", b"x\n")]), "bad_zip");
    check("a row without end", NAME, &vec![b'x'; MAX_ROW + 1], "garbage");
    let half = (good.clone() + &"too\tfew\n".repeat(100)).into_bytes();
    check("half of it", NAME, &half, "garbage");
}

/// Returns the rows of the real quarter-hourly files in the daily layout: without the three finer region codes, dated by day.
fn real_day() -> Option<(String, Vec<u8>)> {
    let mut text = Vec::new();
    let mut day = String::new();
    for path in drills::real_data::files("gdelt2/export") {
        let file = std::fs::read(&path).unwrap();
        for line in file.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            let cells: Vec<&[u8]> = line.split(|b| *b == b'\t').collect();
            assert_eq!(cells.len(), 61, "{path:?}");
            if day.is_empty() {
                day = String::from_utf8(cells[59][..8].to_vec()).unwrap();
            }
            let kept = (0..60).filter(|i| ![39, 47, 55].contains(i));
            let mut row: Vec<Vec<u8>> = kept.map(|i| cells[i].to_vec()).collect();
            // All rows get the same day.
            row[column::ADDED] = day.clone().into_bytes();
            row.push(cells[60].to_vec());
            text.extend_from_slice(&row.join(&b'\t'));
            text.push(b'\n');
        }
    }
    (!text.is_empty()).then_some((day, text))
}

#[test]
fn real_rows_in_the_daily_layout() {
    let Some((day, text)) = real_day() else { return };
    let name = format!("{day}.export.CSV.zip");
    let decoded = run(&name, &zip_of(&[("a", &text)])).unwrap();
    assert!(decoded.is_balanced() && decoded.rejected_total() == 0, "{:?}", decoded.rejected);
    // The counts must be close to those of the quarter-hourly decoder.
    let mut slots = (0u64, 0.0);
    for path in drills::real_data::files("gdelt2/export") {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload::new(&name, &bytes, fetched_at);
        for slot in crate::gdelt::decode(&payload).unwrap().slots {
            slots.0 += u64::from(slot.articles);
            slots.1 += slot.conflict;
        }
    }
    let articles = value(&decoded, "news.articles", "").unwrap();
    assert!((articles - slots.0 as f64).abs() < 0.02 * articles, "{articles} {slots:?}");
    let share = value(&decoded, "news.conflict", "").unwrap();
    let want = 100.0 * slots.1 / slots.0 as f64;
    assert!((share - want).abs() < 0.1, "{share} {want}");
    assert!(value(&decoded, "news.conflict_by_country", "US").unwrap() > 0.5);
    assert!(decoded.observations.len() < 400, "{}", decoded.observations.len());
}
