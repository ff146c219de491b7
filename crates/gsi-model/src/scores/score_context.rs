//! A score in its context: its place among the days before it, the last time it was as high, and for how long.
//! Published days and reconstructed days are compared separately.

use crate::{Day, LevelMeaning, Reconstruction, Timestamp, round_half_away};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Kept with the snapshot whose score it describes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreContext {
    /// The place among the days that this service published; `None` before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<DayPlace>,
    /// The place among the days of the reconstruction; `None` in a simulated world that is not compared with the real past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconstructed: Option<DayPlace>,
    /// The method that reconstructed the days, and the digest of the series they are read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineName>,
    /// The meaning of its band, from the days that the list of crises covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<LevelMeaning>,
    /// The sentence that the score does not forecast, with the figures behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<String>,
}

/// Names a reconstructed series that is kept with the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineName {
    pub method_version: String,
    pub digest: String,
}

/// The place of a score among days that ended before its own. Scores are compared as shown, to a tenth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DayPlace {
    /// The first and the last day that it was compared with.
    pub from: Day,
    pub to: Day,
    pub days: u32,
    /// The number of these days with a lower score.
    pub lower: u32,
    /// Published days in a row, up to yesterday, on which it was at least this high; 0 among reconstructed days,
    /// which the published ones do not continue.
    pub run: u32,
    /// The last such run of days before that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_high: Option<HighDays>,
}

/// Days in a row on which a score was at least as high as another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HighDays {
    pub from: Day,
    pub to: Day,
    /// The highest score of these days.
    pub highest: f64,
}

impl HighDays {
    pub fn days(&self) -> u32 {
        (self.to.0 - self.from.0 + 1).max(0) as u32
    }
}

impl DayPlace {
    pub fn share_lower(&self) -> f64 {
        f64::from(self.lower) / f64::from(self.days.max(1))
    }

    /// `days` are in order; those that have not ended before `today` do not count. A missing day ends a run. With
    /// `up_to_now`, days in a row up to yesterday belong to the present run.
    fn among(
        days: impl DoubleEndedIterator<Item = (Day, u16)> + Clone,
        score: u16,
        today: Day,
        up_to_now: bool,
    ) -> Option<Self> {
        let mut before = days.filter(move |(day, _)| *day < today);
        let mut place = DayPlace { from: today, to: today, days: 0, lower: 0, run: 0, last_high: None };
        for (day, then) in before.clone() {
            place.from = place.from.min(day);
            place.to = day;
            place.days += 1;
            place.lower += u32::from(then < score);
        }
        let mut high: Option<(HighDays, u16)> = None;
        let mut in_run = up_to_now;
        while let Some((day, then)) = before.next_back() {
            let as_high = then >= score;
            in_run = in_run && as_high && day == today.plus(-1 - place.run as i32);
            match &mut high {
                _ if in_run => place.run += 1,
                None if as_high => high = Some((HighDays { from: day, to: day, highest: 0.0 }, then)),
                Some((days, highest)) if as_high && day.plus(1) == days.from => {
                    (days.from, *highest) = (day, (*highest).max(then));
                }
                Some(_) => break,
                None => {}
            }
        }
        place.last_high = high.map(|(days, highest)| HighDays { highest: f64::from(highest) / 10.0, ..days });
        (place.days > 0).then_some(place)
    }
}

impl ScoreContext {
    /// `published` are the scores published so far, oldest first. The last score of a day is its close.
    pub fn of(
        score: f64,
        tick: Timestamp,
        published: &[(Timestamp, f64)],
        line: Option<&ReconstructedLine>,
    ) -> ScoreContext {
        let level = line.and_then(|line| line.level(score));
        let (score, today) = (tenths(score), tick.day());
        let mut closes: Vec<(Day, u16)> = Vec::with_capacity(published.len());
        for (at, then) in published {
            match closes.last_mut() {
                Some((day, close)) if *day == at.day() => *close = tenths(*then),
                _ => closes.push((at.day(), tenths(*then))),
            }
        }
        ScoreContext {
            published: DayPlace::among(closes.iter().copied(), score, today, true),
            reconstructed: line.and_then(|line| DayPlace::among(line.days(), score, today, false)),
            line: line.map(ReconstructedLine::name),
            level,
            forecast: line.map(|line| line.forecast.clone()),
        }
    }
}

/// Returns a shown score in tenths.
fn tenths(score: f64) -> u16 {
    (round_half_away(score, 1) * 10.0).round() as u16
}

/// The shown daily composite of a reconstruction, for comparison with a score. Stored with the data under its digest, so
/// that a published comparison can be repeated after the program's reconstruction changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReconstructedLine {
    pub method_version: String,
    pub method_digest: String,
    first: Day,
    /// In tenths; `None` for a day without enough data.
    scores: Vec<Option<u16>>,
    levels: Vec<LevelMeaning>,
    forecast: String,
}

impl ReconstructedLine {
    /// `None` for a reconstruction without a day.
    pub fn of(past: &Reconstruction) -> Option<ReconstructedLine> {
        Some(ReconstructedLine {
            method_version: past.method_version.clone(),
            method_digest: past.method_digest.clone(),
            first: past.days.first()?.day,
            scores: past.days.iter().map(|day| day.composite.score.map(tenths)).collect(),
            levels: past.levels(),
            forecast: past.forecast(),
        })
    }

    pub fn name(&self) -> LineName {
        LineName { method_version: self.method_version.clone(), digest: self.digest() }
    }

    fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for text in [&self.method_version, &self.method_digest, &self.forecast] {
            hash.update(text.as_bytes());
            hash.update([0]);
        }
        hash.update(self.first.0.to_be_bytes());
        for score in &self.scores {
            hash.update(score.unwrap_or(u16::MAX).to_be_bytes());
        }
        for level in &self.levels {
            hash.update(format!("{level:?}").as_bytes());
        }
        data_encoding::HEXLOWER.encode(&hash.finalize()[..16])
    }

    /// The band of a score, without hysteresis.
    fn level(&self, score: f64) -> Option<LevelMeaning> {
        self.levels.iter().rev().find(|level| score >= level.from).copied()
    }

    fn days(&self) -> impl DoubleEndedIterator<Item = (Day, u16)> + Clone + '_ {
        let first = self.first;
        let dated = self.scores.iter().enumerate();
        dated.filter_map(move |(n, score)| Some((first.plus(n as i32), (*score)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Day = Day(1_000);

    /// The place of 50.0 among days that end yesterday; `None` is a day without a score.
    fn place(scores: &[Option<f64>], up_to_now: bool) -> Option<DayPlace> {
        let line = ReconstructedLine {
            method_version: "1".into(),
            method_digest: "0".into(),
            first: TODAY.plus(-(scores.len() as i32)),
            scores: scores.iter().map(|score| score.map(tenths)).collect(),
            levels: Vec::new(),
            forecast: String::new(),
        };
        DayPlace::among(line.days(), 500, TODAY, up_to_now)
    }

    #[test]
    fn the_last_run_of_days_as_high_is_found() {
        let check = |scores: &[Option<f64>], lower: u32, run: u32, last: Option<(i32, i32, f64)>| {
            let got = place(scores, true).unwrap();
            let high = got.last_high.map(|h| (h.from.0 - TODAY.0, h.to.0 - TODAY.0, h.highest));
            assert_eq!((got.lower, got.run, high), (lower, run, last), "{scores:?}");
            assert_eq!(got.days as usize, scores.iter().flatten().count());
        };
        let (low, high, top) = (Some(49.9), Some(50.0), Some(61.2));
        check(&[low, low, low], 3, 0, None);
        check(&[high, top, high, low], 1, 0, Some((-4, -2, 61.2)));
        // The days up to yesterday are the present run, so the last time is the run before.
        check(&[high, low, top, high], 1, 2, Some((-4, -4, 50.0)));
        check(&[high, high], 0, 2, None);
        // A day without a score ends a run: the days before it may have been lower.
        check(&[high, None, high, low], 1, 0, Some((-2, -2, 50.0)));
        check(&[high, None, high], 0, 1, Some((-3, -3, 50.0)));
        // As shown: 49.96 reads 50.0.
        check(&[Some(49.96), low], 1, 0, Some((-2, -2, 50.0)));
        assert_eq!(place(&[None, None], true), None);
        // The present run does not continue reconstructed days.
        let apart = place(&[low, high, high], false).unwrap();
        assert_eq!((apart.run, apart.last_high.map(|h| h.days())), (0, Some(2)));
    }

    #[test]
    fn a_day_is_compared_with_days_before_it_only() {
        let at = |day: i32, hour: i64| Day(day).start().plus(hour * 3_600);
        let published = [
            (at(997, 8), 70.0),
            (at(997, 20), 40.0),
            (at(999, 23), 55.0),
            (at(1_000, 1), 90.0),
            (at(1_000, 2), 50.0),
        ];
        let context = ScoreContext::of(50.0, at(1_000, 2), &published, None);
        let place = context.published.unwrap();
        // A day counts by its close, today's own scores do not count, and there was no 998th day.
        assert_eq!((place.days, place.lower, place.run, place.last_high), (2, 1, 1, None));
        assert_eq!((place.from, place.to), (Day(997), Day(999)));
        assert_eq!((context.reconstructed, context.line), (None, None));
        assert_eq!(ScoreContext::of(50.0, at(1_000, 2), &published[3..], None), ScoreContext::default());
    }

    #[test]
    fn a_series_is_named_by_all_of_its_content() {
        let line = ReconstructedLine {
            method_version: "1".into(),
            method_digest: "0".into(),
            first: Day(10),
            scores: vec![Some(412), None],
            levels: Vec::new(),
            forecast: "It does not.".into(),
        };
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(serde_json::from_str::<ReconstructedLine>(&text).unwrap().name(), line.name());
        let other = |change: &dyn Fn(&mut ReconstructedLine)| {
            let mut other = line.clone();
            change(&mut other);
            assert_ne!(other.name().digest, line.name().digest);
        };
        other(&|line| line.first = Day(11));
        other(&|line| line.scores[1] = Some(0));
        other(&|line| line.method_digest = "1".into());
        other(&|line| line.forecast.clear());
    }
}
