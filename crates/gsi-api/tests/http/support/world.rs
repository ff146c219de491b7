//! A small invented world in a real store: snapshots every quarter of an hour, events, briefings, feeds.

use gsi_model::{
    Alert, AlertRuleKind, Band, Briefing, BriefingFact, BriefingId, Category, Confidence, CountryCode,
    CountryIndicator, CountryPillar, CountryScore, CountrySnapshot, CountryStanding, Crisis, DAY, DataStatus,
    Day, EscalationParts, Event, EventChange, EventId, EventSource, EventStatus, EventVersion, FeedId,
    GeneratedBy, GeoPrecision, HOUR, Happenings, IndicatorLeft, IndicatorScore, LayerKey, LayerPlace,
    LayerPlaces, LayerSeverity, Licence, MapLayer, Observation, ObservationRef, Origin, Pillar, PillarScore,
    PillarStatus, ReconstructedDay, ReconstructedIndicator, ReconstructedScore, Reconstruction, Snapshot,
    SnapshotId, Summary, TICK, TextAuthor, Timestamp, Trend,
};
use gsi_store::{Ingest, Store, TickCommit};

/// The newest tick of the standard world.
pub const LAST: &str = "2026-11-14T12:00:00Z";

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn confidence() -> Confidence {
    Confidence { value: 0.71, coverage: 0.97, calibration: 0.6, agreement: 0.8 }
}

/// Makes an indicator, without data if `value` is `None`.
pub fn indicator(key: &str, value: Option<f64>, share: f64, tick: Timestamp) -> IndicatorScore {
    IndicatorScore {
        key: key.into(),
        unit: "points".into(),
        feed: "gdelt".into(),
        value,
        missing: value.is_none().then(|| "no_data".to_owned()),
        period_end: value.map(|_| tick.minus(HOUR)),
        age_seconds: value.map(|_| HOUR),
        survival: value.map(|_| 0.25),
        score: value.map(|_| 62.5),
        sample: 365,
        calibration: 0.9,
        weight: 0.5,
        freshness: 0.99,
        quality: 1.0,
        effective_weight: 0.5,
        pillar_contribution: share,
        contribution: share / 4.0,
        pillar_data_effect: Some(share / 77.0),
        pillar_coverage_effect: Some(-share / 991.0),
        data_effect: Some(share / 308.0),
        coverage_effect: Some(-share / 3964.0),
        held: false,
        inputs: vec![ObservationRef {
            series: format!("x.{key}"),
            entity: String::new(),
            period_end: tick.minus(DAY),
            revision: 0,
        }],
    }
}

pub fn pillar(pillar: Pillar, score: f64, tick: Timestamp) -> PillarScore {
    let indicators = match pillar {
        Pillar::Conflict => vec![
            indicator("active_theaters", Some(7.0), score * 0.37, tick),
            indicator("event_velocity", Some(1234.5678), score * 0.63, tick),
            indicator("silent_reading", None, 0.0, tick),
        ],
        Pillar::Cyber => vec![
            indicator("exploited_pace", Some(0.000_000_123_456), score * 0.5, tick),
            indicator("exploited_gap", Some(-0.0), score * 0.5, tick),
        ],
        Pillar::SupplyChain => vec![
            indicator("oil_volatility", Some(1.5e21), score * 0.41, tick),
            indicator("oil_shock", Some(-12.34567), score * 0.59, tick),
        ],
        Pillar::Macro => vec![
            indicator("financial_stress", Some(0.1 + 0.2), score / 3.0, tick),
            indicator("stress_change", Some(99_999.0), score * 2.0 / 3.0, tick),
        ],
    };
    let delta = indicators
        .iter()
        .map(|i| i.pillar_data_effect.unwrap_or(0.0) + i.pillar_coverage_effect.unwrap_or(0.0))
        .sum();
    PillarScore {
        pillar,
        score,
        unsmoothed: score + 0.123,
        delta_24h: Some(delta),
        coverage: 0.95,
        status: PillarStatus::Ok,
        weight: 0.25,
        contribution: score / 4.0,
        standard_error: Some(2.5),
        confidence: confidence(),
        indicators,
    }
}

pub fn snapshot(tick: Timestamp, scores: [f64; 4]) -> Snapshot {
    let pillars: Vec<PillarScore> =
        Pillar::ALL.into_iter().zip(scores).map(|(p, score)| pillar(p, score, tick)).collect();
    let score: f64 = pillars.iter().map(|p| p.contribution).sum();
    let delta = pillars
        .iter()
        .flat_map(|p| &p.indicators)
        .map(|i| i.data_effect.unwrap_or(0.0) + i.coverage_effect.unwrap_or(0.0))
        .sum();
    Snapshot {
        id: SnapshotId::derive(format!("{tick} {scores:?}").as_bytes()),
        tick,
        simulated: false,
        method_version: "1.0.0".into(),
        method_digest: "0123456789abcdef".into(),
        score,
        unsmoothed: score + 0.5,
        trend: Trend::Down,
        momentum: -1.25,
        band: Band::Elevated,
        delta_24h: Some(delta),
        delta_significant: true,
        percentile_10y: None,
        confidence: confidence(),
        low: score - 4.0,
        high: score + 4.0,
        coverage: 0.97,
        status: DataStatus::Ok,
        coupling: Some(0.25),
        breadth: 2,
        pillars,
        alerts: Vec::new(),
        feeds: Vec::new(),
        words_digest: String::new(),
        alerts_digest: String::new(),
        context: None,
        beside: Vec::new(),
    }
}

/// Scores of the standard world; they move a little from tick to tick.
pub fn scores_at(tick: Timestamp) -> [f64; 4] {
    let wave = (tick.unix() / TICK % 40) as f64 / 10.0;
    [55.25 + wave, 38.04 - wave, 33.149 + wave / 2.0, 36.36]
}

/// A version whose clustering state must not be shown.
pub fn put(event: Event) -> EventChange {
    EventChange::Put(Box::new(EventVersion { event, cluster_state: "{\"hidden\":true}".to_owned() }))
}

pub fn event(number: u64, occurred_at: Timestamp) -> Event {
    let countries = ["UA", "RU", "SD", "MM", "IL"];
    let n = number as usize;
    Event {
        id: EventId::derive(number.to_string().as_bytes()),
        first_row: number,
        occurred_at,
        last_activity: occurred_at,
        lat: 48.464_717 - (number % 90) as f64,
        lon: -179.999_96 + (number * 37 % 360) as f64,
        precision: GeoPrecision::City,
        place: "Dnipro, Dnipropetrovsk, Ukraine".into(),
        country: CountryCode::from_iso2(countries[n % countries.len()]),
        adm1: "UP04".into(),
        category: Category::ALL[n % 5],
        status: [EventStatus::Confirmed, EventStatus::Reported, EventStatus::Unconfirmed][n % 3],
        actors: vec!["Russia (military)".into(), format!("Group {}", number % 4)],
        escalation: (number % 101) as f64 / 100.0,
        parts: EscalationParts { intensity: 0.9, tempo: 0.1, reliability: 1.0, ..EscalationParts::default() },
        intensity: 0.9,
        domains: 3,
        stories: 2,
        probability: Some(0.9),
        reports: 5,
        sources: vec![EventSource {
            url: format!("https://news.example/{number}"),
            domain: "news.example".into(),
            first_seen: occurred_at,
            row: number,
        }],
        aliases: vec![],
        closed: false,
    }
}

pub fn briefing(subject: &str, published_at: Timestamp) -> Briefing {
    Briefing {
        id: BriefingId::derive(format!("{subject} {published_at}").as_bytes()),
        day: published_at.day().0 - 1,
        subject: subject.into(),
        headline: format!("A calm day for {subject}."),
        summary: "Nothing stands out; \u{201c}quotes\u{201d} and \u{e9} survive.".into(),
        tags: vec![subject.into(), "global".into()],
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
            sentence: Some(0),
            sources: vec!["snapshot".into()],
        }],
        corrects: None,
    }
}

pub fn summary(tick: Timestamp) -> Summary {
    Summary { text: format!("At {tick} the world is \"calm\"."), as_of: tick }
}

/// A country at war, countries at peace, and one with too little news coverage.
pub fn countries(tick: Timestamp) -> CountrySnapshot {
    let indicator = |key: &str, score: f64, contribution: f64, change: f64| CountryIndicator {
        key: key.into(),
        value: 1.234_56,
        score,
        period_end: tick.minus(TICK),
        freshness: 1.0,
        weight: 0.5,
        contribution,
        change_24h: Some(change),
        held: false,
        sample_days: 200,
    };
    let pillar =
        |pillar, score, indicators| CountryPillar { pillar, score, weight: 0.5, coverage: 0.9, indicators };
    let country = |code: &str, standing, score: Option<f64>, pillars| CountryScore {
        country: CountryCode::from_iso2(code).unwrap(),
        standing,
        score,
        delta_24h: score.map(|_| 1.07),
        trend: Trend::Up,
        coverage: 0.6,
        year_share_below: score.map(|_| 0.882),
        silent: false,
        pillars,
        left: vec![IndicatorLeft { key: "internet_outage".into(), change_24h: -0.11 }],
    };
    let conflict = |score: f64| {
        let parts = vec![
            indicator("attack_surprise", score, 0.51 * score, 0.7),
            indicator("attention_surprise", score, 0.29 * score, 0.42),
        ];
        pillar(Pillar::Conflict, score, parts)
    };
    let cyber =
        |score: f64| pillar(Pillar::Cyber, 10.0, vec![indicator("internet_outage", 10.0, 0.2 * score, 0.06)]);
    CountrySnapshot {
        events: Default::default(),
        tick,
        simulated: true,
        method_version: "1.0.0".into(),
        method_digest: "0123".into(),
        countries: vec![
            country("FR", CountryStanding::Scored, Some(21.4), vec![conflict(21.4), cyber(21.4)]),
            country("NR", CountryStanding::Unmonitored, None, vec![cyber(0.0)]),
            country("PL", CountryStanding::Scored, Some(21.44), vec![conflict(21.44)]),
            country("UA", CountryStanding::Scored, Some(71.36), vec![conflict(71.36), cyber(71.36)]),
        ],
    }
}

pub fn quiet(tick: Timestamp) -> TickCommit {
    TickCommit {
        tick,
        published_at: tick,
        is_history: false,
        snapshot: Some(snapshot(tick, scores_at(tick))),
        countries: Some(countries(tick)),
        state: vec![],
        summary: Some(summary(tick)),
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

pub fn alert(rule: AlertRuleKind, subject: &str, began_at: Timestamp) -> Alert {
    let about = (rule == AlertRuleKind::Event).then(|| event(1, at(LAST).minus(DAY)).id.to_string());
    Alert {
        id: Alert::id_of(rule, subject, about.as_deref(), Some(53.0), began_at),
        rule,
        subject: subject.to_owned(),
        country: subject.strip_prefix("country:").and_then(|c| CountryCode::from_iso2(&c.to_uppercase())),
        began_at,
        ended_at: None,
        value: Some(57.25),
        threshold: Some(53.0),
        headline: format!("={subject} is on alert."),
        snapshot: snapshot(began_at, scores_at(began_at)).id,
        about,
    }
}

/// Stores two days of ticks up to [`LAST`], three events a tick on the last day, and a briefing every six hours. Macro has been on
/// alert for the last day, and so has the first event. An alert for Ukraine lasted an hour.
pub fn fill(store: &dyn Store) {
    let last = at(LAST);
    store.ingest(&Ingest { observations: layer_observations(), ..Ingest::default() }).unwrap();
    let mut tick = last.minus(2 * DAY);
    let mut number = 0;
    while tick <= last {
        let mut commit = quiet(tick);
        if tick > last.minus(DAY) {
            for _ in 0..3 {
                number += 1;
                commit.events.push(put(event(number, tick.minus(number as i64 % 2))));
            }
        }
        if tick.unix() % (6 * HOUR) == 0 {
            commit.briefings.push(briefing("conflict", tick));
            commit.briefings.push(briefing("macro", tick));
        }
        let begins = last.minus(DAY - TICK);
        if tick == begins {
            commit.alerts.push(alert(AlertRuleKind::Score, "macro", tick));
            commit.alerts.push(alert(AlertRuleKind::Band, "country:ua", tick));
            commit.alerts.push(alert(AlertRuleKind::Event, "country:ua", tick));
        } else if tick == begins.plus(HOUR) {
            commit.alerts.push(alert(AlertRuleKind::Band, "country:ua", begins).ended(tick));
        }
        store.commit_tick(&commit).unwrap();
        tick = tick.plus(TICK);
    }
}

pub fn origins() -> Vec<Origin> {
    vec![Origin {
        feed: "gdelt",
        title: "Coded world news",
        publisher: "A publisher",
        homepage: "https://publisher.example/",
        pillar: Some(Pillar::Conflict),
        licence: Licence { name: "open", republish: true, note: "" },
        attribution: "Data by a publisher.",
        poll_every_seconds: 900,
        warn_after_seconds: 3600,
        stale_after_seconds: 7200,
        default_on: true,
    }]
}

const SEVERITIES: &[LayerSeverity] = &[
    LayerSeverity { from: 0.0, word: "brief", level: 1 },
    LayerSeverity { from: 50.0, word: "grave", level: 3 },
];

/// One layer of each kind. The last has no data.
pub fn layers() -> Vec<MapLayer> {
    static PLACES: [LayerPlace; 1] =
        [LayerPlace { id: "strait", name: "A strait", latitude: 26.0, longitude: 56.5, series: "t.strait" }];
    let layer = |key, places| MapLayer {
        key,
        title: "A layer",
        about: "What its values say.",
        feed: "gdelt",
        unit: "percent",
        decimals: 1,
        places,
        severities: SEVERITIES,
        stale_after_seconds: 3 * DAY,
    };
    vec![
        layer(LayerKey::Outages, LayerPlaces::Countries { series: "t.by_country", days: "t.days" }),
        layer(
            LayerKey::Quakes,
            LayerPlaces::Happenings(Happenings {
                value: "t.value",
                latitude: "t.latitude",
                longitude: "t.longitude",
                days: "t.days",
                least: 5.5,
                shown_days: 7,
                names: &[("", "Earthquake")],
            }),
        ),
        layer(LayerKey::Chokepoints, LayerPlaces::Fixed(&PLACES)),
    ]
}

/// Yesterday Ukraine was cut off and the earth shook; the magnitude was corrected at the last tick.
fn layer_observations() -> Vec<Observation> {
    let yesterday = at(LAST).day().plus(-1);
    let row = |series: &str, entity: &str, value: f64| Observation {
        series: series.into(),
        entity: entity.into(),
        period_start: yesterday.start(),
        period_end: yesterday.end(),
        value,
        known_at: yesterday.end(),
        ingested_at: yesterday.end(),
        revision: 0,
        quality: 1.0,
        feed: FeedId::new("gdelt"),
        raw: String::new(),
    };
    let corrected = Observation { known_at: at(LAST), revision: 1, ..row("t.value", "us1", 6.25) };
    vec![
        row("t.days", "", 1.0),
        row("t.by_country", "UA", 62.5),
        row("t.value", "us1", 6.0),
        row("t.latitude", "us1", 38.25),
        row("t.longitude", "us1", -142.5),
        corrected,
    ]
}

/// Ten days of the past. Cyber begins on the fourth day, and macro has no data on the sixth.
pub fn reconstruction() -> Reconstruction {
    let first = Day::parse_iso("2008-09-10").unwrap();
    let day = |n: i32| {
        let known = |score: f64, coverage: f64| ReconstructedScore { score: Some(score), coverage };
        let missing = ReconstructedScore { score: None, coverage: 0.0 };
        let cyber = if n < 3 { missing } else { known(12.0, 0.35) };
        let of_macro = if n == 5 { missing } else { known(60.0 + f64::from(n), 0.8) };
        ReconstructedDay {
            day: first.plus(n),
            composite: known(50.04 + f64::from(n), 0.7),
            pillars: [known(30.0, 0.6), cyber, known(40.0, 0.5), of_macro],
        }
    };
    let indicator = |key: &str, pillar, spans: &[(i32, i32)]| ReconstructedIndicator {
        key: key.into(),
        pillar,
        live_weight: 0.2,
        spans: spans.iter().map(|(a, b)| (first.plus(*a), first.plus(*b))).collect(),
    };
    Reconstruction {
        method_version: "3.0.0".into(),
        method_digest: "0123456789abcdef".into(),
        band_edges: [33.0, 44.0, 50.0, 57.0],
        alert_spells: [("macro".to_owned(), vec![(first.plus(6), first.plus(8))])].into(),
        indicators: vec![
            indicator("ics_advisories", Pillar::Cyber, &[(3, 9)]),
            indicator("volatility_stress", Pillar::Macro, &[(0, 4), (6, 9)]),
        ],
        days: (0..10).map(day).collect(),
        crises: vec![Crisis {
            name: "Lehman Brothers".into(),
            start: first.plus(5),
            end: first.plus(300),
            pillars: vec![Pillar::Macro],
            tier: "A".into(),
        }],
        attributions: vec!["Source: an agency".into()],
    }
}
