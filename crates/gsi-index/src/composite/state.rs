//! The state that one tick passes to the next: last readings, smoothed contributions, and running totals of every
//! effect.
//!
//! A few kilobytes in a compact binary form that keeps every bit of a number. A state of another method is not
//! continued: its series ends and a new one begins.

use crate::composite::alerts::AlertState;
use crate::composite::attribution::{Step, WeightedScore};
use gsi_model::{Band, Pillar, Timestamp, Trend};
use serde::{Deserialize, Serialize};

/// Changes when the layout does, so that old bytes are not misread.
const LAYOUT: u8 = 4;
/// The first byte of a piece that holds the states of several methods.
const JOINED: u8 = u8::MAX;

/// Joins the states of several methods after one tick into one piece, in which each engine finds its own. A single
/// state stays unchanged.
pub fn join_states(states: &[Vec<u8>]) -> Vec<u8> {
    match states {
        [only] => only.clone(),
        all => postcard::to_extend(all, vec![JOINED]).unwrap_or_default(),
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EngineState {
    pub tick: i64,
    /// Stamp of the newest coded-news file that was read.
    pub slot_stamp: i64,
    pub composite: Option<CompositeState>,
    pub pillars: [Option<PillarState>; 4],
    /// The pillars' and, last, the composite's.
    pub alerts: [Option<AlertState>; 5],
    /// In the same order: whether the subject was scored at this tick rather than held from an earlier one.
    pub is_scored: [bool; 5],
    /// In the method's order.
    pub indicators: Vec<IndicatorState>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CompositeState {
    /// When the published series began.
    pub since: i64,
    pub score: f64,
    pub unsmoothed: f64,
    /// The published score is catching up with news of an alert's size.
    pub following: bool,
    pub fast: f64,
    pub slow: f64,
    pub trend: Trend,
    pub band: Band,
    /// Weights of the pillars when last computed.
    pub weights: [f64; 4],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PillarState {
    pub score: f64,
    pub unsmoothed: f64,
    pub following: bool,
}

/// The reading that counts, possibly taken earlier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub value: f64,
    pub scored: f64,
    pub period_end: i64,
    pub quality: f64,
    pub taken_at: i64,
    pub survival: f64,
    /// Newest row of each input: (index of the series, period end, revision).
    pub newest: Vec<(u8, i64, u32)>,
}

/// An indicator's share in its pillar or in the composite over time: its weight within the pillar and its score when
/// last computed, its smoothed contribution, and its effects, those that have not yet reached the smoothed score and
/// those that have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndicatorShare {
    pub weight: f64,
    pub score: f64,
    pub seen: bool,
    pub contribution: f64,
    pub pending: Effects,
    pub total: Effects,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Effects {
    pub data: f64,
    pub coverage: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndicatorState {
    pub reading: Option<Reading>,
    pub held: bool,
    pub in_pillar: IndicatorShare,
    pub in_composite: IndicatorShare,
}

impl EngineState {
    /// Before anything was read.
    pub fn new(tick: i64, indicators: usize) -> EngineState {
        EngineState {
            tick,
            slot_stamp: i64::MIN,
            composite: None,
            pillars: [None, None, None, None],
            alerts: [None; 5],
            is_scored: [false; 5],
            indicators: vec![IndicatorState::default(); indicators],
        }
    }

    /// Whether this was the last tick of its day, but not at the day's end, when `tick` follows it.
    pub fn leaves_its_day_open(&self, tick: Timestamp) -> bool {
        let last = Timestamp::from_unix(self.tick);
        last.day() < tick.day() && !last.is_last_tick_of_day()
    }

    /// The score of a pillar, or of the composite, before it was smoothed; `None` if the tick had none.
    pub fn unsmoothed(&self, subject: Option<Pillar>) -> Option<f64> {
        let position = subject.map_or(Pillar::ALL.len(), Pillar::index);
        let kept = match subject {
            Some(pillar) => self.pillars[pillar.index()].as_ref().map(|kept| kept.unsmoothed),
            None => self.composite.as_ref().map(|kept| kept.unsmoothed),
        };
        kept.filter(|_| self.is_scored[position])
    }

    pub fn encode(&self, digest: &str) -> Vec<u8> {
        let head = vec![LAYOUT];
        postcard::to_extend(&(digest, self), head).unwrap_or_default()
    }

    /// The state, if these bytes are of this layout and this method, alone or joined with others.
    pub fn decode(bytes: &[u8], digest: &str, indicators: usize) -> Option<EngineState> {
        if let Some(joined) = bytes.strip_prefix(&[JOINED]) {
            let states: Vec<&[u8]> = postcard::from_bytes(joined).ok()?;
            let alone = |state: &&[u8]| state.first() != Some(&JOINED);
            return states.into_iter().filter(alone).find_map(|s| Self::decode(s, digest, indicators));
        }
        let body = bytes.strip_prefix(&[LAYOUT])?;
        let (made_by, state): (&str, EngineState) = postcard::from_bytes(body).ok()?;
        (made_by == digest && state.indicators.len() == indicators).then_some(state)
    }
}

impl IndicatorShare {
    /// The step from the last weight and score to these. A part that never had a value enters with its present one,
    /// so that entering is an effect of coverage.
    pub fn step(&self, weight: f64, score: Option<f64>) -> Step<WeightedScore> {
        let next = score.unwrap_or(self.score);
        let last = if self.seen { self.score } else { next };
        Step {
            before: WeightedScore { weight: self.weight, score: last },
            after: WeightedScore { weight, score: next },
        }
    }

    /// Changes to a new weight and value, with the smoothed figures moving by the share `step`.
    pub fn advance(&mut self, weight: f64, score: Option<f64>, change: Effects, level: f64, step: f64) {
        for (pending, total, change) in [
            (&mut self.pending.data, &mut self.total.data, change.data),
            (&mut self.pending.coverage, &mut self.total.coverage, change.coverage),
        ] {
            let due = *pending + change;
            *total += step * due;
            *pending = due - step * due;
        }
        self.contribution += step * (level - self.contribution);
        self.weight = weight;
        self.score = score.unwrap_or(self.score);
        self.seen |= score.is_some();
    }

    /// Begins with the level itself: nothing pending and nothing to explain yet.
    pub fn begin(&mut self, weight: f64, score: Option<f64>, level: f64) {
        *self = IndicatorShare {
            weight,
            score: score.unwrap_or_default(),
            seen: score.is_some(),
            contribution: level,
            ..IndicatorShare::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_finds_its_own_state() {
        let states = ["one", "two"].map(|digest| EngineState::new(digest.len() as i64, 2).encode(digest));
        let decode = |bytes: &[u8], digest: &str| EngineState::decode(bytes, digest, 2).map(|s| s.tick);
        assert_eq!(join_states(&states[..1]), states[0]);
        let joined = join_states(&states);
        for digest in ["one", "two"] {
            assert_eq!(decode(&joined, digest), Some(3), "{digest}");
        }
        assert_eq!(decode(&joined, "three"), None);
        // No truncated piece is decoded, and no piece within a piece.
        for cut in 0..joined.len() {
            assert_eq!(decode(&joined[..cut], "two"), None, "{cut}");
        }
        assert_eq!(decode(&join_states(&[joined.clone(), joined]), "one"), None);
    }
}
