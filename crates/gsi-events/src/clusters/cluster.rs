//! One event as it grows: its reports, and the figures computed from them.
//!
//! A cluster and the published event are two views of the same thing. State that the event does not show but the
//! clustering needs is stored in `EventVersion::cluster_state`, so that a restart resumes exactly where the last
//! version ended.

use crate::article::address::{Address, hash64};
use crate::article::report::{Dyad, Report};
use crate::article::story::Story;
use crate::cameo;
use crate::clusters::cluster_index::DyadKey;
use crate::location::outlet;
use crate::location::place::Place;
use crate::parameters::PARAMETERS;
use gsi_model::{
    Category, CountryCode, EscalationParts, Event, EventId, EventSource, EventStatus, EventVersion, Timestamp,
};
use serde::{Deserialize, Serialize};

/// Actors shown per event, and labels kept to choose them from.
pub const MAX_ACTORS: usize = 4;
const MAX_LABELS: usize = 12;
/// Aliases kept per event.
const MAX_ALIASES: usize = 32;
/// A label is shown if it has at least this share of the leading label's weight.
const ACTOR_SHARE: f64 = 0.25;
const CLUSTER_STATE_VERSION: u8 = 1;

#[derive(Debug, Clone)]
pub struct Cluster {
    pub id: EventId,
    pub first_row: u64,
    pub occurred_at: Timestamp,
    pub last_activity: Timestamp,
    pub category: Category,
    pub country: CountryCode,
    pub place: Place,
    /// Of the likeliest article.
    pub probability: f64,
    /// The highest of its reports.
    pub certainty: f64,
    pub reports: u32,
    pub closed: bool,
    /// Bit i: reported on the i-th UTC day after the first.
    pub days: u16,
    sources: Vec<ClusterSource>,
    stories: Vec<Story>,
    domains: Vec<Domain>,
    codes: Vec<CodeTally>,
    dyads: Vec<(Dyad, f64)>,
    labels: Vec<(String, f64)>,
    aliases: Vec<EventId>,
    pub escalation: f64,
    pub parts: EscalationParts,
    /// When escalation was last assessed; `None` before the first time.
    pub assessed_at: Option<Timestamp>,
    summary: ClusterSummary,
}

/// Figures computed from the reports when they change, since they are read far more often.
#[derive(Debug, Clone, Copy)]
struct ClusterSummary {
    domains: u32,
    status: EventStatus,
    intensity: f64,
    gravity: f64,
    dyad: DyadKey,
}

impl ClusterSummary {
    const EMPTY: ClusterSummary = ClusterSummary {
        domains: 0,
        status: EventStatus::Unconfirmed,
        intensity: 0.0,
        gravity: 0.0,
        dyad: DyadKey::UNKNOWN,
    };
}

#[derive(Debug, Clone)]
struct ClusterSource {
    source: EventSource,
    url_hash: u64,
    story: u8,
}

#[derive(Debug, Clone)]
struct Domain {
    name: String,
    country: Option<CountryCode>,
}

#[derive(Debug, Clone, PartialEq)]
struct CodeTally {
    code: u16,
    weight: f64,
    /// Bit i: reported by the i-th domain.
    domains: u64,
}

/// The content of `EventVersion::cluster_state`. Names are short because it is stored with every version.
#[derive(Deserialize)]
struct ClusterState {
    v: u8,
    /// Assessed at, seconds.
    a: i64,
    /// Story of each source.
    s: Vec<u8>,
    /// Codes: code, weight, domains.
    c: Vec<(u16, f64, u64)>,
    /// Dyads: two sides, gravity in tenths, weight.
    d: Vec<(String, String, u8, f64)>,
    /// Actor labels and weights.
    l: Vec<(String, f64)>,
    /// Active days.
    m: u16,
    /// Certainty; events of earlier releases have none.
    #[serde(default = "unasked_probability")]
    q: f64,
}

fn unasked_probability() -> f64 {
    PARAMETERS.clustering.unasked_probability
}

/// The same, borrowed from the cluster for writing.
#[derive(Serialize)]
struct ClusterStateRef<'a> {
    v: u8,
    a: i64,
    s: Vec<u8>,
    c: Vec<(u16, f64, u64)>,
    d: Vec<(&'a str, &'a str, u8, f64)>,
    l: &'a [(String, f64)],
    m: u16,
    q: f64,
}

impl Cluster {
    /// A new event, opened by its first report.
    pub fn open(report: &Report) -> Self {
        let mut cluster = Cluster {
            id: EventId::derive(report.row.to_string().as_bytes()),
            first_row: report.row,
            occurred_at: report.added,
            last_activity: report.added,
            category: report.category,
            country: report.place.country,
            place: report.place.clone(),
            probability: 0.0,
            certainty: 0.0,
            reports: 0,
            closed: false,
            days: 0,
            sources: Vec::new(),
            stories: Vec::new(),
            domains: Vec::new(),
            codes: Vec::new(),
            dyads: Vec::new(),
            labels: Vec::new(),
            aliases: Vec::new(),
            escalation: 0.0,
            parts: EscalationParts::default(),
            assessed_at: None,
            summary: ClusterSummary::EMPTY,
        };
        cluster.absorb(report);
        cluster
    }

    /// Adds a report. Sources past the cap still count as reports.
    pub fn absorb(&mut self, report: &Report) {
        self.reports = self.reports.saturating_add(1);
        self.probability = self.probability.max(report.probability);
        self.certainty = self.certainty.max(report.certainty);
        self.last_activity = self.last_activity.max(report.added);
        self.mark_day(report.added);
        if report.place.rank() > self.place.rank() {
            self.place = report.place.clone();
        }
        let source = EventSource {
            url: report.url.clone(),
            domain: report.domain.clone(),
            first_seen: report.added,
            row: report.row,
        };
        let domain = self.add_source(source, report.url_hash, &report.story, report.outlet_country);
        let bit = domain.map_or(0, |d| 1 << d);
        tally_code(&mut self.codes, report.code, report.probability, bit);
        tally(&mut self.dyads, &report.dyad, report.probability, PARAMETERS.clustering.max_dyads);
        for label in &report.labels {
            tally(&mut self.labels, label, report.probability, MAX_LABELS);
        }
        self.summarise();
    }

    fn summarise(&mut self) {
        let leading = leading(&self.dyads, |d| u8::from(d.is_complete()));
        self.summary = ClusterSummary {
            domains: self.count_domains(),
            status: self.judge_status(),
            intensity: self.judge_intensity(),
            gravity: leading.map_or(PARAMETERS.gravity.unknown, |d| f64::from(d.gravity) / 10.0),
            dyad: leading.map_or(DyadKey::UNKNOWN, DyadKey::from_dyad),
        };
    }

    fn mark_day(&mut self, at: Timestamp) {
        let nth = at.day().0 - self.occurred_at.day().0;
        if (0..16).contains(&nth) {
            self.days |= 1 << nth;
        }
    }

    /// Index of the source's domain, or `None` for a domain past the cap.
    fn add_source(
        &mut self,
        source: EventSource,
        url_hash: u64,
        story: &Story,
        country: Option<CountryCode>,
    ) -> Option<usize> {
        let known = self.domains.iter().position(|d| d.name == source.domain);
        if self.sources.len() >= PARAMETERS.clustering.max_sources {
            return known;
        }
        let story = self.stories.iter().position(|s| s.is_same(story)).unwrap_or_else(|| {
            self.stories.push(story.clone());
            self.stories.len() - 1
        });
        let domain = known.unwrap_or_else(|| {
            self.domains.push(Domain { name: source.domain.clone(), country });
            self.domains.len() - 1
        });
        self.sources.push(ClusterSource { source, url_hash, story: story as u8 });
        Some(domain)
    }

    /// Takes over all reports of a younger event.
    pub fn merge(&mut self, gone: Cluster) {
        self.reports = self.reports.saturating_add(gone.reports);
        self.probability = self.probability.max(gone.probability);
        self.certainty = self.certainty.max(gone.certainty);
        self.last_activity = self.last_activity.max(gone.last_activity);
        for nth in (0..16).filter(|nth| gone.days & (1 << nth) != 0) {
            self.mark_day(gone.occurred_at.day().plus(nth).start());
        }
        if gone.place.rank() > self.place.rank() {
            self.place = gone.place;
        }
        for s in gone.sources {
            if !self.has_url(s.url_hash) {
                let story = &gone.stories[usize::from(s.story)];
                let country = outlet::source_country(&s.source.domain);
                self.add_source(s.source, s.url_hash, story, country);
            }
        }
        for tally in &gone.codes {
            let mut bits = 0;
            for (i, domain) in gone.domains.iter().enumerate().filter(|(i, _)| tally.domains & (1 << i) != 0)
            {
                debug_assert!(i < PARAMETERS.clustering.max_sources);
                bits |= self.domains.iter().position(|d| d.name == domain.name).map_or(0, |at| 1 << at);
            }
            tally_code(&mut self.codes, tally.code, tally.weight, bits);
        }
        for (dyad, weight) in &gone.dyads {
            tally(&mut self.dyads, dyad, *weight, PARAMETERS.clustering.max_dyads);
        }
        for (label, weight) in &gone.labels {
            tally(&mut self.labels, label, *weight, MAX_LABELS);
        }
        for alias in std::iter::once(gone.id).chain(gone.aliases) {
            if self.aliases.len() < MAX_ALIASES {
                self.aliases.push(alias);
            }
        }
        self.summarise();
    }

    pub fn has_url(&self, url_hash: u64) -> bool {
        self.sources.iter().any(|s| s.url_hash == url_hash)
    }

    pub fn url_hashes(&self) -> impl Iterator<Item = u64> + '_ {
        self.sources.iter().map(|s| s.url_hash)
    }

    pub fn stories(&self) -> &[Story] {
        &self.stories
    }

    pub fn effective_domains(&self) -> u32 {
        self.summary.domains
    }

    pub fn status(&self) -> EventStatus {
        self.summary.status
    }

    pub fn intensity(&self) -> f64 {
        self.summary.intensity
    }

    pub fn gravity(&self) -> f64 {
        self.summary.gravity
    }

    /// The pair of sides with the most weight; complete pairs before half-known ones.
    pub fn dyad_key(&self) -> DyadKey {
        self.summary.dyad
    }

    /// Distinct domains, but at most one and twice the stories: a wire report on forty sites counts three.
    fn count_domains(&self) -> u32 {
        let limits = &PARAMETERS.clustering;
        self.domains.len().min(limits.domains_to_start + limits.domains_per_story * self.stories.len()) as u32
    }

    fn judge_status(&self) -> EventStatus {
        let domains = self.count_domains();
        let mut countries: Vec<CountryCode> = self.domains.iter().filter_map(|d| d.country).collect();
        countries.sort_unstable();
        countries.dedup();
        let limits = &PARAMETERS.clustering;
        let is_confirmed = domains >= limits.confirmed_domains
            && countries.len() >= limits.confirmed_countries
            && self.probability >= limits.confirmed_probability;
        match domains {
            _ if domains < limits.reported_domains => EventStatus::Unconfirmed,
            _ if is_confirmed => EventStatus::Confirmed,
            _ => EventStatus::Reported,
        }
    }

    /// The highest intensity that two domains report; with fewer, that of the code with the most weight.
    fn judge_intensity(&self) -> f64 {
        let mut levels: Vec<(f64, u64)> =
            self.codes.iter().map(|c| (code_intensity(c.code), c.domains)).collect();
        levels.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut reached = 0u64;
        for (intensity, domains) in levels {
            reached |= domains;
            if reached.count_ones() >= PARAMETERS.clustering.intensity_domains {
                return intensity;
            }
        }
        self.codes
            .iter()
            .map(|c| (c.weight, code_intensity(c.code)))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))
            .map_or(0.0, |(_, intensity)| intensity)
    }

    fn actors(&self) -> Vec<String> {
        let mut ranked: Vec<&(String, f64)> = self.labels.iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        // "Russia" adds nothing to "Russia (military)".
        ranked.retain(|(label, _)| !self.labels.iter().any(|(other, _)| is_more_specific(other, label)));
        let Some(leader) = ranked.first().map(|r| r.1) else { return Vec::new() };
        ranked
            .into_iter()
            .enumerate()
            .filter(|(at, (_, weight))| *at < 2 || *weight >= leader * ACTOR_SHARE)
            .map(|(_, (label, _))| label.clone())
            .take(MAX_ACTORS)
            .collect()
    }

    pub fn to_version(&self) -> EventVersion {
        let state = ClusterStateRef {
            v: CLUSTER_STATE_VERSION,
            a: self.assessed_at.unwrap_or(self.occurred_at).unix(),
            s: self.sources.iter().map(|s| s.story).collect(),
            c: self.codes.iter().map(|c| (c.code, c.weight, c.domains)).collect(),
            d: self.dyads.iter().map(|(d, w)| (d.low.as_str(), d.high.as_str(), d.gravity, *w)).collect(),
            l: &self.labels,
            m: self.days,
            q: self.certainty,
        };
        let event = Event {
            id: self.id.clone(),
            first_row: self.first_row,
            occurred_at: self.occurred_at,
            last_activity: self.last_activity,
            lat: self.place.lat,
            lon: self.place.lon,
            precision: self.place.precision,
            place: self.place.name.clone(),
            country: Some(self.country),
            adm1: self.place.adm1.clone(),
            category: self.category,
            status: self.status(),
            actors: self.actors(),
            escalation: self.escalation,
            parts: self.parts,
            intensity: self.intensity(),
            domains: self.effective_domains(),
            stories: self.stories.len() as u32,
            probability: Some(self.probability),
            reports: self.reports,
            sources: self.sources.iter().map(|s| s.source.clone()).collect(),
            aliases: self.aliases.clone(),
            closed: self.closed,
        };
        // Numbers, short strings and vectors of them always serialize.
        EventVersion { event, cluster_state: serde_json::to_string(&state).unwrap_or_default() }
    }

    /// Restores the cluster from a stored version; `None` when its state is not readable.
    pub fn from_version(version: EventVersion) -> Option<Self> {
        let EventVersion { event, cluster_state } = version;
        let state: ClusterState = serde_json::from_str(&cluster_state).ok()?;
        if state.v != CLUSTER_STATE_VERSION || state.s.len() != event.sources.len() {
            return None;
        }
        let country = event.country?;
        let mut cluster = Cluster {
            id: event.id,
            first_row: event.first_row,
            occurred_at: event.occurred_at,
            last_activity: event.last_activity,
            category: event.category,
            country,
            place: Place {
                lat: event.lat,
                lon: event.lon,
                precision: event.precision,
                name: event.place,
                country,
                adm1: event.adm1,
            },
            probability: event.probability.unwrap_or(PARAMETERS.clustering.unasked_probability),
            certainty: state.q,
            reports: event.reports,
            closed: event.closed,
            days: state.m,
            sources: Vec::with_capacity(event.sources.len()),
            stories: Vec::new(),
            domains: Vec::new(),
            codes: state
                .c
                .into_iter()
                .map(|(code, weight, domains)| CodeTally { code, weight, domains })
                .collect(),
            dyads: state
                .d
                .into_iter()
                .map(|(low, high, gravity, w)| (Dyad { low, high, gravity }, w))
                .collect(),
            labels: state.l,
            aliases: event.aliases,
            escalation: event.escalation,
            parts: event.parts,
            assessed_at: Some(Timestamp::from_unix(state.a)),
            summary: ClusterSummary::EMPTY,
        };
        for (source, story) in event.sources.into_iter().zip(state.s) {
            cluster.restore_source(source, story)?;
        }
        cluster.summarise();
        Some(cluster)
    }

    /// The first source of a story represents it, as when the story was new.
    fn restore_source(&mut self, source: EventSource, story: u8) -> Option<()> {
        match usize::from(story).cmp(&self.stories.len()) {
            std::cmp::Ordering::Greater => return None,
            std::cmp::Ordering::Equal => {
                self.stories.push(Story::new(Address::parse(&source.url)?.slug_tokens()));
            }
            std::cmp::Ordering::Less => {}
        }
        if !self.domains.iter().any(|d| d.name == source.domain) {
            let country = outlet::source_country(&source.domain);
            self.domains.push(Domain { name: source.domain.clone(), country });
        }
        self.sources.push(ClusterSource { url_hash: hash64(&source.url), source, story });
        Some(())
    }
}

/// Whether one label is a narrower form of the other: `Russia (military)` of `Russia`.
fn is_more_specific(specific: &str, general: &str) -> bool {
    specific.strip_prefix(general).is_some_and(|rest| rest.starts_with(" ("))
}

fn code_intensity(code: u16) -> f64 {
    cameo::intensity(&code.to_string())
}

fn tally_code(codes: &mut Vec<CodeTally>, code: u16, weight: f64, domains: u64) {
    if let Some(tally) = codes.iter_mut().find(|c| c.code == code) {
        tally.weight += weight;
        tally.domains |= domains;
    } else if codes.len() < PARAMETERS.clustering.max_codes {
        codes.push(CodeTally { code, weight, domains });
    }
}

fn tally<T: Clone + PartialEq>(list: &mut Vec<(T, f64)>, item: &T, weight: f64, limit: usize) {
    if let Some((_, sum)) = list.iter_mut().find(|(known, _)| known == item) {
        *sum += weight;
    } else if list.len() < limit {
        list.push((item.clone(), weight));
    }
}

/// The item with the highest (class, weight); at a tie the smallest item, which does not depend on arrival.
fn leading<T: Ord>(list: &[(T, f64)], class: impl Fn(&T) -> u8) -> Option<&T> {
    list.iter()
        .max_by(|(a, wa), (b, wb)| class(a).cmp(&class(b)).then(wa.total_cmp(wb)).then_with(|| b.cmp(a)))
        .map(|(item, _)| item)
}
