//! A feed's past, file by file: what an explicit backfill asks for, newest first.
//!
//! Feeds whose ordinary files carry their history have no pieces here; looking at them once is their backfill.

use crate::files::Source;
use crate::{Connector, Fetcher, Payload};
use gsi_model::Timestamp;
use gsi_model::{DAY, Day, Decoded, Refusal, TICK};

/// The files that cover the days from `from` to `to`, both included. `None`: the ordinary files carry the history.
pub fn pieces(feed: &str, from: Day, to: Day) -> Option<Vec<Source>> {
    let days = || (from.0..=to.0).rev().map(Day);
    Some(match feed {
        "gdelt" => {
            let per_day = DAY / TICK;
            days()
                .flat_map(|d| (0..per_day).rev().map(move |k| d.start().plus(k * TICK)))
                .map(crate::gdelt::source)
                .collect()
        }
        "ioda" => days().map(crate::ioda::day).collect(),
        "gdelt_daily" => days().map(crate::gdelt_daily::day_file).collect(),
        "gdelt_doc" => crate::gdelt_doc::pieces(from, to),
        "epss" => days().map(crate::epss::day).collect(),
        "nvd" => days().map(|day| crate::nvd::page(day, "")).collect(),
        "ransomware" => months(from, to).into_iter().map(|(y, m)| crate::ransomware::month(y, m)).collect(),
        "treasury" => (from.ymd().0..=to.ymd().0).rev().map(crate::treasury::year).collect(),
        _ => return None,
    })
}

/// The quarter-hourly news file of this stamp.
pub fn news_file(stamp: Timestamp) -> Source {
    crate::gdelt::source(stamp)
}

/// Every month that the days touch, newest first.
fn months(from: Day, to: Day) -> Vec<(i32, i32)> {
    let index = |day: Day| {
        let (year, month, _) = day.ymd();
        i32::from(year) * 12 + i32::from(month) - 1
    };
    (index(from)..=index(to)).rev().map(|n| (n / 12, n % 12 + 1)).collect()
}

/// Fetches and decodes one piece, by whichever of its addresses answers.
pub async fn fetch(
    connector: &dyn Connector,
    fetcher: &Fetcher,
    piece: &Source,
    now: Timestamp,
) -> Result<Decoded, Refusal> {
    let mut first = None;
    for url in &piece.urls {
        let outcome = fetcher.get(&piece.request(connector.origin().feed, url, now)).await;
        let decoded = outcome.and_then(|fetched| {
            connector.decode(&Payload {
                name: &piece.name,
                bytes: &fetched.bytes,
                fetched_at: now,
                last_modified: fetched.modified_at,
            })
        });
        match decoded {
            Ok(decoded) => return Ok(decoded),
            Err(refusal) => {
                first.get_or_insert(refusal);
            }
        }
    }
    Err(first.unwrap_or_else(|| Refusal::new(crate::refusal::MANIFEST, "no address to ask")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_days_newest_first() {
        let day = |text: &str| Day::parse_iso(text).unwrap();
        let names = |feed: &str, from: &str, to: &str| -> Vec<String> {
            pieces(feed, day(from), day(to)).unwrap().into_iter().map(|s| s.name).collect()
        };
        let news = names("gdelt", "2026-11-12", "2026-11-13");
        assert_eq!((news.len(), news[0].as_str()), (192, "20261113234500.export.CSV.zip"));
        assert_eq!(news[191], "20261112000000.export.CSV.zip");
        assert_eq!(
            names("ransomware", "2025-12-30", "2026-02-01"),
            ["2026-02.json", "2026-01.json", "2025-12.json"]
        );
        assert_eq!(names("treasury", "2024-06-01", "2026-01-01").len(), 3);
        assert_eq!(names("ioda", "2026-11-12", "2026-11-13"), ["2026-11-13.json", "2026-11-12.json"]);
        assert!(pieces("ofr", day("2026-11-12"), day("2026-11-13")).is_none());
    }
}
