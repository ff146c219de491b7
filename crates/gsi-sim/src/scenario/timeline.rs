//! A scenario's effects at any moment of a world.

use super::{Effect, Scenario, SeriesEffect, Span};
use crate::server::Fault;
use gsi_model::Timestamp;

/// A scenario's effects with their dates.
#[derive(Clone, Debug)]
pub struct Timeline {
    effects: Vec<(Schedule, Effect)>,
}

/// When an effect acts.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    from: Timestamp,
    until: Timestamp,
    ramp_seconds: i64,
    fade_seconds: i64,
}

impl Schedule {
    /// Returns 0 outside the effect and 1 at full strength.
    fn strength(&self, at: Timestamp) -> f64 {
        if at < self.from {
            return 0.0;
        }
        let rise = if self.ramp_seconds == 0 {
            1.0
        } else {
            (at.since(self.from) as f64 / self.ramp_seconds as f64).min(1.0)
        };
        let past = at.since(self.until);
        let fall = match past {
            ..=-1 => 1.0,
            _ if past < self.fade_seconds => 1.0 - past as f64 / self.fade_seconds as f64,
            _ => 0.0,
        };
        rise * fall
    }
}

impl Timeline {
    pub fn new(scenario: &Scenario, start: Timestamp, live: Timestamp) -> Self {
        let schedule = |s: &Span| Schedule {
            from: s.from.at(start, live),
            until: s.until.at(start, live),
            ramp_seconds: s.ramp_seconds,
            fade_seconds: s.fade_seconds,
        };
        Timeline { effects: scenario.effects.iter().map(|(s, w)| (schedule(s), w.clone())).collect() }
    }

    /// Returns what the scenario does to a series at a moment.
    pub fn series(&self, series: &str, at: Timestamp) -> SeriesEffect {
        let mut total = SeriesEffect::NONE;
        for (schedule, effect) in &self.effects {
            let Effect::Series { id, effect } = effect else { continue };
            if id != series {
                continue;
            }
            let s = schedule.strength(at);
            total.shift += s * effect.shift;
            total.factor *= 1.0 + s * (effect.factor - 1.0);
            total.volatility *= 1.0 + s * (effect.volatility - 1.0);
        }
        total
    }

    /// Returns the factor on the share of a topic.
    pub fn topic_factor(&self, topic: &str, at: Timestamp) -> f64 {
        self.effects
            .iter()
            .filter_map(|(schedule, effect)| match effect {
                Effect::Topic { id, factor } if id == topic => {
                    Some(1.0 + schedule.strength(at) * (factor - 1.0))
                }
                _ => None,
            })
            .product()
    }

    /// Returns what the scenario adds to a theater: incidents per day, reports of each, severity.
    pub fn theater(&self, theater: &str, at: Timestamp) -> (f64, f64, f64) {
        let mut total = (0.0, 0.0, 0.0);
        for (schedule, effect) in &self.effects {
            if let Effect::Theater { id, incidents_per_day, reports, severity } = effect
                && id == theater
            {
                let s = schedule.strength(at);
                total = (total.0 + s * incidents_per_day, total.1 + s * reports, total.2 + s * severity);
            }
        }
        total
    }

    /// Returns whether the publisher adds nothing for this time.
    pub fn silent(&self, publisher: &str, at: Timestamp) -> bool {
        self.effects.iter().any(|(schedule, effect)| {
            matches!(effect, Effect::Silence { publisher: p } if p == publisher)
                && (schedule.from..schedule.until).contains(&at)
        })
    }

    /// Returns the scenario's fault of a publisher and the moment it began.
    pub fn fault(&self, publisher: &str, at: Timestamp) -> Option<(Fault, Timestamp)> {
        self.effects.iter().find_map(|(schedule, effect)| match effect {
            Effect::Fault { publisher: p, fault }
                if p == publisher && (schedule.from..schedule.until).contains(&at) =>
            {
                Some((*fault, schedule.from))
            }
            _ => None,
        })
    }

    /// Returns the scenario's earthquakes: moment, magnitude, place.
    pub fn quakes(&self) -> impl Iterator<Item = (Timestamp, f64, &str)> {
        self.effects.iter().filter_map(|(schedule, effect)| match effect {
            Effect::Quake { magnitude, place } => Some((schedule.from, *magnitude, place.as_str())),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{DAY, HOUR};

    #[test]
    fn strength_rises_holds_and_falls() {
        let text = "name = \"x\"\n[[effect]]\nwhat = \"series\"\nid = \"brent\"\nfrom = \"live\"\n\
                    until = \"live+10h\"\nramp = \"4h\"\nfade = \"2h\"\nshift = 1.0\nfactor = 3.0";
        let live = Timestamp::from_unix(1_000_000_000);
        let timeline = Timeline::new(&Scenario::parse(text).unwrap(), live.minus(DAY), live);
        for (hours, want) in
            [(-1, 0.0), (0, 0.0), (2, 0.5), (4, 1.0), (9, 1.0), (11, 0.5), (12, 0.0), (99, 0.0)]
        {
            let effect = timeline.series("brent", live.plus(hours * HOUR));
            assert!(
                (effect.shift - want).abs() < 1e-9 && (effect.factor - 1.0 - 2.0 * want).abs() < 1e-9,
                "{hours} h"
            );
        }
        assert_eq!(timeline.series("wti", live.plus(5 * HOUR)), SeriesEffect::NONE);
    }
}
