//! The clusterer of open events: takes the rows of a tick and returns the changes to the list.
//!
//! Rows are handled in one order, (file stamp, row id), and every sum is formed in key order. So the outcome depends
//! on the rows and the tick alone, and not on arrival order or on restarts.

use crate::article::collapse;
use crate::article::event_filter::EventFilter;
use crate::article::report::Report;
use crate::clusters::cluster::Cluster;
use crate::clusters::cluster_index::ClusterIndex;
use crate::facts::Advance;
use crate::intensity::conflict_intensity::{
    self, Closes, ConflictIntensity, Theater, TheaterBaseline, Trace, Traces,
};
use crate::intensity::escalation;
use crate::intensity::news::NewsVolume;
use crate::intensity::rarity;
use crate::lookup::FastMap;
use crate::parameters::PARAMETERS;
use gsi_model::{
    Category, CountryCode, Day, EscalationParts, EventChange, EventId, EventStatus, EventVersion, HOUR,
    NewsRow, NewsSlot, Observation, Timestamp,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct EventClusterer {
    filter: Arc<EventFilter>,
    tick: Option<Timestamp>,
    /// By first row.
    open: BTreeMap<u64, Cluster>,
    indexes: BTreeMap<(Category, CountryCode), ClusterIndex>,
    /// The open event of an article; an article belongs to one only. Looked up, never iterated.
    articles: FastMap<u64, u64>,
    traces: Traces,
    /// Confirmed events that closed within the peak window: (last activity, first row) → escalation.
    recently_closed: BTreeMap<(Timestamp, u64), f64>,
    /// Mergers of the current tick; empty between ticks.
    mergers: Vec<Merger>,
    news: NewsVolume,
    closes: Closes,
    baselines: Baselines,
}

/// Baselines are valid for a whole day; they are computed on first use.
#[derive(Debug, Clone, Default)]
struct Baselines {
    until: Option<Day>,
    by_country: BTreeMap<CountryCode, TheaterBaseline>,
    articles_year: Option<f64>,
    articles_month: Option<f64>,
}

impl Default for EventClusterer {
    /// With the weights of this release.
    fn default() -> Self {
        EventClusterer::with_filter(EventFilter::shipped())
    }
}

impl EventClusterer {
    /// With other weights than the shipped ones: to measure a filter on articles that it was not trained on.
    pub fn with_filter(filter: Arc<EventFilter>) -> Self {
        EventClusterer {
            filter,
            tick: None,
            open: BTreeMap::new(),
            indexes: BTreeMap::new(),
            articles: FastMap::default(),
            traces: Traces::default(),
            recently_closed: BTreeMap::new(),
            mergers: Vec::new(),
            news: NewsVolume::default(),
            closes: Closes::default(),
            baselines: Baselines::default(),
        }
    }

    /// Resumes at tick `as_of` from the store: the event versions valid then with activity in the last eight days,
    /// and the derived observations of series `events.*` known by then.
    pub fn restore(as_of: Timestamp, events: Vec<EventVersion>, derived: &[Observation]) -> Self {
        EventClusterer::default().resumed(as_of, events, derived)
    }

    /// The same for a clusterer with its own filter.
    pub fn resumed(self, as_of: Timestamp, events: Vec<EventVersion>, derived: &[Observation]) -> Self {
        let mut clusterer = self;
        clusterer.tick = Some(as_of);
        let merged: BTreeSet<_> = events.iter().flat_map(|v| v.event.aliases.iter().cloned()).collect();
        for version in events {
            if merged.contains(&version.event.id) {
                continue;
            }
            // An event whose cluster state is unreadable cannot grow any more; other events are unaffected.
            if let Some(cluster) = Cluster::from_version(version) {
                if cluster.closed {
                    clusterer.record_closed(&cluster);
                } else {
                    clusterer.insert_open(cluster);
                }
            }
        }
        clusterer.drop_old(as_of);
        crate::intensity::derived::restore(derived, as_of, &mut clusterer.news, &mut clusterer.closes);
        clusterer
    }

    /// Takes the rows and files that became known since the last tick, in any order, and advances to `tick`.
    pub fn advance(&mut self, tick: Timestamp, rows: &[NewsRow], slots: &[NewsSlot]) -> Advance {
        let mut out = Advance::default();
        self.close_missed_days(tick, &mut out);

        let mut sorted: Vec<&NewsRow> = rows.iter().collect();
        sorted.sort_by_key(|row| (row.added, row.id));
        let before = sorted.len();
        sorted.dedup_by_key(|row| (row.added, row.id));
        count(&mut out.filtered, "duplicate", before - sorted.len());
        let reports = collapse(&self.filter, &sorted, &mut out.filtered);

        let mut slots: Vec<&NewsSlot> = slots.iter().collect();
        slots.sort_by_key(|s| s.stamp);
        for slot in slots {
            if self.news.add(slot.stamp, slot.articles, tick) {
                out.derived.push(crate::intensity::derived::slot(slot.stamp, slot.articles, tick));
            }
        }
        self.news.forget(tick);
        self.refresh_baselines(tick);

        let mut touched: BTreeSet<u64> = BTreeSet::new();
        for report in &reports {
            self.add_report(report, &mut touched, &mut out);
        }
        self.close_and_assess(tick, touched, &mut out);
        self.tick = Some(tick);
        out
    }

    /// Joins the report to an event, merges two events by it, or opens a new one.
    fn add_report(&mut self, report: &Report, touched: &mut BTreeSet<u64>, out: &mut Advance) {
        if self.articles.contains_key(&report.url_hash) {
            count(&mut out.filtered, "repeat", 1);
            return;
        }
        let home = match self.matching_events(report) {
            (Some(home), Some(other)) if home != other && self.may_merge(home, other) => {
                let kept = self.merge(home, other);
                touched.remove(&home);
                touched.remove(&other);
                touched.insert(kept);
                Some(kept)
            }
            (same_story, same_happening) => same_story.or(same_happening),
        };
        out.facts.reports += 1;
        if let Some(cluster) = home.and_then(|row| self.open.get_mut(&row)) {
            cluster.absorb(report);
            self.indexes.entry((cluster.category, cluster.country)).or_default().put(cluster);
            // Past the cap on sources an article is counted and not kept, before and after a restart.
            if cluster.has_url(report.url_hash) {
                self.articles.insert(report.url_hash, cluster.first_row);
            }
            touched.insert(cluster.first_row);
        } else {
            touched.insert(report.row);
            self.insert_open(Cluster::open(report));
        }
    }

    /// The open event that has another copy of the report's story, and the one with the same happening in other
    /// words.
    fn matching_events(&self, report: &Report) -> (Option<u64>, Option<u64>) {
        match self.indexes.get(&(report.category, report.place.country)) {
            Some(index) => (index.same_story(report), index.same_happening(report)),
            None => (None, None),
        }
    }

    /// A report that belongs to one event by its story and to another by place and sides shows that they are one
    /// event, unless their sides contradict it.
    fn may_merge(&self, a: u64, b: u64) -> bool {
        match (self.open.get(&a), self.open.get(&b)) {
            (Some(a), Some(b)) => a.dyad_key().is_complete() && a.dyad_key() == b.dyad_key(),
            _ => false,
        }
    }

    /// The older event stays; returns its first row.
    fn merge(&mut self, a: u64, b: u64) -> u64 {
        let age = |row: u64| self.open.get(&row).map(|c| (c.occurred_at, c.first_row));
        let (kept, gone) = if age(a) <= age(b) { (a, b) } else { (b, a) };
        let Some(gone) = self.remove_open(gone) else { return kept };
        self.traces.remove(gone.occurred_at, gone.first_row);
        if let Some(cluster) = self.open.get_mut(&kept) {
            let published = gone.assessed_at.is_some();
            self.mergers.push(Merger { gone: gone.id.clone(), kept: cluster.id.clone(), published });
            cluster.merge(gone);
            self.indexes.entry((cluster.category, cluster.country)).or_default().put(cluster);
            for url in cluster.url_hashes() {
                self.articles.insert(url, kept);
            }
        }
        kept
    }

    fn insert_open(&mut self, cluster: Cluster) {
        for url in cluster.url_hashes() {
            self.articles.insert(url, cluster.first_row);
        }
        self.record_trace(&cluster);
        self.indexes.entry((cluster.category, cluster.country)).or_default().put(&cluster);
        self.open.insert(cluster.first_row, cluster);
    }

    fn remove_open(&mut self, row: u64) -> Option<Cluster> {
        let cluster = self.open.remove(&row)?;
        let key = (cluster.category, cluster.country);
        if let Some(index) = self.indexes.get_mut(&key) {
            index.remove(row);
            if index.is_empty() {
                self.indexes.remove(&key);
            }
        }
        for url in cluster.url_hashes() {
            if self.articles.get(&url) == Some(&row) {
                self.articles.remove(&url);
            }
        }
        Some(cluster)
    }

    fn record_trace(&mut self, cluster: &Cluster) {
        if let Some(trace) = trace_of(cluster) {
            self.traces.put(cluster.occurred_at, cluster.first_row, trace);
        }
    }

    fn record_closed(&mut self, closed: &Cluster) {
        self.record_trace(closed);
        if closed.status() == EventStatus::Confirmed {
            self.recently_closed.insert((closed.last_activity, closed.first_row), closed.escalation);
        }
    }

    fn drop_old(&mut self, tick: Timestamp) {
        self.traces.retain(tick);
        self.recently_closed
            .retain(|(last, _), _| tick.since(*last) <= PARAMETERS.escalation.peak_hours * HOUR);
    }

    /// After the rows: closes ended events, assesses and publishes changed ones, and computes the tick's facts.
    fn close_and_assess(&mut self, tick: Timestamp, mut touched: BTreeSet<u64>, out: &mut Advance) {
        let limits = &PARAMETERS.clustering;
        let over: Vec<u64> = self
            .open
            .values()
            .filter(|c| {
                tick.since(c.last_activity) > limits.idle_hours * HOUR
                    || tick.since(c.occurred_at) > limits.longest_hours * HOUR
            })
            .map(|c| c.first_row)
            .collect();
        for row in &over {
            if let Some(cluster) = self.open.get_mut(row) {
                cluster.closed = true;
            }
            touched.insert(*row);
        }
        for row in &touched {
            if let Some(cluster) = self.open.get(row)
                && let Some(trace) = trace_of(cluster)
            {
                self.traces.put(cluster.occurred_at, cluster.first_row, trace);
            }
        }
        self.drop_old(tick);
        out.changes.extend(merged_events(std::mem::take(&mut self.mergers)));
        let scale = self.news_scale();
        let conflict_intensity = self.traces.conflict_intensity(tick, scale);
        for row in touched {
            self.assess(row, tick, scale, &conflict_intensity);
            if let Some(cluster) = self.open.get(&row) {
                out.changes.push(EventChange::Put(Box::new(cluster.to_version())));
            }
        }
        for row in over {
            if let Some(closed) = self.remove_open(row) {
                self.record_closed(&closed);
            }
        }
        self.drop_old(tick);
        self.compute_facts(tick, conflict_intensity, out);
    }

    fn assess(&mut self, row: u64, tick: Timestamp, scale: f64, conflict_intensity: &ConflictIntensity) {
        let Some(cluster) = self.open.get_mut(&row) else { return };
        let domains = f64::from(cluster.effective_domains());
        let theater_intensity = conflict_intensity.of_theater(cluster.country);
        let last = last_close_before(tick);
        let baseline = self
            .baselines
            .by_country
            .entry(cluster.country)
            .or_insert_with(|| self.closes.baseline(cluster.country, last));
        cluster.parts = EscalationParts {
            intensity: cluster.intensity(),
            tempo: escalation::tempo(theater_intensity, baseline),
            corroboration: escalation::corroboration(domains, scale),
            gravity: cluster.gravity(),
            departure: rarity::departure(&baseline.closes, theater_intensity),
            reliability: escalation::reliability(domains) * cluster.certainty,
        };
        let assessed = escalation::assess(&cluster.parts);
        cluster.escalation = match cluster.assessed_at {
            Some(before) => escalation::smooth(cluster.escalation, assessed, tick.since(before)),
            None => assessed,
        };
        cluster.assessed_at = Some(tick);
    }

    fn peak_escalation(&self, tick: Timestamp) -> f64 {
        let open = self
            .open
            .values()
            .filter(|c| {
                tick.since(c.last_activity) <= PARAMETERS.escalation.peak_hours * HOUR
                    && c.status() == EventStatus::Confirmed
            })
            .map(|c| c.escalation);
        let mut all: Vec<f64> = open.chain(self.recently_closed.values().copied()).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        let counted = PARAMETERS.escalation.peak_events;
        all.truncate(counted);
        100.0 * all.iter().sum::<f64>() / counted as f64
    }

    fn compute_facts(&mut self, tick: Timestamp, conflict_intensity: ConflictIntensity, out: &mut Advance) {
        let quality = self.news.quality(self.baselines.articles_month);
        let facts = &mut out.facts;
        facts.conflict_intensity = conflict_intensity.world;
        facts.active_theaters = conflict_intensity.active_theaters();
        facts.theaters_smooth = conflict_intensity.smooth_theaters();
        facts.articles_24h = self.news.articles();
        facts.article_reference = self.baselines.articles_year;
        facts.quality = quality;
        facts.open_events = self.open.len() as u64;
        facts.peak_escalation = (quality > 0.0).then(|| self.peak_escalation(tick));
        facts.theaters = conflict_intensity.theaters;
        if quality > 0.0 {
            crate::intensity::derived::tick_values(tick, facts, &mut out.derived);
        }
        if tick.second_of_day() == 0 {
            let (theaters, world) = (facts.theaters.clone(), facts.conflict_intensity);
            self.close_day(Day(tick.day().0 - 1), tick, &theaters, world, quality, &mut out.derived);
        }
    }

    /// Closes days whose midnight no tick fell on, with what was known before this tick's rows.
    fn close_missed_days(&mut self, tick: Timestamp, out: &mut Advance) {
        let Some(last) = self.tick else { return };
        let mut midnight = last.day().end();
        while midnight < tick {
            self.news.forget(midnight);
            self.refresh_baselines(midnight);
            let quality = self.news.quality(self.baselines.articles_month);
            let conflict_intensity = self.traces.conflict_intensity(midnight, self.news_scale());
            self.close_day(
                Day(midnight.day().0 - 1),
                tick,
                &conflict_intensity.theaters,
                conflict_intensity.world,
                quality,
                &mut out.derived,
            );
            // Without news there is nothing to close, and years of silence need no loop.
            if quality == 0.0 {
                break;
            }
            midnight = midnight.day().end();
        }
    }

    fn close_day(
        &mut self,
        day: Day,
        tick: Timestamp,
        theaters: &[Theater],
        world: f64,
        quality: f64,
        derived: &mut Vec<Observation>,
    ) {
        if quality == 0.0 {
            return;
        }
        let articles = self.news.full_day_articles();
        let closes = crate::intensity::derived::Close { day, tick, quality, world, articles, theaters };
        closes.record(derived, &mut self.closes);
    }

    fn refresh_baselines(&mut self, tick: Timestamp) {
        let last = last_close_before(tick);
        if self.baselines.until != Some(last) {
            self.closes.retain(last);
            self.baselines = Baselines {
                until: Some(last),
                by_country: BTreeMap::new(),
                articles_year: self.closes.usual_articles(last, PARAMETERS.conflict_intensity.history_days),
                articles_month: self.closes.usual_articles(last, PARAMETERS.news.reference_days),
            };
        }
    }

    /// Usual articles divided by today's: converts counts into comparable ones.
    fn news_scale(&self) -> f64 {
        self.news.scale(self.baselines.articles_year)
    }

    pub fn open_events(&self) -> usize {
        self.open.len()
    }

    pub fn traces(&self) -> usize {
        self.traces.len()
    }
}

/// The event's part of the conflict intensity: `None` unless it is confirmed violence.
fn trace_of(cluster: &Cluster) -> Option<Trace> {
    let counts = cluster.category == Category::Kinetic && cluster.status() == EventStatus::Confirmed;
    counts.then(|| Trace {
        country: cluster.country,
        weight: cluster.intensity() * conflict_intensity::breadth(cluster.effective_domains()),
        last_activity: cluster.last_activity,
        days: cluster.days,
    })
}

/// Two events that became one within this tick.
#[derive(Debug, Clone)]
struct Merger {
    gone: EventId,
    kept: EventId,
    /// Readers may know the id of the merged event.
    published: bool,
}

/// The mergers that readers must learn: published events that went into others, each with the final one.
fn merged_events(mergers: Vec<Merger>) -> Vec<EventChange> {
    let into: BTreeMap<EventId, EventId> = mergers.iter().map(|m| (m.gone.clone(), m.kept.clone())).collect();
    let published = mergers.into_iter().filter(|m| m.published);
    published
        .map(|m| {
            let mut kept = m.kept;
            while let Some(further) = into.get(&kept) {
                kept = further.clone();
            }
            EventChange::Merged { gone: m.gone, kept }
        })
        .collect()
}

/// The last day that ends strictly before the tick: at midnight the day just ending is still being measured.
fn last_close_before(tick: Timestamp) -> Day {
    Day(tick.minus(1).day().0 - 1)
}

fn count(filtered: &mut BTreeMap<String, u64>, reason: &str, n: usize) {
    if n > 0 {
        *filtered.entry(reason.to_owned()).or_default() += n as u64;
    }
}
