//! Checks numbers, dates and grades against the world's data.

use super::*;
use crate::worlds::{COUNTRY_BANDS, band_edges, indicators};

impl Checker<'_> {
    #[allow(clippy::too_many_lines)]
    pub(super) fn number(
        &self,
        w: &str,
        n: usize,
        words: &[String],
        low: &str,
        about: &(Tag, String),
    ) -> bool {
        let (tag, name) = (about.0, about.1.as_str());
        let s = &self.world.snapshot;
        let next = |k: usize| words.get(n + k).map_or("", String::as_str);
        let back = |k: usize| if n >= k { words[n - k].as_str() } else { "" };
        let bare = w.trim_start_matches(['+', '-']);
        // Constants of the method.
        if (w == "24" && next(1) == "hours")
            || (w == "3" && next(1) == "points" && next(2) == "or")
            || (w == "90" && next(1) == "%" && next(2) == "range")
            || (w == "10" && next(1) == "years" && back(1) == "past")
            || (w == "0" && back(1) == "from" && next(2) == "100")
            || (w == "100" && back(2) == "0")
            || (low.contains("escalation runs from 0 to 1") && (w == "0" || w == "1"))
            || (w == "1" && next(1) == "day" && next(2) == "in")
        {
            return true;
        }
        // A period in the unit of a reading.
        if let Tag::Indicator(p, i) = tag
            && back(1) == "in"
            && next(1) == "days"
        {
            let words = indicators(Pillar::ALL[p]).nth(i).and_then(|row| row.words.as_ref());
            return words.is_some_and(|words| words.of.ends_with(&format!("in {w} days")));
        }
        if back(1) == "at" && back(2) == "begins" {
            let bands = ["guarded", "elevated", "high", "severe"];
            return (0..4)
                .any(|b| w == whole(band_edges()[b]) && low.contains(&format!("{} band begins", bands[b])));
        }
        let month = MONTHS.iter().position(|m| m.to_lowercase() == next(1));
        if let Some(month) = month {
            return self.date(w, month, next(2), tag, low);
        }
        let past_month = MONTHS.iter().any(|m| m.to_lowercase() == back(1));
        if past_month && w.len() == 4 {
            return true; // read together with its day
        }
        if w.contains(':') {
            return next(1) == "utc" && self.clock(w, tag, low);
        }
        if next(1) == "%" {
            return self.percent(w, tag, low);
        }
        if next(1) == "of" && next(2) == "them" {
            return self.theater(name, |_, fresh, _| fresh.to_string() == w);
        }
        let p = match tag {
            Tag::Pillar(p) | Tag::Indicator(p, _) => Some(p),
            _ => None,
        };
        if next(1) == "of" && next(2) == "the" && next(4) == "points" {
            return p.is_some_and(|p| {
                w.parse::<f64>().is_ok_and(|v| (v - s.pillars[p].contribution).abs() <= 1.0)
            });
        }
        if back(1) == "the" && back(2) == "of" && next(1) == "points" {
            return w == whole(s.score);
        }
        if next(1) == "of" && next(3) == "indicators" {
            return p.is_some_and(|p| {
                s.pillars[p].indicators.iter().filter(|i| i.value.is_none()).count().to_string() == w
            });
        }
        if next(1) == "indicators" {
            return p.is_some_and(|p| s.pillars[p].indicators.len().to_string() == w);
        }
        if next(1).starts_with("event") || next(2).starts_with("event") {
            return self.theater(name, |count, _, _| count.to_string() == w);
        }
        if (1..=4).any(|k| back(k) == "escalation") {
            return self.theater(name, |_, _, peak| format!("{:.2}", half_away(peak, 2)) == w);
        }
        if next(1).starts_with("feed") {
            let used = || self.world.feeds.iter().filter(|f| f.feed != "usgs");
            let bad = used().filter(|f| f.health != FeedHealth::Ok).count();
            let count = if low.contains("all ") { used().count() } else { bad };
            return count.to_string() == w;
        }
        if next(1) == "days" {
            return low.contains("in a row") || low.contains("running");
        }
        if back(1) == "in" && back(2) == "day" {
            return matches!(tag, Tag::Indicator(p, i) if {
                let i = &s.pillars[p].indicators[i];
                i.survival.is_some_and(|v| close(w, (1.0 / v).min(f64::from(i.sample)), 0.051))
            });
        }
        if next(1) == "times" {
            let Tag::Indicator(p, i) = tag else { return false };
            let value = s.pillars[p].indicators[i].value;
            let log2 = low.contains("usual pace");
            return value.is_some_and(|v| close(w, if log2 { v.exp2() } else { (v / 100.0).exp() }, 0.051));
        }
        if next(1) == "points" || w.starts_with(['+', '-']) {
            return self.points(w, bare, n, words, tag);
        }
        let ends = [whole(s.low), whole(s.high)];
        if ["from", "between"].contains(&back(1)) && ["to", "and"].contains(&next(1)) {
            return w == ends[0];
        }
        if ["from", "between"].contains(&back(3)) && ["to", "and"].contains(&back(1)) {
            return w == ends[1];
        }
        match tag {
            Tag::Global if low.contains("briefing") => self
                .world
                .briefings
                .iter()
                .flat_map(|b| &b.facts)
                .any(|f| f.value.is_some_and(|v| whole(v) == w)),
            Tag::Global => w == whole(s.score),
            Tag::Pillar(p) => w == whole(s.pillars[p].score),
            Tag::Indicator(p, i) => s.pillars[p].indicators[i].value.is_some_and(|v| close(w, v, 0.051)),
            Tag::Country(c) => self.country(c).and_then(|c| c.score).is_some_and(|v| w == whole(v)),
            _ => false,
        }
    }

    fn points(&self, w: &str, bare: &str, n: usize, words: &[String], tag: Tag) -> bool {
        let s = &self.world.snapshot;
        let push = |v: &str| match v {
            "added" | "adding" => Some(true),
            "took" | "taking" => Some(false),
            _ => None,
        };
        let verb = words[..n]
            .iter()
            .rev()
            .find(|v| push(v).is_some() || RISE.contains(&v.as_str()) || FALL.contains(&v.as_str()));
        let right = |v: f64, up: bool| tenth(v) == bare && (v > 0.0) == up;
        if let Some(up) = verb.and_then(|v| push(v)) {
            let effects = |p: usize| s.pillars[p].indicators.iter();
            return match tag {
                Tag::Coverage => {
                    let all = s.pillars.iter().flat_map(|p| &p.indicators);
                    let own =
                        |p: &PillarScore| p.indicators.iter().filter_map(|i| i.pillar_coverage_effect).sum();
                    right(all.filter_map(|i| i.coverage_effect).sum(), up)
                        || s.pillars.iter().any(|p| right(own(p), up))
                }
                Tag::Pillar(p) => right(effects(p).filter_map(|i| i.data_effect).sum(), up),
                Tag::Indicator(p, i) => {
                    let i = &s.pillars[p].indicators[i];
                    [i.data_effect, i.pillar_data_effect].into_iter().flatten().any(|v| right(v, up))
                }
                _ => false,
            };
        }
        let signed = match w.chars().next() {
            Some('+') => Some(true),
            Some('-') => Some(false),
            _ => None,
        };
        self.delta(tag).is_some_and(|d| {
            tenth(d) == bare && half_away(d.abs(), 1) >= 3.0 && signed.is_none_or(|up| up == (d > 0.0))
        })
    }

    fn percent(&self, w: &str, tag: Tag, low: &str) -> bool {
        let s = &self.world.snapshot;
        let share = |v: f64| w.parse::<f64>().is_ok_and(|t| (t - v * 100.0).abs() <= 1.0);
        match tag {
            Tag::Global if low.contains("on record") => s.percentile_10y.is_some_and(|p| share(p / 100.0)),
            Tag::Global => share(s.coverage),
            Tag::Pillar(p) => share(s.pillars[p].coverage),
            Tag::Indicator(p, i) => s.pillars[p].indicators[i].value.is_some_and(|v| close(w, v, 0.051)),
            Tag::Country(c) => self.country(c).is_some_and(|c| share(c.coverage)),
            _ => false,
        }
    }

    fn theater(&self, name: &str, fits: impl Fn(usize, usize, f64) -> bool) -> bool {
        let country = self.world.events.iter().filter_map(|e| e.country).find(|c| plain(*c) == name);
        let Some(c) = country else { return false };
        let now = self.world.snapshot.tick;
        let here: Vec<&Event> = self
            .world
            .events
            .iter()
            .filter(|e| {
                e.country == Some(c)
                    && now.since(e.last_activity) <= DAY
                    && e.status != EventStatus::Unconfirmed
            })
            .collect();
        let fresh = here.iter().filter(|e| now.since(e.occurred_at) <= DAY).count();
        fits(here.len(), fresh, here.iter().map(|e| e.escalation).fold(0.0, f64::max))
    }

    fn clock(&self, w: &str, tag: Tag, low: &str) -> bool {
        let is = |t: Timestamp| t.to_string()[11..16] == *w;
        let now = self.world.snapshot.tick;
        match tag {
            Tag::Feed(f) => self.world.feeds[f].newest_content.is_some_and(is),
            _ if low.contains("corrects the briefing") => self.corrected.is_some_and(is),
            _ if low.contains("it is written from") => self.corrected.is_some() && is(now),
            _ => low.contains("briefing") && (is(now) || is(now.plus(300))),
        }
    }

    fn date(&self, day: &str, month: usize, year: &str, tag: Tag, low: &str) -> bool {
        let now = self.world.snapshot.tick;
        let is = |t: Timestamp| {
            let (y, m, d) = t.day().ymd();
            let dated = year.len() == 4 && year.chars().all(|c| c.is_ascii_digit());
            let right_year = if dated { y.to_string() == year } else { now.since(t) < 300 * DAY };
            d.to_string() == day && m as usize == month + 1 && right_year
        };
        match tag {
            // Content up to midnight belongs to the day before.
            Tag::Feed(f) => {
                let ended = |t: Timestamp| low.contains("(to ") && t.second_of_day() == 0 && is(t.minus(1));
                self.world.feeds[f].newest_content.is_some_and(|t| is(t) || ended(t))
            }
            _ if low.contains("corrects the briefing") => self.corrected.is_some_and(is),
            _ if low.contains("it is written from") => self.corrected.is_some() && is(now),
            _ if low.contains("briefing") => {
                is(now) || is(now.plus(300)) || self.world.briefings.iter().any(|b| is(b.day().start()))
            }
            Tag::Global => self.is_record(&self.world.history, self.world.snapshot.score, &is, low),
            Tag::Pillar(p) => {
                let score = self.world.snapshot.pillars[p].score;
                self.is_record(&self.world.pillar_history[p], score, &is, low)
            }
            _ => false,
        }
    }

    fn is_record(
        &self,
        history: &[(Timestamp, f64)],
        score: f64,
        is: &dyn Fn(Timestamp) -> bool,
        low: &str,
    ) -> bool {
        let now = self.world.snapshot.tick;
        let up = low.contains("highest");
        if !up && (self.partial || !low.contains("lowest")) {
            return false;
        }
        let past: Vec<&(Timestamp, f64)> = history.iter().filter(|(t, _)| *t < now).collect();
        let beyond = |v: f64| if up { v >= score - 0.05 } else { v <= score + 0.05 };
        match past.iter().rev().find(|(_, v)| beyond(*v)) {
            Some((t, _)) => is(*t) && !low.contains("began") && now.since(*t) >= 30 * DAY,
            None => {
                past.first().is_some_and(|(t, _)| is(*t) && now.since(*t) >= 30 * DAY)
                    && low.contains("began")
            }
        }
    }

    /// Whether a country's score is in the band, has entered it or has left it, as the sentence says.
    fn fits_band(&self, country: CountryCode, key: &str, low: &str) -> bool {
        let band = |score: f64| match half_away(score, 1) {
            s if s >= COUNTRY_BANDS[1] => "severe",
            s if s >= COUNTRY_BANDS[0] => "high",
            _ => "",
        };
        let Some(now) = self.country(country).and_then(|c| c.score) else { return false };
        let before = self.delta(Tag::Country(country)).map(|d| band(now - d));
        let changed = before.is_some_and(|before| before != band(now));
        let rose = self.delta(Tag::Country(country)).is_some_and(|d| d > 0.0);
        match () {
            () if low.contains("out of the") => changed && !rose && before == Some(key),
            () if low.contains("into the") => changed && rose && band(now) == key,
            () => band(now) == key,
        }
    }

    /// Checks statements without a number.
    pub(super) fn claims(&mut self, items: &[Item], low: &str, about: Tag, sentence: &str) {
        let s = &self.world.snapshot;
        let tags: Vec<Tag> =
            items.iter().filter_map(|i| if let Item::Tag(t, _) = i { Some(*t) } else { None }).collect();
        let pillars: Vec<usize> =
            tags.iter().filter_map(|t| if let Tag::Pillar(p) = t { Some(*p) } else { None }).collect();
        let mut bad: Vec<String> = Vec::new();
        let still = |tag: Tag| self.delta(tag).is_some_and(|d| half_away(d.abs(), 1) < 3.0);
        if low.contains("little changed") && (self.partial || !still(about)) {
            bad.push("little changed".into());
        }
        if low.contains("no move of 3") && !still(about) {
            bad.push("no move".into());
        }
        if low.contains("no pillar moved") && !(0..4).all(|p| still(Tag::Pillar(p))) {
            bad.push("no pillar moved".into());
        }
        for (band, key) in [
            (Band::Calm, "calm"),
            (Band::Guarded, "guarded"),
            (Band::Elevated, "elevated"),
            (Band::High, "high"),
            (Band::Severe, "severe"),
        ] {
            let said = low.contains(&format!("{key} band")) && !low.contains("band begins");
            let own = match about {
                Tag::Country(c) => self.fits_band(c, key, low),
                _ => s.band == band,
            };
            if said && !own {
                bad.push(format!("band {key}"));
            }
        }
        if low.contains("confidence") && !low.starts_with("gaps and confidence: missing") {
            let own = pillars.first().map_or(&s.confidence, |p| &s.pillars[*p].confidence);
            let said = ["low", "moderate", "high"].into_iter().find(|w| items.iter().any(|i| i.word() == *w));
            let right = if own.value >= 0.7 {
                "high"
            } else if own.value >= 0.45 {
                "moderate"
            } else {
                "low"
            };
            if said.is_some_and(|w| w != right) {
                bad.push("confidence".into());
            }
        }
        if low.contains("held at") || low.contains("cannot be scored") {
            let held = |p: &usize| s.pillars[*p].status == PillarStatus::Unavailable;
            if pillars.is_empty() || !pillars.iter().all(held) {
                bad.push("held".into());
            }
        }
        if items.iter().any(|i| i.word() == "thin")
            && !pillars.iter().any(|p| s.pillars[*p].status == PillarStatus::Degraded)
        {
            bad.push("thin".into());
        }
        if low.contains("main driver") {
            let push = |p: usize| s.pillars[p].indicators.iter().filter_map(|i| i.data_effect).sum::<f64>();
            let way = s.delta_24h.unwrap_or(0.0).signum();
            let alive = |p: &usize| s.pillars[*p].status != PillarStatus::Unavailable;
            let best = (0..4).filter(alive).map(|p| push(p) * way).fold(f64::MIN, f64::max);
            if !pillars.first().is_some_and(|p| push(*p) * way >= best - 0.051) {
                bad.push("main driver".into());
            }
        }
        if low.contains("largest share") || low.contains("any other pillar") {
            let best = s.pillars.iter().map(|p| p.contribution).fold(f64::MIN, f64::max);
            if !pillars.first().is_some_and(|p| s.pillars[*p].contribution >= best - 1e-9) {
                bad.push("largest share".into());
            }
        }
        if low.contains("missing or late") || low.contains("gaps in") {
            for t in &tags {
                if matches!(t, Tag::Feed(f) if self.world.feeds[*f].health == FeedHealth::Ok) {
                    bad.push("a healthy feed is called missing".into());
                }
            }
        }
        if low.contains("trend") {
            let word = match s.trend {
                Trend::Up => "is up",
                Trend::Down => "is down",
                Trend::Flat => "is flat",
            };
            if !low.contains(word) || (self.partial && s.trend != Trend::Up) {
                bad.push("trend".into());
            }
        }
        for word in ["because", "due to", "caused", " will ", "should", "likely", " might "] {
            if low.contains(word) {
                bad.push(word.into());
            }
        }
        for b in bad {
            self.fail(format!("{b}: {sentence}"));
        }
    }
}
