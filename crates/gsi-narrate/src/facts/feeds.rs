//! Facts about feeds: the gaps with their start, and the newest content of each feed.

use super::{CountedNoun, Fact, FactKind, Facts, FigureForm, Subject};
use crate::{Context, figures, names};
use gsi_model::{FeedHealth, HOUR, Timestamp};

/// Maximum gaps that a summary names; more are counted.
pub const NAMED_GAPS: usize = 3;

pub(super) fn gather(context: &Context, facts: &mut Facts) {
    let now = context.snapshot.tick;
    let new = |kind: FactKind, n: usize| {
        let feed = &context.feeds[n];
        Fact::new(kind, Subject::Feed(n as u16), format!("feed.{}.{}", feed.feed, kind.key()), now)
            .name(names::title(&feed.title))
            .sources([feed.feed.clone()])
    };
    let used: Vec<usize> =
        (0..context.feeds.len()).filter(|&n| context.uses(&context.feeds[n].feed)).collect();
    let mut gaps: Vec<usize> =
        used.iter().copied().filter(|&n| context.feeds[n].health != FeedHealth::Ok).collect();
    gaps.sort_by(|&a, &b| {
        let (a, b) = (&context.feeds[a], &context.feeds[b]);
        b.health.cmp(&a.health).then(a.newest_content.cmp(&b.newest_content)).then(a.feed.cmp(&b.feed))
    });
    for &n in &gaps {
        let feed = &context.feeds[n];
        let fact = new(FactKind::FeedGap, n);
        let since =
            feed.newest_content.or(feed.since).filter(|t| *t <= now && feed.health != FeedHealth::Never);
        facts.push(match since {
            Some(at) => moment(fact.value(now.since(at) as f64, "seconds"), at, now),
            None => fact,
        });
    }
    if gaps.len() > 1 {
        facts.push(
            Fact::new(FactKind::GapCount, Subject::Global, "feeds.gap_count".into(), now)
                .value(gaps.len() as f64, "feeds")
                .figure(FigureForm::Count(CountedNoun::Feeds), gaps.len().to_string())
                .sources(gaps.iter().map(|&n| context.feeds[n].feed.clone())),
        );
    }
    if gaps.is_empty() && !used.is_empty() && !facts.partial {
        facts.push(
            Fact::new(FactKind::AllFeeds, Subject::Global, "feeds.all".into(), now)
                .value(used.len() as f64, "feeds")
                .figure(FigureForm::Count(CountedNoun::Feeds), used.len().to_string())
                .sources(used.iter().map(|&n| context.feeds[n].feed.clone())),
        );
    }
    for n in used {
        if let Some(at) = context.feeds[n].newest_content.filter(|t| *t <= now) {
            let fact = reach(new(FactKind::Source, n), at, now);
            facts.push(fact);
        }
    }
}

/// Adds the date, and the time of day if it is recent.
fn moment(fact: Fact, at: Timestamp, now: Timestamp) -> Fact {
    let fact = fact.figure(FigureForm::Date, figures::date(at, now));
    if figures::since(at, now).contains("UTC") {
        fact.figure(FigureForm::Clock, figures::clock(at))
    } else {
        fact
    }
}

/// Younger content has a time of day.
const FRESH_SECONDS: i64 = 6 * HOUR;

/// Adds the end of a feed's content. A period that ends at midnight belongs to the day before.
fn reach(fact: Fact, at: Timestamp, now: Timestamp) -> Fact {
    let whole_day = at.second_of_day() == 0;
    let fact = fact.figure(FigureForm::Date, figures::date(if whole_day { at.minus(1) } else { at }, now));
    let fresh = !whole_day && now.since(at) <= FRESH_SECONDS;
    if fresh { fact.figure(FigureForm::Clock, figures::clock(at)) } else { fact }
}

impl Facts {
    /// Returns the feeds with a gap, worst first.
    pub fn gaps(&self) -> impl Iterator<Item = &Fact> {
        self.list.iter().filter(|f| f.kind == FactKind::FeedGap)
    }
}

/// `23:45 UTC on 14 November` or `3 November`; `None` if the fact has no date.
pub fn when(fact: &Fact) -> Option<String> {
    let (day, time) = (fact.shown(FigureForm::Date), fact.shown(FigureForm::Clock));
    match (day, time) {
        ("", _) => None,
        (day, "") => Some(day.to_owned()),
        (day, time) => Some(format!("{time} on {day}")),
    }
}
