//! Checks sentences that compare the score with past days. The days are counted again from the world's data.

use super::*;
use std::collections::BTreeMap;

impl Checker<'_> {
    /// Checks every number of such a sentence.
    pub(super) fn days(&mut self, sentence: &str) {
        let low = sentence.to_lowercase();
        let is_real = low.contains("reconstructed days");
        if is_real == low.contains("published days") {
            return self.fail(format!("days of both kinds: {sentence}"));
        }
        let today = self.world.snapshot.tick.day().0;
        let shown = |v: f64| (half_away(v, 1) * 10.0).round() as i64;
        let mut days: BTreeMap<i32, i64> = BTreeMap::new();
        if is_real {
            days.extend(self.world.past.iter().map(|(day, v)| (day.0, shown(*v))));
        } else {
            days.extend(self.world.history.iter().map(|(t, v)| (t.day().0, shown(*v))));
        }
        days.retain(|day, _| *day < today);
        let score = shown(self.world.snapshot.score);
        let lower = days.values().filter(|v| **v < score).count();
        let is_high = |day: i32| days.get(&day).is_some_and(|v| *v >= score);
        let run = if is_real { 0 } else { (1..).take_while(|n| is_high(today - n)).count() as i32 };
        let last = days.keys().rev().copied().find(|day| *day < today - run && is_high(*day));
        let long = last.map_or(0, |last| (0..).take_while(|n| is_high(last - n)).count());
        if self.partial && lower * 2 < days.len() {
            self.fail(format!("a low place while data are missing: {sentence}"));
        }
        if days.len() < 30 && !is_real {
            self.fail(format!("a place among few days: {sentence}"));
        }
        let share = match half_away(100.0 * lower as f64 / days.len() as f64, 0) as usize {
            0 if lower > 0 => 1,
            100 if lower < days.len() => 99,
            share => share,
        };
        let words: Vec<&str> = low.split_whitespace().map(|w| w.trim_matches([',', '.'])).collect();
        let ends = last.map(|last| Day(last).ymd());
        for (n, word) in words.iter().enumerate().filter(|(_, w)| w.starts_with(|c: char| c.is_ascii_digit()))
        {
            let next = |k: usize| words.get(n + k).copied().unwrap_or("");
            let month = MONTHS.iter().position(|m| m.to_lowercase() == next(1));
            let right = match next(1) {
                "%" => *word == share.to_string(),
                "reconstructed" | "published" => *word == days.len().to_string(),
                "days" if run > 0 => *word == (run + 1).to_string() && low.contains("has been this high for"),
                "days" => *word == long.to_string() && long > 1 && low.contains("in a row, ending on"),
                _ if month.is_some() => ends.is_some_and(|(year, m, day)| {
                    let dated = next(2).len() == 4 && next(2).parse::<i16>().is_ok();
                    let young = today - last.unwrap_or(today) <= 300;
                    *word == day.to_string()
                        && month == Some(m as usize - 1)
                        && if dated { next(2) == year.to_string() } else { young }
                }),
                // The year of a date.
                _ => n > 0 && MONTHS.iter().any(|m| m.to_lowercase() == words[n - 1]),
            };
            if !right {
                self.fail(format!("{word} among days: {sentence}"));
            }
        }
        let statements = [
            ("it has been this high for", run > 0),
            ("none was as high", run == 0 && last.is_none()),
            ("for that day alone", run == 0 && long == 1),
            ("the last as high were", run == 0 && long > 1),
            ("the last as high was", run == 0 && long == 1),
        ];
        for (words, is_true) in statements {
            if low.contains(words) != is_true {
                self.fail(format!("{words:?} or not: {sentence}"));
            }
        }
    }
}
