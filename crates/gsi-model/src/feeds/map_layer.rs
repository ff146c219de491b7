//! Map layers of feeds: a layer, declared by its feed, and the marks computed from observations.

use crate::{CountryCode, Day, Observation, Timestamp};
use std::collections::BTreeMap;

closed_set! {
    /// A layer of the map.
    LayerKey {
        Outages = "outages",
        Chokepoints = "chokepoints",
        Quakes = "quakes",
        Disasters = "disasters",
    }
}

/// One kind of thing on the map, all of it from one feed.
#[derive(Clone, Debug, PartialEq)]
pub struct MapLayer {
    pub key: LayerKey,
    pub title: &'static str,
    /// The meaning of a mark's value, in a sentence.
    pub about: &'static str,
    pub feed: &'static str,
    pub unit: &'static str,
    /// Decimal places that a value is shown with.
    pub decimals: u32,
    pub places: LayerPlaces,
    /// By rising `from`; a value has the last severity whose `from` it reaches.
    pub severities: &'static [LayerSeverity],
    /// The layer is out of date once the newest day ended more than this many seconds ago.
    pub stale_after_seconds: i64,
}

/// How marks are computed from series.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerPlaces {
    /// Fixed places, each with its own series. A mark is the mean of the last week in percent of the normal level,
    /// which is the median of the 52 weeks before it.
    Fixed(&'static [LayerPlace]),
    /// A value for each country, on the newest day of `days`. That series has a value for every day that was
    /// examined, so a country without one on such a day had nothing to report.
    Countries { series: &'static str, days: &'static str },
    /// Happenings, each an entity with three series.
    Happenings(Happenings),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerPlace {
    pub id: &'static str,
    pub name: &'static str,
    pub latitude: f64,
    pub longitude: f64,
    pub series: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Happenings {
    pub value: &'static str,
    pub latitude: &'static str,
    pub longitude: &'static str,
    /// Has a value for every day that was examined, with or without happenings.
    pub days: &'static str,
    /// Smaller values are not shown. They are stored all the same, so that a correction downwards removes a mark.
    pub least: f64,
    /// How many days a mark stays, today included.
    pub shown_days: i32,
    /// Names of happenings by the prefix of their entity.
    pub names: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerSeverity {
    pub from: f64,
    pub word: &'static str,
    /// From 0, ordinary, to 3, the gravest.
    pub level: u8,
}

/// One place, country or happening that a layer shows.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerMark {
    pub id: String,
    pub name: String,
    pub country: Option<CountryCode>,
    /// Latitude and longitude; `None` where the country is the place.
    pub position: Option<(f64, f64)>,
    pub value: f64,
    /// The day of the value, or the last of several.
    pub day: Day,
    pub severity: LayerSeverity,
}

/// A layer as known at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerReading {
    /// The newest day with data; `None` without any.
    pub newest_day: Option<Day>,
    /// The gravest first, then by id.
    pub marks: Vec<LayerMark>,
}

closed_set! {
    /// How far a layer can be relied on.
    #[cfg_attr(feature = "schema", schema(as = LayerStatusWord))]
    LayerStatus {
        /// Unmarked places had nothing to report, as far as the feed covers them.
        Ok = "ok",
        /// The newest day is older than the layer's budget.
        Stale = "stale",
        /// There is no data, so missing marks mean nothing.
        NoData = "no_data",
    }
}

const WEEK_DAYS: i32 = 7;
/// A mean needs at least this many days of the week.
const LEAST_WEEK_DAYS: usize = 4;
/// 52 weeks, so that every weekday counts alike.
const NORMAL_DAYS: i32 = 364;
const LEAST_NORMAL_DAYS: usize = 90;
/// The number of last days in which the newest value of a place is searched.
const NEWEST_WITHIN_DAYS: i32 = 60;
/// The same for countries.
const COUNTRIES_WITHIN_DAYS: i32 = 30;

/// The newest revision of each period of one series and entity.
type Periods<'a> = BTreeMap<Day, &'a Observation>;

impl MapLayer {
    /// Returns all series that its marks are computed from.
    pub fn series(&self) -> Vec<&'static str> {
        match &self.places {
            LayerPlaces::Fixed(places) => places.iter().map(|place| place.series).collect(),
            LayerPlaces::Countries { series, days } => vec![series, days],
            LayerPlaces::Happenings(h) => vec![h.value, h.latitude, h.longitude, h.days],
        }
    }

    /// Returns the time before `at` up to which ended periods do not matter.
    pub fn needs_after(&self, at: Timestamp) -> Timestamp {
        let days = match &self.places {
            LayerPlaces::Fixed(_) => NEWEST_WITHIN_DAYS + WEEK_DAYS + NORMAL_DAYS,
            LayerPlaces::Countries { .. } => COUNTRIES_WITHIN_DAYS,
            LayerPlaces::Happenings(h) => h.shown_days,
        };
        at.day().plus(-days).end()
    }

    /// Computes the layer from the observations of its series that were known at `at`. Of several revisions the last
    /// counts.
    pub fn read(&self, observations: &[Observation], at: Timestamp) -> LayerReading {
        let known = KnownPeriods::from_observations(observations, self.needs_after(at), at);
        let (newest_day, mut marks) = match &self.places {
            LayerPlaces::Fixed(places) => self.read_places(places, &known),
            LayerPlaces::Countries { series, days } => self.read_countries(series, days, &known),
            LayerPlaces::Happenings(happenings) => self.read_happenings(happenings, &known),
        };
        marks.sort_by(|a, b| b.severity.level.cmp(&a.severity.level).then_with(|| a.id.cmp(&b.id)));
        LayerReading { newest_day, marks }
    }

    fn read_places(&self, places: &[LayerPlace], known: &KnownPeriods<'_>) -> (Option<Day>, Vec<LayerMark>) {
        let mut newest_day = None;
        let mut marks = Vec::new();
        for place in places {
            let Some(periods) = known.get(place.series, "") else { continue };
            newest_day = newest_day.max(periods.keys().next_back().copied());
            let Some((value, day)) = percent_of_normal(periods) else { continue };
            marks.extend(self.severity(value).map(|severity| LayerMark {
                id: place.id.to_owned(),
                name: place.name.to_owned(),
                country: None,
                position: Some((place.latitude, place.longitude)),
                value,
                day,
                severity,
            }));
        }
        (newest_day, marks)
    }

    fn read_countries(
        &self,
        series: &str,
        days: &str,
        known: &KnownPeriods<'_>,
    ) -> (Option<Day>, Vec<LayerMark>) {
        let Some(newest) = known.newest_day(days) else { return (None, Vec::new()) };
        let mark = |(entity, periods): (&str, &Periods<'_>)| {
            let (country, value) = (CountryCode::from_iso2(entity)?, periods.get(&newest)?.value);
            let severity = self.severity(value).filter(|_| value > 0.0)?;
            let (id, name) = (country.to_string(), country.name().to_owned());
            Some(LayerMark { id, name, country: Some(country), position: None, value, day: newest, severity })
        };
        (Some(newest), known.entities(series).filter_map(mark).collect())
    }

    fn read_happenings(&self, h: &Happenings, known: &KnownPeriods<'_>) -> (Option<Day>, Vec<LayerMark>) {
        let mark = |(entity, values): (&str, &Periods<'_>)| {
            // A corrected time may have moved a happening to another day; the latest known position counts.
            let (day, value) = values.iter().max_by_key(|(day, o)| (o.known_at, **day))?;
            let (day, value) = (*day, value.value);
            let of_that_day = |series: &str| Some(known.get(series, entity)?.get(&day)?.value);
            let position = (of_that_day(h.latitude)?, of_that_day(h.longitude)?);
            let severity = self.severity(value).filter(|_| value >= h.least)?;
            let name =
                h.names.iter().find(|(begin, _)| entity.starts_with(begin)).map_or("", |(_, name)| name);
            let (id, name) = (entity.to_owned(), name.to_owned());
            Some(LayerMark { id, name, country: None, position: Some(position), value, day, severity })
        };
        let marks: Vec<LayerMark> = known.entities(h.value).filter_map(mark).collect();
        (known.newest_day(h.days), marks)
    }

    fn severity(&self, value: f64) -> Option<LayerSeverity> {
        self.severities.iter().rev().find(|severity| value >= severity.from).copied()
    }

    pub fn status(&self, reading: &LayerReading, at: Timestamp) -> LayerStatus {
        match reading.newest_day {
            None => LayerStatus::NoData,
            Some(day) if at.since(day.end()) > self.stale_after_seconds => LayerStatus::Stale,
            Some(_) => LayerStatus::Ok,
        }
    }
}

/// Observations by series and entity, each period with its newest revision.
struct KnownPeriods<'a>(BTreeMap<&'a str, BTreeMap<&'a str, Periods<'a>>>);

impl<'a> KnownPeriods<'a> {
    fn from_observations(observations: &'a [Observation], after: Timestamp, at: Timestamp) -> Self {
        let mut known = KnownPeriods(BTreeMap::new());
        for o in observations.iter().filter(|o| o.period_end > after && o.known_at <= at) {
            let entities = known.0.entry(o.series.as_str()).or_default();
            let newest =
                entities.entry(o.entity.as_str()).or_default().entry(o.period_start.day()).or_insert(o);
            if newest.revision <= o.revision {
                *newest = o;
            }
        }
        known
    }

    fn get(&self, series: &str, entity: &str) -> Option<&Periods<'a>> {
        self.0.get(series)?.get(entity)
    }

    fn entities(&self, series: &str) -> impl Iterator<Item = (&'a str, &Periods<'a>)> {
        self.0.get(series).into_iter().flatten().map(|(entity, periods)| (*entity, periods))
    }

    fn newest_day(&self, series: &str) -> Option<Day> {
        self.get(series, "")?.keys().next_back().copied()
    }
}

/// The last week in percent of normal, and its last day; `None` without enough days of either.
fn percent_of_normal(periods: &Periods<'_>) -> Option<(f64, Day)> {
    let newest = *periods.keys().next_back()?;
    let week_began = newest.plus(1 - WEEK_DAYS);
    let values = |from: Day, to: Day| -> Vec<f64> { periods.range(from..to).map(|(_, o)| o.value).collect() };
    let week = values(week_began, newest.plus(1));
    let before = values(week_began.plus(-NORMAL_DAYS), week_began);
    if week.len() < LEAST_WEEK_DAYS || before.len() < LEAST_NORMAL_DAYS {
        return None;
    }
    let mean = week.iter().sum::<f64>() / week.len() as f64;
    let normal = median(before);
    (normal > 0.0).then(|| (100.0 * mean / normal, newest))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DAY, FeedId};

    const USUAL: LayerSeverity = LayerSeverity { from: 0.0, word: "usual", level: 0 };
    const GRAVE: LayerSeverity = LayerSeverity { from: 50.0, word: "grave", level: 2 };

    fn layer(places: LayerPlaces) -> MapLayer {
        MapLayer {
            key: LayerKey::Disasters,
            title: "Things",
            about: "A thing.",
            feed: "f",
            unit: "percent",
            decimals: 0,
            places,
            severities: &[USUAL, GRAVE],
            stale_after_seconds: 3 * DAY,
        }
    }

    fn at() -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }

    /// A value of a day before or after today, known at the end of the day or, for today, now.
    fn row(series: &str, entity: &str, days_ago: i32, value: f64) -> Observation {
        let day = at().day().plus(-days_ago);
        Observation {
            series: series.to_owned(),
            entity: entity.to_owned(),
            period_start: day.start(),
            period_end: day.end(),
            value,
            known_at: day.end().min(at()),
            ingested_at: at(),
            revision: 0,
            quality: 1.0,
            feed: FeedId::new("f"),
            raw: String::new(),
        }
    }

    fn lines(reading: &LayerReading) -> Vec<String> {
        reading.marks.iter().map(|m| format!("{} {} {}", m.id, m.value, m.severity.word)).collect()
    }

    #[test]
    fn a_week_against_normal() {
        static PLACES: [LayerPlace; 1] =
            [LayerPlace { id: "p", name: "Place", latitude: 1.0, longitude: 2.0, series: "p" }];
        let layer = layer(LayerPlaces::Fixed(&PLACES));
        let check = |week: &[i32], before: std::ops::Range<i32>, want: &[&str]| {
            let mut rows: Vec<_> = before.map(|ago| row("p", "", ago, 20.0)).collect();
            rows.extend(week.iter().map(|ago| row("p", "", *ago, 12.0)));
            assert_eq!(lines(&layer.read(&rows, at())), want, "{week:?}");
        };
        check(&[10, 11, 12, 13, 14, 15, 16], 17..381, &["p 60 grave"]);
        check(&[10, 12, 14, 16], 17..107, &["p 60 grave"]);
        // Too few days in the week, or before it.
        check(&[10, 12, 14], 17..107, &[]);
        check(&[10, 12, 14, 16], 17..106, &[]);
        // Values older than 52 weeks before the week are not part of the normal level.
        let mut rows: Vec<_> = (17..381).map(|ago| row("p", "", ago, 20.0)).collect();
        rows.extend((381..420).map(|ago| row("p", "", ago, 9_000.0)));
        rows.extend((10..17).map(|ago| row("p", "", ago, 10.0)));
        assert_eq!(lines(&layer.read(&rows, at())), ["p 50 grave"]);
        // A place without any normal traffic has no mark.
        let still: Vec<_> = (10..200).map(|ago| row("p", "", ago, 0.0)).collect();
        let reading = layer.read(&still, at());
        assert_eq!((lines(&reading).len(), reading.newest_day), (0, Some(at().day().plus(-10))));
        assert_eq!(layer.status(&reading, at()), LayerStatus::Stale);
    }

    #[test]
    fn countries_of_the_newest_day() {
        let layer = layer(LayerPlaces::Countries { series: "by", days: "all" });
        let check = |rows: &[Observation], status: LayerStatus, want: &[&str]| {
            let reading = layer.read(rows, at());
            assert_eq!(lines(&reading), want);
            assert_eq!(layer.status(&reading, at()), status);
        };
        check(&[], LayerStatus::NoData, &[]);
        // A country's value alone does not show that the day was examined.
        check(&[row("by", "DE", 1, 60.0)], LayerStatus::NoData, &[]);
        let rows = [
            row("all", "", 2, 1.0),
            row("all", "", 1, 1.0),
            row("by", "DE", 2, 60.0),
            row("by", "FR", 1, 10.0),
            row("by", "IR", 1, 70.0),
            row("by", "JP", 1, 0.0),
            row("by", "Atlantis", 1, 99.0),
        ];
        check(&rows, LayerStatus::Ok, &["IR 70 grave", "FR 10 usual"]);
        // The day after was quiet everywhere.
        check(&[&rows[..], &[row("all", "", 0, 0.0)]].concat(), LayerStatus::Ok, &[]);
        check(&[row("all", "", 4, 1.0), row("by", "DE", 4, 60.0)], LayerStatus::Stale, &["DE 60 grave"]);
    }

    fn happenings() -> MapLayer {
        layer(LayerPlaces::Happenings(Happenings {
            value: "v",
            latitude: "lat",
            longitude: "lon",
            days: "all",
            least: 5.0,
            shown_days: 7,
            names: &[("TC", "Cyclone"), ("", "Other")],
        }))
    }

    fn happening(entity: &str, days_ago: i32, value: f64) -> Vec<Observation> {
        [("v", value), ("lat", 10.0), ("lon", -20.0)]
            .map(|(series, value)| row(series, entity, days_ago, value))
            .to_vec()
    }

    #[test]
    fn happenings_of_the_last_days() {
        let layer = happenings();
        let rows = [
            happening("TC1", 0, 60.0),
            happening("EQ2", 6, 5.0),
            happening("old", 7, 60.0),
            happening("small", 1, 4.9),
            happening("nowhere", 1, 60.0)[..2].to_vec(),
            vec![row("all", "", 1, 2.0)],
        ]
        .concat();
        let reading = layer.read(&rows, at());
        assert_eq!(lines(&reading), ["TC1 60 grave", "EQ2 5 usual"]);
        let names: Vec<_> = reading.marks.iter().map(|m| (m.name.as_str(), m.position)).collect();
        assert_eq!(names, [("Cyclone", Some((10.0, -20.0))), ("Other", Some((10.0, -20.0)))]);
        assert_eq!(layer.status(&reading, at()), LayerStatus::Ok);
        assert_eq!(layer.status(&layer.read(&happening("TC1", 0, 60.0), at()), at()), LayerStatus::NoData);
    }

    #[test]
    fn corrections_count_from_when_they_were_known() {
        let layer = happenings();
        let later = |mut rows: Vec<Observation>, hours: i64, revision: u32| {
            for o in &mut rows {
                (o.known_at, o.revision) = (o.known_at.plus(hours * 3_600), revision);
            }
            rows
        };
        let corrected = |rows: Vec<Observation>| [happening("q", 2, 60.0), rows].concat();
        let now = |rows: &[Observation]| lines(&layer.read(rows, at()));
        assert_eq!(now(&corrected(later(happening("q", 2, 55.0), 6, 1))), ["q 55 grave"]);
        assert_eq!(now(&corrected(later(happening("q", 2, 4.0), 6, 1))), [""; 0]);
        // Corrected to another day: one happening, one mark.
        assert_eq!(now(&corrected(later(happening("q", 3, 55.0), 48, 0))), ["q 55 grave"]);
        assert_eq!(now(&corrected(later(happening("q", 2, 4.0), 48, 1))), ["q 60 grave"], "not known yet");
    }
}
