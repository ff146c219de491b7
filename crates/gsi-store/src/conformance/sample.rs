//! Small sample records of every kind, deterministic, around 1 November 2026.

use crate::{ChangeNote, TickCommit};
use gsi_model::*;
use std::sync::Arc;

/// The n-th tick of the sample world; the first is at midnight.
pub fn tick(n: i64) -> Timestamp {
    Timestamp::from_unix(1_793_491_200).plus(n * TICK)
}

/// A commit that changes only the frontier.
pub fn quiet(tick: Timestamp) -> TickCommit {
    TickCommit {
        tick,
        published_at: tick,
        is_history: false,
        snapshot: None,
        countries: None,
        state: format!("state after {tick}").into_bytes(),
        summary: None,
        observations: vec![],
        slots: vec![],
        rows: vec![],
        events: vec![],
        briefings: vec![],
        feeds: vec![],
        alerts: vec![],
        messages: vec![],
        hook_states: vec![],
        taken_batches: vec![],
    }
}

/// The countries of a tick: one with this score, one without a score.
pub fn country_snapshot(tick: Timestamp, score: f64) -> CountrySnapshot {
    let country = |code: &str, standing, score| CountryScore {
        country: CountryCode::from_iso2(code).unwrap(),
        standing,
        score,
        delta_24h: None,
        trend: Trend::Flat,
        coverage: 0.5,
        year_share_below: None,
        silent: false,
        pillars: vec![],
        left: vec![],
    };
    CountrySnapshot {
        events: Default::default(),
        tick,
        simulated: true,
        method_version: "1.0.0".into(),
        method_digest: "0123456789abcdef".into(),
        countries: vec![
            country("NR", CountryStanding::Unmonitored, None),
            country("UA", CountryStanding::Scored, Some(score)),
        ],
    }
}

/// A commit that publishes a snapshot with this score.
pub fn publishing(tick: Timestamp, score: f64) -> TickCommit {
    let summary = Summary { text: format!("At {tick} the index stood at {score}."), as_of: tick };
    TickCommit { snapshot: Some(snapshot(tick, score)), summary: Some(summary), ..quiet(tick) }
}

pub fn snapshot(tick: Timestamp, score: f64) -> Snapshot {
    let pillars = Pillar::ALL.into_iter().map(|p| pillar_score(p, tick, score + p.index() as f64)).collect();
    Snapshot {
        id: SnapshotId::derive(format!("{tick} {score}").as_bytes()),
        tick,
        simulated: true,
        method_version: "1.0.0".into(),
        method_digest: "0123456789abcdef".into(),
        score,
        unsmoothed: score + 0.123_456_789,
        trend: Trend::Flat,
        momentum: -0.1,
        band: Band::Guarded,
        delta_24h: Some(1.0 / 3.0),
        delta_significant: false,
        percentile_10y: None,
        confidence: confidence(),
        low: score - 5.0,
        high: score + 5.0,
        coverage: 0.875,
        status: DataStatus::Ok,
        coupling: Some(0.1),
        breadth: 1,
        pillars,
        alerts: Vec::new(),
        feeds: vec![FeedStanding {
            feed: "gdelt".into(),
            title: "GDELT 2.0 Events".into(),
            pillar: Some(Pillar::Conflict),
            health: FeedHealth::Late,
            newest_content: Some(tick.minus(3600)),
            since: None,
        }],
        words_digest: "0".repeat(64),
        alerts_digest: String::new(),
        context: Some(ScoreContext::of(score, tick, &[(tick.minus(DAY), score)], None)),
        beside: Vec::new(),
    }
}

fn confidence() -> Confidence {
    Confidence { value: 0.61, coverage: 0.9, calibration: 0.5, agreement: 0.7 }
}

fn pillar_score(pillar: Pillar, tick: Timestamp, score: f64) -> PillarScore {
    PillarScore {
        pillar,
        score,
        unsmoothed: score,
        delta_24h: None,
        coverage: 1.0,
        status: PillarStatus::Ok,
        weight: 0.25,
        contribution: score / 4.0,
        standard_error: Some(2.5),
        confidence: confidence(),
        indicators: (0..6).map(|n| indicator(pillar, n, tick)).collect(),
    }
}

fn indicator(pillar: Pillar, n: i64, tick: Timestamp) -> IndicatorScore {
    let share = (n as f64 + 1.0) / 7.0;
    let inputs = (0..3).map(|back| ObservationRef {
        series: format!("{pillar}.series_{n}"),
        entity: String::new(),
        period_end: tick.minus(back * DAY),
        revision: 0,
    });
    IndicatorScore {
        key: format!("{pillar}_indicator_{n}"),
        unit: "share".into(),
        feed: "ofr".into(),
        value: Some(share),
        missing: None,
        period_end: Some(tick.minus(HOUR)),
        age_seconds: Some(HOUR),
        survival: Some(1.0 - share),
        score: Some(100.0 * share),
        sample: 365,
        calibration: 0.9,
        weight: 1.0,
        freshness: 0.99,
        quality: 1.0,
        effective_weight: 1.0 / 6.0,
        pillar_contribution: 100.0 * share / 6.0,
        contribution: 100.0 * share / 24.0,
        pillar_data_effect: None,
        pillar_coverage_effect: None,
        data_effect: Some(0.1 * share),
        coverage_effect: Some(0.0),
        held: false,
        inputs: inputs.collect(),
    }
}

/// A daily value that becomes known at the next midnight.
pub fn observation(series: &str, entity: &str, day: i64, value: f64) -> Observation {
    let start = tick(0).plus(day * DAY);
    Observation {
        series: series.into(),
        entity: entity.into(),
        period_start: start,
        period_end: start.plus(DAY),
        value,
        known_at: start.plus(DAY),
        ingested_at: start.plus(DAY + 7),
        revision: 0,
        quality: 0.8,
        feed: FeedId::new("ofr"),
        raw: "0011223344556677".into(),
    }
}

pub fn slot(stamp: Timestamp) -> NewsSlot {
    let country = |code: &str, articles| SlotCountry { country: iso(code), articles, conflict: 1.0 / 3.0 };
    NewsSlot {
        stamp,
        known_at: stamp,
        rows: 1_500,
        articles: 400,
        conflict: 31.25,
        threat: 12.1,
        cyber: 3,
        supply: 2,
        countries: vec![country("UA", 40), country("US", 200)],
    }
}

pub fn iso(code: &str) -> CountryCode {
    CountryCode::from_iso2(code).expect("a country of the table")
}

pub fn row(id: u64, added: Timestamp) -> NewsRow {
    let actor = Actor {
        code: "UKRMIL".into(),
        name: "UKRAINE".into(),
        country: "UKR".into(),
        roles: vec!["MIL".into()],
        ..Actor::default()
    };
    let geo = Geo {
        kind: 4,
        name: "Харків, Ukraine".into(),
        country: Some(iso("UA")),
        adm1: "UP07".into(),
        lat: 49.9808,
        lon: 36.2527,
    };
    NewsRow {
        id,
        added,
        day: added.day().0,
        actor1: actor.into(),
        actor2: Arc::default(),
        is_root: true,
        code: "190".into(),
        quad_class: 4,
        goldstein: -10.0,
        mentions: 10,
        sources: 2,
        articles: 10,
        tone: -7.123_456_789,
        geo: (!id.is_multiple_of(3)).then_some(geo),
        url: format!("https://news.example/{id}/shelling-goes-on").into(),
    }
}

pub fn event_id(first_row: u64) -> EventId {
    EventId::derive(first_row.to_string().as_bytes())
}

pub fn event(first_row: u64, occurred_at: Timestamp) -> Event {
    let source = EventSource {
        url: format!("https://news.example/{first_row}"),
        domain: "news.example".into(),
        first_seen: occurred_at,
        row: first_row,
    };
    Event {
        id: event_id(first_row),
        first_row,
        occurred_at,
        last_activity: occurred_at,
        lat: 49.98,
        lon: 36.25,
        precision: GeoPrecision::City,
        place: "Kharkiv".into(),
        country: Some(iso("UA")),
        adm1: "UP07".into(),
        category: Category::Kinetic,
        status: EventStatus::Reported,
        actors: vec!["Ukraine (military)".into()],
        escalation: 0.5,
        parts: EscalationParts { intensity: 0.9, tempo: 0.1, reliability: 1.0, ..EscalationParts::default() },
        intensity: 0.9,
        domains: 1,
        stories: 1,
        probability: Some(0.75),
        reports: 1,
        sources: vec![source],
        aliases: vec![],
        closed: false,
    }
}

/// A version with a clustering state, which must be returned unchanged.
pub fn version(event: Event) -> EventVersion {
    EventVersion { event, cluster_state: r#"{"seen":[1,2]}"#.into() }
}

pub fn put(event: Event) -> EventChange {
    EventChange::Put(Box::new(version(event)))
}

pub fn briefing(subject: &str, published_at: Timestamp, tags: &[&str]) -> Briefing {
    Briefing {
        id: BriefingId::derive(format!("{subject} {published_at}").as_bytes()),
        day: published_at.day().0,
        subject: subject.into(),
        headline: "Calm".into(),
        summary: "Nothing stands out.".into(),
        tags: tags.iter().map(|t| (*t).to_owned()).collect(),
        published_at,
        as_of: published_at,
        late: false,
        generated_by: GeneratedBy { how: TextAuthor::Template, rejected: None },
        facts: vec![BriefingFact {
            id: "f1".into(),
            kind: "score".into(),
            subject: subject.into(),
            value: Some(41.7),
            unit: "points".into(),
            sentence: Some(1),
            sources: vec!["snapshot".into()],
        }],
        corrects: None,
    }
}

pub fn feed(name: &str, seen: u64) -> FeedState {
    FeedState {
        feed: name.into(),
        last_attempt: Some(tick(0)),
        newest_content: Some(tick(0)),
        last_refusal: Some(PayloadRefusal::new(RefusalCode::Md5, "the sum differs")),
        seen,
        accepted: seen,
        rejected: RejectCounts::from([(Reject::Date, 2)]),
        checkpoint: r#"{"etag":"\"x\""}"#.into(),
        ..FeedState::default()
    }
}

/// The author of key changes in these tests.
pub fn note(n: i64) -> ChangeNote {
    ChangeNote { at: tick(n), by: "a test".into() }
}

pub fn key(id: &str) -> ApiKey {
    ApiKey {
        id: id.into(),
        name: "a reader".into(),
        secret_hash: [7; 32],
        scopes: vec![Scope::Scores, Scope::Events],
        rate: Some(RateLimit::DEFAULT),
        created_at: tick(0),
        expires_at: Some(tick(96)),
        revoked_at: None,
        last_used: None,
    }
}
