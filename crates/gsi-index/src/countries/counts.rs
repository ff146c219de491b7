//! Counts by country: deaths, outages, alerts, claims. A country without a row had none, on days that the publisher
//! has counted at all. Days that it has not counted are unknown: they are neither zero nor lower.

use super::catalogue::CountryFormula;
use crate::series::table::SeriesTable;
use gsi_model::{CountryCode, DAY, Timestamp};

/// The value of a formula over counts at `tick`, with the end of the newest counted period. `None` for another
/// formula, before the publisher has counted anything, and for counts that never include this country.
pub(super) fn read(
    formula: &CountryFormula,
    table: &SeriesTable,
    country: CountryCode,
    tick: Timestamp,
) -> Option<(f64, i64)> {
    let newest = |covered_by: &str| Some(table.latest(covered_by, "", tick)?.period_end.unix());
    let rows = |series: &str, entity: &str, span: (i64, i64)| -> (usize, f64) {
        let Some(column) = table.column(series, entity) else { return (0, 0.0) };
        let known = column.known_between(span, tick.unix());
        known.fold((0, 0.0), |(n, total), row| (n + 1, total + row.value))
    };
    let total = |series: &str, span: (i64, i64)| rows(series, country.as_str(), span).1;
    let counted = |covered_by: &str, span: (i64, i64)| rows(covered_by, "", span).0 as f64;
    match formula {
        CountryFormula::WindowSum { series, covered_by, days } => {
            let end = newest(covered_by)?;
            let window = (end - i64::from(*days) * DAY, end);
            // A day that was not counted counts as the mean of the others and not as zero.
            Some((total(series, window) * f64::from(*days) / counted(covered_by, window), end))
        }
        CountryFormula::Departure {
            series,
            covered_by,
            period_days,
            days,
            usual_days,
            min_days,
            offset,
            falls,
        } => {
            let end = newest(covered_by)?;
            let turn = end - i64::from(*days) * DAY;
            // A series that began within the usual days is judged by the days it has, if they are enough.
            let from = (turn - i64::from(*usual_days) * DAY).max(first_counted(table, series, tick)?);
            let counted_days = |span| counted(covered_by, span) * f64::from(*period_days);
            let usual_days = counted_days((from, turn));
            if usual_days < f64::from(*min_days) {
                return None;
            }
            let (now, usual) = (total(series, (turn, end)), total(series, (from, turn)));
            if now <= 0.0 && usual <= 0.0 {
                return None;
            }
            let (now, usual) = (now / counted_days((turn, end)), usual / usual_days);
            let rise = libm::log((now + offset) / (usual + offset));
            Some((if *falls { -rise } else { rise }, end))
        }
        _ => None,
    }
}

/// The end of a series' first period of any country: after it, its counts are complete.
fn first_counted(table: &SeriesTable, series: &str, tick: Timestamp) -> Option<i64> {
    let first = table.entities(series).filter_map(|(_, column)| column.rows().first());
    first.filter(|row| row.known_at() <= tick.unix()).map(|row| row.end()).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{Day, FeedId, Observation};

    const FIRST: Day = Day(20_000);
    const DAYS: i32 = 120;

    fn departure(falls: bool) -> CountryFormula {
        let (series, covered_by) = ("x.by_country".to_owned(), "x.all".to_owned());
        CountryFormula::Departure {
            series,
            covered_by,
            period_days: 1,
            days: 14,
            usual_days: 90,
            min_days: 60,
            offset: 0.1,
            falls,
        }
    }

    /// A publisher that counts the world on every day, and one country by `a_day` from `begin` on.
    fn table(begin: i32, a_day: &dyn Fn(i32) -> f64) -> (SeriesTable, Timestamp) {
        table_without(&[], begin, a_day)
    }

    /// The same with days that were never counted.
    fn table_without(missing: &[i32], begin: i32, a_day: &dyn Fn(i32) -> f64) -> (SeriesTable, Timestamp) {
        let mut table = SeriesTable::new();
        for n in (0..DAYS).filter(|n| !missing.contains(n)) {
            let day = FIRST.plus(n);
            let mut insert = |series: &str, entity: &str, value: f64| {
                table.insert(&Observation {
                    series: series.into(),
                    entity: entity.into(),
                    period_start: day.start(),
                    period_end: day.end(),
                    value,
                    known_at: day.end(),
                    ingested_at: day.end(),
                    revision: 0,
                    quality: 1.0,
                    feed: FeedId::new("x"),
                    raw: String::new(),
                });
            };
            insert("x.all", "", 50.0);
            if n >= begin {
                insert("x.by_country", "FR", a_day(n));
            }
        }
        (table, FIRST.plus(DAYS).start())
    }

    fn value(falls: bool, country: &str, (table, tick): &(SeriesTable, Timestamp)) -> Option<f64> {
        let country = CountryCode::from_iso2(country).unwrap();
        read(&departure(falls), table, country, *tick).map(|(value, _)| value)
    }

    #[test]
    fn a_departure_is_from_the_countrys_own_days() {
        let steady = table(0, &|_| 2.0);
        assert!(value(false, "FR", &steady).unwrap().abs() < 1e-12);
        assert_eq!(value(false, "DE", &steady), None, "never counted there");
        let wave = table(0, &|n| if n >= DAYS - 14 { 6.0 } else { 2.0 });
        let rise = value(false, "FR", &wave).unwrap();
        assert!((rise - (6.1f64 / 2.1).ln()).abs() < 1e-12, "{rise}");
        assert_eq!(value(true, "FR", &wave), Some(-rise), "where falls count, a rise is below zero");
        // A count by country that began lately has no usual level, however high it is.
        assert_eq!(value(false, "FR", &table(DAYS - 60, &|_| 9.0)), None);
        let begun = value(false, "FR", &table(DAYS - 80, &|_| 2.0)).unwrap();
        assert!(begun.abs() < 1e-12, "what there is of it is compared: {begun}");
    }

    #[test]
    fn days_that_were_not_counted_change_nothing() {
        let lost: Vec<i32> = (DAYS - 12..DAYS - 4).chain(40..70).collect();
        let (whole, holed) = (table(0, &|_| 2.0), table_without(&lost, 0, &|_| 2.0));
        for falls in [false, true] {
            assert_eq!(value(falls, "FR", &holed), value(falls, "FR", &whole), "falls: {falls}");
        }
        let sum = CountryFormula::WindowSum {
            series: "x.by_country".to_owned(),
            covered_by: "x.all".to_owned(),
            days: 14,
        };
        let france = CountryCode::from_iso2("FR").unwrap();
        for (table, tick) in [&whole, &holed] {
            let (total, end) = read(&sum, table, france, *tick).unwrap();
            assert!((total - 28.0).abs() < 1e-12 && end == tick.unix(), "{total}");
        }
        // Too few of the usual days were counted, though they span enough time.
        let sparse: Vec<i32> = (20..100).filter(|n| n % 2 == 0).collect();
        assert_eq!(value(false, "FR", &table_without(&sparse, 0, &|_| 2.0)), None);
    }
}
