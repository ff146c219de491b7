//! The event file read in the plainest way: lines split at tabs, numbers parsed by the standard library, nothing remembered.
//! It defines what the decoder returns; they have to agree on every file, sound or damaged.

use gsi_model::{
    Actor, CountryCode, Day, Decoded, Geo, NewsRow, NewsSlot, PayloadRefusal, Reject, SlotCountry, Text,
    Timestamp, text,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Checked<T> = Result<T, Reject>;
/// Root, country and address of an accepted row.
type CountedRow<'a> = (u8, Option<CountryCode>, &'a [u8]);

pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, PayloadRefusal> {
    let mut decoded = Decoded::default();
    let mut ids = BTreeSet::new();
    let mut lines: Vec<&[u8]> = body.split(|b| *b == b'\n').collect();
    let cut = lines.pop().filter(|line| !line.is_empty());
    let mut counted: BTreeMap<Timestamp, Vec<CountedRow<'_>>> = BTreeMap::new();
    for line in lines {
        decoded.seen += 1;
        match row(line, named) {
            Ok((row, country)) if ids.insert(row.id) => {
                decoded.accepted += 1;
                let root: u8 = row.root().parse().unwrap();
                let address = line.rsplit(|b| *b == b'\t').next().unwrap();
                counted.entry(row.added).or_default().push((root, country, address));
                if root >= 13 {
                    decoded.rows.push(row);
                }
            }
            Ok(_) => decoded.duplicates += 1,
            Err(reason) => decoded.reject(reason),
        }
    }
    if cut.is_some() {
        decoded.seen += 1;
        decoded.reject(Reject::Truncated);
    }
    super::check_structure(&decoded)?;
    decoded.newest = counted.keys().next_back().copied();
    decoded.slots = counted.iter().map(|(stamp, rows)| slot(*stamp, rows)).collect();
    Ok(decoded)
}

fn slot(stamp: Timestamp, rows: &[CountedRow<'_>]) -> NewsSlot {
    // In the order in which the file names them, so that sums of shares are the same to the last bit.
    let mut addresses: Vec<&[u8]> = Vec::new();
    let mut placed: Vec<(&[u8], CountryCode)> = Vec::new();
    for (_, country, address) in rows {
        if !addresses.contains(address) {
            addresses.push(address);
        }
        if let Some(country) = country
            && !placed.contains(&(address, *country))
        {
            placed.push((address, *country));
        }
    }
    let share = |of: &dyn Fn(&CountedRow<'_>) -> bool, roots: &[u8]| {
        let all = rows.iter().filter(|row| of(row));
        let some = all.clone().filter(|row| roots.contains(&row.0));
        some.count() as f64 / all.count() as f64
    };
    let by_address = |roots: &[u8]| addresses.iter().map(|a| share(&|row| row.2 == *a, roots)).sum();
    let mut countries: BTreeMap<CountryCode, SlotCountry> = BTreeMap::new();
    for (address, country) in &placed {
        let conflict = share(&|row| row.2 == *address && row.1 == Some(*country), &[18, 19, 20]);
        let new = SlotCountry { country: *country, articles: 0, conflict: 0.0 };
        let entry = countries.entry(*country).or_insert(new);
        entry.articles += 1;
        entry.conflict += conflict;
    }
    let [cyber, supply] = super::keywords::Themes::shared().count(&addresses);
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

fn row(line: &[u8], named: Option<Timestamp>) -> Checked<(NewsRow, Option<CountryCode>)> {
    if line.split(|b| *b == b'\t').count() != super::COLUMNS {
        return Err(Reject::Columns);
    }
    if line.contains(&0) {
        return Err(Reject::Nul);
    }
    let line = std::str::from_utf8(line).map_err(|_| Reject::Utf8)?;
    let cells: Vec<&str> = line.split('\t').collect();
    let id = match whole(cells[0], u64::MAX) {
        Some(id) if id > 0 => id,
        _ if cells[0].to_ascii_lowercase().starts_with("globalevent") => return Err(Reject::Header),
        _ => return Err(Reject::Id),
    };
    let day = date(cells[1]).filter(|d| *d >= Day(-25_567)).ok_or(Reject::Date)?;
    if cells[2] != &cells[1][..6] || cells[3] != &cells[1][..4] {
        return Err(Reject::Date);
    }
    let added = Timestamp::parse_compact(cells[59].as_bytes()).ok_or(Reject::Date)?;
    if named.is_some_and(|stamp| stamp != added) {
        return Err(Reject::Stamp);
    }
    if day > added.day().plus(1) {
        return Err(Reject::Date);
    }
    let code = cells[26];
    if !(2..=4).contains(&code.len())
        || !is_digits(code)
        || cells[28] != &code[..2]
        || cells[27] != &code[..code.len().min(3)]
        || !(1..=20).contains(&code[..2].parse::<u8>().unwrap())
        || !["1", "2", "3", "4"].contains(&cells[29])
        || !["0", "1"].contains(&cells[25])
    {
        return Err(Reject::Code);
    }
    let goldstein = number(cells[30], 10.0).ok_or(Reject::Number)?;
    let tone = number(cells[34], 100.0).ok_or(Reject::Number)?;
    let count = |i: usize| whole(cells[i], 1_000_000).map(|n| n as u32).ok_or(Reject::Number);
    let (mentions, sources, articles) = (count(31)?, count(32)?, count(33)?);
    let (country, geo) = place(&cells[51..59])?;
    if cells[60].is_empty() {
        return Err(Reject::Url);
    }
    let row = NewsRow {
        id,
        added,
        day: day.0,
        actor1: actor(&cells[5..15]),
        actor2: actor(&cells[15..25]),
        is_root: cells[25] == "1",
        code: code.into(),
        quad_class: cells[29].parse().unwrap(),
        goldstein,
        mentions,
        sources,
        articles,
        tone,
        geo,
        url: text::web_address(cells[60]),
    };
    Ok((row, country))
}

fn place(cells: &[&str]) -> Checked<(Option<CountryCode>, Option<Geo>)> {
    let kind: u8 = cells[0].parse().ok().filter(|k| *k <= 5 && cells[0].len() == 1).ok_or(Reject::Geo)?;
    let is_fips = matches!(cells[2].as_bytes(), [b'A'..=b'Z', b'A'..=b'Z' | b'0'..=b'9']);
    let feature = cells[7].strip_prefix('-').unwrap_or(cells[7]);
    if !(cells[2].is_empty() || is_fips) || !is_code(cells[3], 8) || !is_code(feature, 24) {
        return Err(Reject::Geo);
    }
    let country = CountryCode::from_fips(cells[2]);
    let blanks = [cells[5], cells[6]].iter().filter(|c| c.is_empty()).count();
    if blanks == 2 || blanks == 1 && kind == 0 {
        return Ok((country, None));
    }
    let (lat, lon) = number(cells[5], 90.0).zip(number(cells[6], 180.0)).ok_or(Reject::Geo)?;
    let (name, adm1) = (text::name(cells[1]), Text::new(cells[3]));
    Ok((country, (kind > 0).then_some(Geo { kind, name, country, adm1, lat, lon })))
}

fn actor(cells: &[&str]) -> Arc<Actor> {
    let code = |i: usize, longest: usize| Text::new(if is_code(cells[i], longest) { cells[i] } else { "" });
    let (name, country, group) = (text::name(cells[1]), code(2, 3), code(3, 3));
    let roles = (7..10).map(|i| code(i, 3)).filter(|role| !role.is_empty()).collect();
    Arc::new(Actor { code: code(0, 48), name, country, group, roles })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_code(text: &str, longest: usize) -> bool {
    text.len() <= longest && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn whole(text: &str, most: u64) -> Option<u64> {
    text.parse().ok().filter(|n| *n <= most && is_digits(text) && text.len() <= 19)
}

fn date(text: &str) -> Option<Day> {
    let part = |range| text.get(range).filter(|part| is_digits(part) && text.len() == 8)?.parse::<i16>().ok();
    Day::from_ymd(part(0..4)?, part(4..6)? as i8, part(6..8)? as i8)
}

/// As the standard library reads it, between a digit or a minus and a digit.
fn number(text: &str, limit: f64) -> Option<f64> {
    let allowed = text.len() <= 40 && text.bytes().all(|b| b.is_ascii_digit() || b"-+.eE".contains(&b));
    let starts = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let ends = text.ends_with(|c: char| c.is_ascii_digit());
    let value: f64 = text.parse().ok().filter(|_| allowed && starts && ends)?;
    (value.abs() <= limit).then_some(value)
}
