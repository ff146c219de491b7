//! Scenarios: small TOML files of timed effects on the background world, with times relative to the world's start or
//! to the moment its demo goes live.
//!
//! An effect rises over `ramp`, holds from `from + ramp` to `until`, and falls over `fade`. Unknown keys and names are
//! errors, because a misspelt crisis that silently stages nothing makes every test built on it worthless.

use crate::faults::Fault;
use gsi_model::{DAY, HOUR, MINUTE, Timestamp};
use serde::Deserialize;
use std::path::Path;

/// A scenario file is a page of text; anything larger is not one.
const FILE_LIMIT: u64 = 256 * 1024;

const BUILT_IN: [(&str, &str); 7] = [
    ("calm", include_str!("../scenarios/calm.toml")),
    ("border_war", include_str!("../scenarios/border_war.toml")),
    ("chokepoint_closure", include_str!("../scenarios/chokepoint_closure.toml")),
    ("worm", include_str!("../scenarios/worm.toml")),
    ("market_crash", include_str!("../scenarios/market_crash.toml")),
    ("several", include_str!("../scenarios/several.toml")),
    ("silence", include_str!("../scenarios/silence.toml")),
];

#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    #[error("the scenario file cannot be read: {0}")]
    Read(#[from] std::io::Error),
    #[error("the scenario file is larger than {FILE_LIMIT} bytes")]
    TooLarge,
    #[error("the scenario file is not valid: {0}")]
    Syntax(#[from] toml::de::Error),
    #[error("effect {number}: {problem}")]
    Effect { number: usize, problem: String },
    #[error("there is no built-in scenario `{name}`; there are: {}", Scenario::names().join(", "))]
    Unknown { name: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    pub name: String,
    pub summary: String,
    effects: Vec<(Span, What)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Adds incidents to a theater of the table in `theaters.toml`.
    Theater { id: String, incidents_per_day: f64, reports: f64, severity: f64 },
    /// Multiplies the share of a kind of article.
    Topic { id: String, factor: f64 },
    /// Moves a numeric series; prices and counts are moved in logarithms.
    Series { id: String, push: Push },
    /// The publisher adds nothing for these times, ever.
    Silence { publisher: String },
    /// The publisher's HTTP side misbehaves.
    Fault { publisher: String, fault: Fault },
    /// One earthquake at the effect's `from`.
    Quake { magnitude: f64, place: String },
}

/// How a series is moved: added, multiplied, and shaken more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    pub shift: f64,
    pub factor: f64,
    pub volatility: f64,
}

impl Push {
    pub const NONE: Push = Push { shift: 0.0, factor: 1.0, volatility: 1.0 };
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    from: ScenarioMoment,
    until: ScenarioMoment,
    ramp_seconds: i64,
    fade_seconds: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct ScenarioMoment {
    live: bool,
    offset_seconds: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    name: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    effect: Vec<RawEffect>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEffect {
    what: String,
    from: String,
    until: Option<String>,
    ramp: Option<String>,
    fade: Option<String>,
    id: Option<String>,
    incidents_per_day: Option<f64>,
    reports: Option<f64>,
    severity: Option<f64>,
    factor: Option<f64>,
    shift: Option<f64>,
    volatility: Option<f64>,
    publisher: Option<String>,
    fault: Option<String>,
    magnitude: Option<f64>,
    place: Option<String>,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario::built_in("calm").unwrap_or(Scenario {
            name: "calm".into(),
            summary: String::new(),
            effects: Vec::new(),
        })
    }
}

impl Scenario {
    pub fn names() -> Vec<&'static str> {
        BUILT_IN.iter().map(|(name, _)| *name).collect()
    }

    pub fn built_in(name: &str) -> Result<Scenario, ScenarioError> {
        let (_, text) = BUILT_IN
            .iter()
            .find(|(n, _)| *n == name)
            .ok_or_else(|| ScenarioError::Unknown { name: name.to_owned() })?;
        Scenario::parse(text)
    }

    /// A built-in name, or the path of a scenario file.
    pub fn find(name_or_path: &str) -> Result<Scenario, ScenarioError> {
        match Scenario::built_in(name_or_path) {
            Err(ScenarioError::Unknown { .. }) if Path::new(name_or_path).exists() => {
                Scenario::load(name_or_path)
            }
            other => other,
        }
    }

    pub fn load(path: impl AsRef<Path>) -> Result<Scenario, ScenarioError> {
        if std::fs::metadata(&path)?.len() > FILE_LIMIT {
            return Err(ScenarioError::TooLarge);
        }
        Scenario::parse(&std::fs::read_to_string(path)?)
    }

    pub fn parse(text: &str) -> Result<Scenario, ScenarioError> {
        let file: ScenarioFile = toml::from_str(text)?;
        let effects = file
            .effect
            .into_iter()
            .enumerate()
            .map(|(i, raw)| raw.check().map_err(|problem| ScenarioError::Effect { number: i + 1, problem }))
            .collect::<Result<_, _>>()?;
        Ok(Scenario { name: file.name, summary: file.summary, effects })
    }
}

impl RawEffect {
    fn check(self) -> Result<(Span, What), String> {
        let from = ScenarioMoment::parse(&self.from)?;
        let span = Span {
            from,
            until: match &self.until {
                Some(text) => ScenarioMoment::parse(text)?,
                // An effect without an end outlasts every run.
                None => ScenarioMoment { live: true, offset_seconds: 36_500 * DAY },
            },
            ramp_seconds: self.ramp.as_deref().map_or(Ok(0), duration)?,
            fade_seconds: self.fade.as_deref().map_or(Ok(0), duration)?,
        };
        let push = Push {
            shift: self.shift.unwrap_or(0.0),
            factor: self.factor.unwrap_or(1.0),
            volatility: self.volatility.unwrap_or(1.0),
        };
        if push.factor < 0.0 || push.volatility < 0.0 {
            return Err("`factor` and `volatility` are not negative".into());
        }
        let id = |name: &str| self.id.clone().ok_or(format!("`{name}` needs an `id`"));
        let publisher = || self.publisher.clone().ok_or("which `publisher`?".to_owned());
        let what = match self.what.as_str() {
            "theater" => What::Theater {
                id: known(id("theater")?, &crate::theaters::ids(), "theater")?,
                incidents_per_day: self.incidents_per_day.unwrap_or(0.0),
                reports: self.reports.unwrap_or(0.0),
                severity: self.severity.unwrap_or(0.0),
            },
            "topic" => What::Topic {
                id: known(id("topic")?, &crate::topics::names(), "topic")?,
                factor: push.factor,
            },
            "series" => What::Series { id: id("series")?, push },
            "silence" => What::Silence { publisher: known(publisher()?, &crate::PUBLISHERS, "publisher")? },
            "fault" => What::Fault {
                publisher: known(publisher()?, &crate::PUBLISHERS, "publisher")?,
                fault: self
                    .fault
                    .as_deref()
                    .ok_or("which `fault`?")?
                    .parse()
                    .map_err(|e: crate::faults::UnknownFault| e.to_string())?,
            },
            "quake" => What::Quake {
                magnitude: self.magnitude.unwrap_or(7.0),
                place: self.place.clone().ok_or("a quake needs a `place`")?,
            },
            other => {
                return Err(format!(
                    "`{other}` is no effect; there are theater, topic, series, silence, fault, quake"
                ));
            }
        };
        Ok((span, what))
    }
}

fn known(name: String, names: &[&str], kind: &str) -> Result<String, String> {
    if names.contains(&name.as_str()) {
        Ok(name)
    } else {
        Err(format!("there is no {kind} `{name}`; there are: {}", names.join(", ")))
    }
}

impl ScenarioMoment {
    /// `start`, `live`, or either with an offset: `start+40d`, `live-1d12h`.
    fn parse(text: &str) -> Result<ScenarioMoment, String> {
        let (live, rest) = match (text.strip_prefix("live"), text.strip_prefix("start")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(format!("`{text}` should begin with `start` or `live`")),
        };
        let offset_seconds = match rest.as_bytes().first() {
            None => 0,
            Some(b'+') => duration(&rest[1..])?,
            Some(b'-') => -duration(&rest[1..])?,
            Some(_) => return Err(format!("`{text}` is not a time such as `live-2d`")),
        };
        Ok(ScenarioMoment { live, offset_seconds })
    }

    fn at(self, start: Timestamp, live: Timestamp) -> Timestamp {
        (if self.live { live } else { start }).plus(self.offset_seconds)
    }
}

/// `90m`, `12h`, `3d`, `1d12h`.
fn duration(text: &str) -> Result<i64, String> {
    let bad = || format!("`{text}` is not a duration such as `90m`, `12h` or `1d12h`");
    let (mut total, mut number) = (0i64, String::new());
    for c in text.chars() {
        let unit = match c {
            '0'..='9' if number.len() < 6 => {
                number.push(c);
                continue;
            }
            'm' => MINUTE,
            'h' => HOUR,
            'd' => DAY,
            _ => return Err(bad()),
        };
        total += unit * number.parse::<i64>().map_err(|_| bad())?;
        number.clear();
    }
    if text.is_empty() || !number.is_empty() { Err(bad()) } else { Ok(total) }
}

/// A scenario laid on the calendar.
#[derive(Clone, Debug)]
pub struct Timeline {
    effects: Vec<(Laid, What)>,
}

#[derive(Clone, Copy, Debug)]
struct Laid {
    from: Timestamp,
    until: Timestamp,
    ramp_seconds: i64,
    fade_seconds: i64,
}

impl Laid {
    /// 0 outside, 1 at full strength.
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
        let lay = |s: &Span| Laid {
            from: s.from.at(start, live),
            until: s.until.at(start, live),
            ramp_seconds: s.ramp_seconds,
            fade_seconds: s.fade_seconds,
        };
        Timeline { effects: scenario.effects.iter().map(|(s, w)| (lay(s), w.clone())).collect() }
    }

    pub fn push(&self, series: &str, at: Timestamp) -> Push {
        let mut total = Push::NONE;
        for (laid, what) in &self.effects {
            let What::Series { id, push } = what else { continue };
            if id != series {
                continue;
            }
            let s = laid.strength(at);
            total.shift += s * push.shift;
            total.factor *= 1.0 + s * (push.factor - 1.0);
            total.volatility *= 1.0 + s * (push.volatility - 1.0);
        }
        total
    }

    pub fn topic_factor(&self, topic: &str, at: Timestamp) -> f64 {
        self.effects
            .iter()
            .filter_map(|(laid, what)| match what {
                What::Topic { id, factor } if id == topic => Some(1.0 + laid.strength(at) * (factor - 1.0)),
                _ => None,
            })
            .product()
    }

    /// What the scenario adds to a theater: (incidents per day, extra reports each, extra severity).
    pub fn theater(&self, theater: &str, at: Timestamp) -> (f64, f64, f64) {
        let mut total = (0.0, 0.0, 0.0);
        for (laid, what) in &self.effects {
            if let What::Theater { id, incidents_per_day, reports, severity } = what
                && id == theater
            {
                let s = laid.strength(at);
                total = (total.0 + s * incidents_per_day, total.1 + s * reports, total.2 + s * severity);
            }
        }
        total
    }

    pub fn silent(&self, publisher: &str, at: Timestamp) -> bool {
        self.effects.iter().any(|(laid, what)| {
            matches!(what, What::Silence { publisher: p } if p == publisher)
                && (laid.from..laid.until).contains(&at)
        })
    }

    /// The scripted fault in force, and since when.
    pub fn fault(&self, publisher: &str, at: Timestamp) -> Option<(Fault, Timestamp)> {
        self.effects.iter().find_map(|(laid, what)| match what {
            What::Fault { publisher: p, fault }
                if p == publisher && (laid.from..laid.until).contains(&at) =>
            {
                Some((*fault, laid.from))
            }
            _ => None,
        })
    }

    pub fn quakes(&self) -> impl Iterator<Item = (Timestamp, f64, &str)> {
        self.effects.iter().filter_map(|(laid, what)| match what {
            What::Quake { magnitude, place } => Some((laid.from, *magnitude, place.as_str())),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_parses_and_carries_its_name() {
        for name in Scenario::names() {
            let s = Scenario::built_in(name).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(s.name, name);
            assert!(s.summary.len() > 20, "{name} explains itself");
        }
        assert!(Scenario::built_in("nonsense").unwrap_err().to_string().contains("border_war"));
    }

    #[test]
    fn mistakes_are_named() {
        let check = |effect: &str, part: &str| {
            let text = format!("name = \"x\"\n[[effect]]\n{effect}");
            let error = Scenario::parse(&text).expect_err(effect).to_string();
            assert!(error.contains(part), "{effect}: {error}");
        };
        check("what = \"theatre\"\nfrom = \"live\"", "no effect");
        check("what = \"theater\"\nfrom = \"live\"\nid = \"atlantis\"", "no theater `atlantis`");
        check("what = \"topic\"\nfrom = \"live\"\nid = \"gossip\"", "no topic");
        check("what = \"topic\"\nfrom = \"live\"\nid = \"cyber\"\nfactr = 2.0", "factr");
        check("what = \"series\"\nfrom = \"noon\"\nid = \"brent\"", "begin with");
        check("what = \"series\"\nfrom = \"live-2w\"\nid = \"brent\"", "duration");
        check("what = \"fault\"\nfrom = \"live\"\npublisher = \"kev\"\nfault = \"sulks\"", "sulks");
        check("what = \"silence\"\nfrom = \"live\"\npublisher = \"radio\"", "no publisher");
    }

    #[test]
    fn strength_rises_holds_and_falls() {
        let text = "name = \"x\"\n[[effect]]\nwhat = \"series\"\nid = \"brent\"\nfrom = \"live\"\n\
                    until = \"live+10h\"\nramp = \"4h\"\nfade = \"2h\"\nshift = 1.0\nfactor = 3.0";
        let live = Timestamp::from_unix(1_000_000_000);
        let timeline = Timeline::new(&Scenario::parse(text).unwrap(), live.minus(DAY), live);
        for (hours, want) in
            [(-1, 0.0), (0, 0.0), (2, 0.5), (4, 1.0), (9, 1.0), (11, 0.5), (12, 0.0), (99, 0.0)]
        {
            let push = timeline.push("brent", live.plus(hours * HOUR));
            assert!(
                (push.shift - want).abs() < 1e-9 && (push.factor - 1.0 - 2.0 * want).abs() < 1e-9,
                "{hours} h"
            );
        }
        assert_eq!(timeline.push("wti", live.plus(5 * HOUR)), Push::NONE);
    }

    #[test]
    fn durations() {
        for (text, want) in [("90m", 5400), ("12h", 43_200), ("1d12h", 129_600)] {
            assert_eq!(duration(text), Ok(want));
        }
        for bad in ["", "5", "d", "1w", "-1d", "1d2", "9999999d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
