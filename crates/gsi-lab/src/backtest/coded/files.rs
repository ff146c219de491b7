//! Reads coded histories: ICEWS in its two forms, GDELT's daily counts of one country, and coups with their days.
//!
//! The sparse form of ICEWS has only words for actors and relations. The daily releases have words as well as countries and CAMEO codes,
//! so they give the meaning of the words.

use anyhow::{Context, bail};
use flate2::read::GzDecoder;
use gsi_index::backtest::coded::{CodedDays, Onset};
use gsi_model::{CountryCode, Day};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// The sparse file has too few reports before this month.
const DENSE_FROM: &str = "2011-10-01";

/// Deaths in organised violence by country and month, as (year, month).
pub type MonthlyDeaths = BTreeMap<(CountryCode, (i16, i8)), f64>;

pub struct CodedFiles {
    pub sparse: CodedDays,
    pub releases: CodedDays,
    /// India's reports of material conflict, and those with each partner.
    pub india: CodedDays,
    pub india_pairs: CodedDays,
    pub coups: Vec<Onset>,
    pub deaths: MonthlyDeaths,
}

impl CodedFiles {
    pub fn read(folder: &Path) -> anyhow::Result<CodedFiles> {
        let mut words = Words::default();
        let releases =
            read_releases(&folder.join("icews/daily_releases_2018-10_2019-03.tar.gz"), &mut words)?;
        let sparse = read_sparse(&folder.join("icews/icews0515_union.csv.gz"), &words)?;
        let india = read_counts(&folder.join("gdelt1_daily/india_events_daily.csv.gz"), None)?;
        let pairs = folder.join("gdelt1_daily/india_events_dyads.csv.gz");
        let india_pairs = read_counts(&pairs, Some(&india))?;
        let coups = read_coups(&folder.join("outcomes/cline_coup_2.1.2.csv"))?;
        let deaths = read_deaths(&folder.join("outcomes/ucdp_country_month.csv"))?;
        Ok(CodedFiles { sparse, releases, india, india_pairs, coups, deaths })
    }
}

/// The meaning of names and relations, collected from the releases.
#[derive(Default)]
struct Words {
    /// CAMEO root codes.
    relations: BTreeMap<String, u8>,
    /// How often each actor was in each country.
    actors: BTreeMap<String, BTreeMap<CountryCode, u32>>,
}

impl Words {
    fn country_of(&self, actor: &str) -> Option<CountryCode> {
        // `Police (Nigeria)`: the country is in brackets. A country may itself be an actor.
        let inner = actor.strip_suffix(')').and_then(|a| a.rsplit_once('(')).map_or(actor, |(_, c)| c);
        let seen = || self.actors.get(actor)?.iter().max_by_key(|(_, n)| **n).map(|(country, _)| *country);
        by_name(inner).or_else(seen)
    }
}

/// Names of countries in ICEWS that differ from ours.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("Russian Federation", "RU"),
    ("Occupied Palestinian Territory", "PS"),
    ("Czech Republic", "CZ"),
    ("Cote d'Ivoire", "CI"),
    ("Democratic Republic of Congo", "CD"),
    ("Democratic Republic of the Congo", "CD"),
    ("Netherlands", "NL"),
    ("Holy See", "VA"),
    ("the former Yugoslav Republic of Macedonia", "MK"),
    ("Congo", "CG"),
    ("Moldova, Republic of", "MD"),
    ("Swaziland", "SZ"),
    ("Cape Verde", "CV"),
    ("Timor-Leste", "TL"),
];

fn by_name(name: &str) -> Option<CountryCode> {
    use std::sync::LazyLock;
    static NAMES: LazyLock<BTreeMap<String, CountryCode>> = LazyLock::new(|| {
        let ours = CountryCode::all().into_iter().map(|code| (code.name().to_owned(), code));
        let other = OTHER_NAMES
            .into_iter()
            .filter_map(|(name, code)| Some((name.to_owned(), CountryCode::from_iso2(code)?)));
        ours.chain(other).collect()
    });
    NAMES.get(name).copied()
}

fn open(path: &Path) -> anyhow::Result<BufReader<GzDecoder<File>>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(BufReader::new(GzDecoder::new(file)))
}

fn is_violent(root: u8) -> bool {
    matches!(root, 18..=20)
}

/// Reads one tab-separated file for each day, with places. The day of the file is the day of its publication.
fn read_releases(path: &Path, words: &mut Words) -> anyhow::Result<CodedDays> {
    let mut days = CodedDays::new();
    let mut archive = tar::Archive::new(open(path)?);
    for entry in archive.entries()? {
        let entry = entry?;
        let name: PathBuf = entry.path()?.into_owned();
        let name = name.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(day) = name.get(..8).filter(|_| name.ends_with(".tab")).and_then(compact_day) else {
            continue;
        };
        read_release(entry, day, &mut days, words).with_context(|| name.clone())?;
    }
    if days.is_empty() {
        bail!("{} has no release", path.display());
    }
    Ok(days)
}

fn read_release(file: impl Read, day: Day, days: &mut CodedDays, words: &mut Words) -> anyhow::Result<()> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(b'\t').quoting(false).flexible(true).from_reader(file);
    let columns = ["Source Name", "Source Country", "Event Text", "CAMEO Code", "Country"];
    let at = positions(&reader.byte_headers()?.clone(), &columns)?;
    let coded = days.entry(day).or_default();
    let mut row = csv::ByteRecord::new();
    while reader.read_byte_record(&mut row)? {
        let cell = |i: usize| String::from_utf8_lossy(row.get(at[i]).unwrap_or_default()).trim().to_owned();
        let Some(root) = cell(3).get(..2).and_then(|code| code.parse::<u8>().ok()) else { continue };
        coded.reports += 1.0;
        words.relations.insert(cell(2), root);
        if let Some(country) = by_name(&cell(1)) {
            *words.actors.entry(cell(0)).or_default().entry(country).or_default() += 1;
        }
        if let Some(country) = by_name(&cell(4)) {
            *coded.attention.entry(country).or_default() += 1.0;
            if is_violent(root) {
                *coded.violent.entry(country).or_default() += 1.0;
            }
        }
    }
    Ok(())
}

/// Reads `date,subject,relation,object,sets`. There are no places, so a report counts for the countries of both sides.
fn read_sparse(path: &Path, words: &Words) -> anyhow::Result<CodedDays> {
    let mut reader = csv::Reader::from_reader(open(path)?);
    let at = positions(&reader.byte_headers()?.clone(), &["date", "subject", "relation", "object"])?;
    let mut days = CodedDays::new();
    for row in reader.records() {
        let row = row?;
        let cell = |i: usize| row.get(at[i]).unwrap_or_default();
        // The home of an actor is not an event.
        if cell(0) < DENSE_FROM || cell(2) == "locatedin" {
            continue;
        }
        let Some(day) = Day::parse_iso(cell(0)) else { bail!("{:?} is not a day", cell(0)) };
        let coded = days.entry(day).or_default();
        coded.reports += 1.0;
        let mut sides: Vec<CountryCode> =
            [cell(1), cell(3)].into_iter().filter_map(|actor| words.country_of(actor)).collect();
        sides.dedup();
        let violent = words.relations.get(cell(2)).is_some_and(|root| is_violent(*root));
        for country in sides {
            *coded.attention.entry(country).or_default() += 1.0;
            if violent {
                *coded.violent.entry(country).or_default() += 1.0;
            }
        }
    }
    Ok(days)
}

/// Reads the daily counts of one country, with the world's totals. With `totals`, reads counts by partner.
fn read_counts(path: &Path, totals: Option<&CodedDays>) -> anyhow::Result<CodedDays> {
    let mut reader = csv::Reader::from_reader(open(path)?);
    let columns = if totals.is_some() {
        ["date", "partner", "n_conflict"]
    } else {
        ["date", "n_global", "n_material_conflict"]
    };
    let at = positions(&reader.byte_headers()?.clone(), &columns)?;
    let mut days: CodedDays = CodedDays::new();
    // Days without a named partner count as well.
    for (day, total) in totals.into_iter().flatten() {
        days.entry(*day).or_default().reports = total.reports;
    }
    for row in reader.records() {
        let row = row?;
        let cell = |i: usize| row.get(at[i]).unwrap_or_default();
        let Some(day) = Day::parse_iso(cell(0)) else { bail!("{:?} is not a day", cell(0)) };
        let count: f64 = cell(2).parse().with_context(|| format!("{:?} is not a count", cell(2)))?;
        let coded = days.entry(day).or_default();
        let country = match totals {
            Some(_) => CountryCode::from_iso3(cell(1)),
            None => {
                coded.reports = cell(1).parse().with_context(|| format!("{:?} is not a count", cell(1)))?;
                CountryCode::from_iso2("IN")
            }
        };
        if let Some(country) = country {
            coded.violent.insert(country, count);
        }
    }
    Ok(days)
}

/// Reads coups and attempts, without alleged plots.
fn read_coups(path: &Path) -> anyhow::Result<Vec<Onset>> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    let at = positions(&reader.byte_headers()?.clone(), &["country", "year", "month", "day", "event_type"])?;
    let mut coups = Vec::new();
    for row in reader.records() {
        let row = row?;
        let cell = |i: usize| row.get(at[i]).unwrap_or_default().trim();
        let number = |i: usize| cell(i).parse::<i16>().ok();
        let day = number(1)
            .zip(number(2))
            .zip(number(3))
            .and_then(|((y, m), d)| Day::from_ymd(y, i8::try_from(m).ok()?, i8::try_from(d).ok()?));
        if let Some(day) = day.filter(|_| matches!(cell(4), "coup" | "attempted")) {
            let what = if cell(4) == "coup" { "coup" } else { "attempted coup" };
            coups.push(Onset { name: format!("{}, {what}", cell(0)), day, country: by_name(cell(0)) });
        }
    }
    coups.sort_by_key(|c| c.day);
    Ok(coups)
}

/// Reads `isocode,period,fatalities_UCDP`, with ISO alpha-3 codes and months such as 201001.
fn read_deaths(path: &Path) -> anyhow::Result<MonthlyDeaths> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    let at = positions(&reader.byte_headers()?.clone(), &["isocode", "period", "fatalities_UCDP"])?;
    let mut deaths = BTreeMap::new();
    for row in reader.records() {
        let row = row?;
        let cell = |i: usize| row.get(at[i]).unwrap_or_default().trim();
        let month = cell(1).get(..4).zip(cell(1).get(4..));
        let month = month.and_then(|(y, m)| Some((y.parse::<i16>().ok()?, m.parse::<i8>().ok()?)));
        if let (Some(country), Some(month), Ok(n)) = (CountryCode::from_iso3(cell(0)), month, cell(2).parse())
        {
            deaths.insert((country, month), n);
        }
    }
    Ok(deaths)
}

fn positions<const N: usize>(header: &csv::ByteRecord, names: &[&str; N]) -> anyhow::Result<[usize; N]> {
    let mut found = [0; N];
    for (at, name) in found.iter_mut().zip(names) {
        *at =
            header.iter().position(|h| h == name.as_bytes()).with_context(|| format!("no column {name}"))?;
    }
    Ok(found)
}

fn compact_day(text: &str) -> Option<Day> {
    let plain = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| Day::parse_iso(&format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]))).flatten()
}
