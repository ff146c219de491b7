//! When a subject is on alert: its score is high and well above its recent past, and the rise is recent.
//!
//! The same rule judges the past day by day and the present tick by tick. An alert may begin at any tick. The quiet
//! days after which it ends are counted at their last tick, or by the next tick where that was missed. A day without
//! any tick is neither quiet nor loud.
//!
//! Within the rule's longest time a day is quiet when the score is below the level. After it, a day is already quiet
//! when no alert would begin, so that a level that has become usual ends its alert. An alert that would begin again
//! continues instead, so that hooks are not notified twice of the same rise.

use crate::arithmetic::median;
use crate::catalogue::{AlertRule, AlertRules};
use crate::series::derived::UNSMOOTHED_SERIES;
use crate::series::table::SeriesTable;
use gsi_model::{DAY, Pillar, Timestamp};
use serde::{Deserialize, Serialize};

/// The pillars and, last, the composite.
pub(crate) const SUBJECTS: [Option<Pillar>; 5] =
    [Some(Pillar::ALL[0]), Some(Pillar::ALL[1]), Some(Pillar::ALL[2]), Some(Pillar::ALL[3]), None];

pub(crate) fn subject_key(subject: Option<Pillar>) -> &'static str {
    subject.map_or("composite", Pillar::key)
}

/// An alert that is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AlertState {
    /// The tick at which it began.
    pub began: i64,
    quiet_days: u32,
}

impl AlertRule {
    /// The alert after a tick with this unsmoothed score; `usual` is the median of the recent past, once it is known.
    pub(crate) fn next(
        &self,
        before: Option<AlertState>,
        tick: Timestamp,
        score: f64,
        usual: Option<f64>,
    ) -> Option<AlertState> {
        match before {
            None => self.begins(score, usual).then_some(AlertState { began: tick.unix(), quiet_days: 0 }),
            Some(on) if tick.is_last_tick_of_day() => self.close_day(on, tick, score, usual),
            on => on,
        }
    }

    /// An alert that is on, after the day whose last tick had this score.
    pub(crate) fn close_day(
        &self,
        mut on: AlertState,
        last_tick: Timestamp,
        score: f64,
        usual: Option<f64>,
    ) -> Option<AlertState> {
        let is_quiet = match self.is_old(on, last_tick) {
            true => !self.begins(score, usual),
            false => score < self.level - self.release,
        };
        on.quiet_days = if is_quiet { on.quiet_days + 1 } else { 0 };
        (on.quiet_days < self.quiet_days).then_some(on)
    }

    fn begins(&self, score: f64, usual: Option<f64>) -> bool {
        score >= self.level && usual.is_some_and(|u| score >= u + self.rise)
    }

    fn is_old(&self, on: AlertState, tick: Timestamp) -> bool {
        tick.day().0 - Timestamp::from_unix(on.began).day().0 >= self.longest_days as i32
    }

    /// Whether the usual score decides anything at this tick.
    pub(crate) fn needs_the_past(&self, before: Option<AlertState>, tick: Timestamp, score: f64) -> bool {
        score >= self.level && before.is_none_or(|on| self.is_old(on, tick))
    }
}

impl AlertRules {
    /// The median of the recent past; `None` while too little of it is known.
    pub(crate) fn usual(&self, past: impl Iterator<Item = f64>) -> Option<f64> {
        let mut past: Vec<f64> = past.collect();
        (past.len() >= self.past_needed as usize).then(|| median(&mut past)).flatten()
    }

    /// The same from the closes that were known before the tick's day.
    pub(crate) fn usual_at(
        &self,
        table: &SeriesTable,
        subject: Option<Pillar>,
        tick: Timestamp,
    ) -> Option<f64> {
        let column = table.column(UNSMOOTHED_SERIES, subject_key(subject))?;
        let horizon = tick.day().start().unix();
        let from = column.rows().partition_point(|r| r.end() <= horizon - i64::from(self.past_days) * DAY);
        self.usual(column.rows()[from..].iter().filter(|r| r.known_at() < horizon).map(|r| r.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{Day, TICK};

    const RULE: AlertRule =
        AlertRule { level: 55.0, rise: 10.0, quiet_days: 5, release: 8.0, longest_days: 30 };

    /// The days on which it is on.
    fn days_on(score: &dyn Fn(i32) -> f64, usual: f64) -> Vec<i32> {
        days_on_over(score, &|_| usual)
    }

    fn days_on_over(score: &dyn Fn(i32) -> f64, usual: &dyn Fn(i32) -> f64) -> Vec<i32> {
        let mut state = None;
        let on = |day: &i32| {
            state = RULE.next(state, Day(*day).end().minus(TICK), score(*day), Some(usual(*day)));
            state.is_some()
        };
        (0..80).filter(on).collect()
    }

    #[test]
    fn an_alert_needs_a_high_and_rising_score_and_ends_after_quiet_days() {
        let peak = |day: i32| if (10..20).contains(&day) { 60.0 } else { 30.0 };
        assert_eq!(days_on(&peak, 30.0), (10..24).collect::<Vec<_>>());
        assert_eq!(days_on(&|_| 60.0, 58.0), [0i32; 0], "a high plateau is not news");
        let raised = |day: i32| if day >= 10 { 70.0 } else { 30.0 };
        assert_eq!(
            days_on(&raised, 30.0),
            (10..80).collect::<Vec<_>>(),
            "an alert that would begin again continues"
        );
        // From the thirtieth day on no alert would begin for five days, though the score never falls below the level.
        let lower = |day: i32| if day >= 30 { 50.0 } else { raised(day) };
        assert_eq!(days_on(&lower, 30.0), (10..44).collect::<Vec<_>>());
        let usual = |day: i32| if day >= 25 { 65.0 } else { 30.0 };
        assert_eq!(days_on_over(&raised, &usual), (10..44).collect::<Vec<_>>(), "it has become usual");
    }

    #[test]
    fn without_history_there_is_no_alert() {
        assert_eq!(RULE.next(None, Day(3).start(), 90.0, None), None);
        let rules = AlertRules { past_days: 45, past_needed: 20, rules: Default::default() };
        assert_eq!(rules.usual((0..19).map(f64::from)), None);
        assert_eq!(rules.usual((0..21).map(f64::from)), Some(10.0));
    }
}
