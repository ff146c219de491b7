//! Scenarios: TOML files of timed effects on the world. Times are relative to the world's start or to the moment at which
//! the demo goes live.
//!
//! An effect rises over `ramp`, holds from `from + ramp` to `until`, and falls over `fade`. Unknown keys and names are
//! errors: a misspelt effect that does nothing would make the tests on it worthless.

mod timeline;

use crate::server::{Fault, UnknownFault};
use gsi_model::{DAY, HOUR, MINUTE, Timestamp};
use serde::Deserialize;
use std::path::Path;
pub use timeline::Timeline;

/// A scenario file is a page of text; anything larger is not one.
const FILE_LIMIT: u64 = 256 * 1024;

const BUILT_IN: [(&str, &str); 7] = [
    ("calm", include_str!("../../scenarios/calm.toml")),
    ("border_war", include_str!("../../scenarios/border_war.toml")),
    ("chokepoint_closure", include_str!("../../scenarios/chokepoint_closure.toml")),
    ("worm", include_str!("../../scenarios/worm.toml")),
    ("market_crash", include_str!("../../scenarios/market_crash.toml")),
    ("several", include_str!("../../scenarios/several.toml")),
    ("silence", include_str!("../../scenarios/silence.toml")),
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
    effects: Vec<(Span, Effect)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Adds incidents to a theater of the table in `theaters.toml`.
    Theater { id: String, incidents_per_day: f64, reports: f64, severity: f64 },
    /// Multiplies the share of a kind of article.
    Topic { id: String, factor: f64 },
    /// Moves a numeric series.
    Series { id: String, effect: SeriesEffect },
    /// The publisher adds nothing for these times, ever.
    Silence { publisher: String },
    /// The publisher's HTTP side misbehaves.
    Fault { publisher: String, fault: Fault },
    /// One earthquake at the effect's `from`.
    Quake { magnitude: f64, place: String },
}

/// What a scenario does to a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesEffect {
    /// Added, for prices to the logarithm.
    pub shift: f64,
    pub factor: f64,
    /// Multiplies the random steps.
    pub volatility: f64,
}

impl SeriesEffect {
    pub const NONE: SeriesEffect = SeriesEffect { shift: 0.0, factor: 1.0, volatility: 1.0 };
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
    fn check(self) -> Result<(Span, Effect), String> {
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
        let effect = SeriesEffect {
            shift: self.shift.unwrap_or(0.0),
            factor: self.factor.unwrap_or(1.0),
            volatility: self.volatility.unwrap_or(1.0),
        };
        if effect.factor < 0.0 || effect.volatility < 0.0 {
            return Err("`factor` and `volatility` are not negative".into());
        }
        let id = |name: &str| self.id.clone().ok_or(format!("`{name}` needs an `id`"));
        let publisher = || self.publisher.clone().ok_or("which `publisher`?".to_owned());
        let effect = match self.what.as_str() {
            "theater" => Effect::Theater {
                id: known(id("theater")?, &crate::world::theaters::ids(), "theater")?,
                incidents_per_day: self.incidents_per_day.unwrap_or(0.0),
                reports: self.reports.unwrap_or(0.0),
                severity: self.severity.unwrap_or(0.0),
            },
            "topic" => Effect::Topic {
                id: known(id("topic")?, &crate::news::topics::names(), "topic")?,
                factor: effect.factor,
            },
            "series" => Effect::Series { id: id("series")?, effect },
            "silence" => Effect::Silence { publisher: known(publisher()?, &crate::PUBLISHERS, "publisher")? },
            "fault" => Effect::Fault {
                publisher: known(publisher()?, &crate::PUBLISHERS, "publisher")?,
                fault: self
                    .fault
                    .as_deref()
                    .ok_or("which `fault`?")?
                    .parse()
                    .map_err(|e: UnknownFault| e.to_string())?,
            },
            "quake" => Effect::Quake {
                magnitude: self.magnitude.unwrap_or(7.0),
                place: self.place.clone().ok_or("a quake needs a `place`")?,
            },
            other => {
                return Err(format!(
                    "`{other}` is no effect; there are theater, topic, series, silence, fault, quake"
                ));
            }
        };
        Ok((span, effect))
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
    fn durations() {
        for (text, want) in [("90m", 5400), ("12h", 43_200), ("1d12h", 129_600)] {
            assert_eq!(duration(text), Ok(want));
        }
        for bad in ["", "5", "d", "1w", "-1d", "1d2", "9999999d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
