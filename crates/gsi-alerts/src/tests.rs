//! Rules applied to invented ticks.

use crate::{AlertMethod, HookNews, OwnRule, RuleReading, ScoresThen, TickView, advance, messages_to};
use gsi_model::*;
use std::collections::BTreeMap;

const EDGES: [f64; 4] = [33.0, 44.0, 50.0, 57.0];

fn tick(n: i64) -> Timestamp {
    Timestamp::from_unix(1_790_000_100).floor_tick().plus(n * TICK)
}

fn snapshot(n: i64, score: f64, band: Band) -> Snapshot {
    let zero = Confidence { value: 0.5, coverage: 1.0, calibration: 0.5, agreement: 0.5 };
    let pillar = |pillar| PillarScore {
        pillar,
        score,
        unsmoothed: score,
        delta_24h: None,
        coverage: 1.0,
        status: PillarStatus::Ok,
        weight: 0.25,
        contribution: score / 4.0,
        standard_error: None,
        confidence: zero,
        indicators: Vec::new(),
    };
    Snapshot {
        id: SnapshotId::derive(&n.to_be_bytes()),
        tick: tick(n),
        simulated: true,
        method_version: "1".into(),
        method_digest: "0".into(),
        score,
        unsmoothed: score,
        trend: Trend::Flat,
        momentum: 0.0,
        band,
        delta_24h: None,
        delta_significant: false,
        percentile_10y: None,
        confidence: zero,
        low: score,
        high: score,
        coverage: 1.0,
        status: DataStatus::Ok,
        coupling: None,
        breadth: 0,
        pillars: Pillar::ALL.map(pillar).to_vec(),
        alerts: Vec::new(),
        feeds: Vec::new(),
        words_digest: String::new(),
        alerts_digest: String::new(),
        context: None,
        beside: Vec::new(),
    }
}

fn countries(n: i64, all: &[(&str, Option<f64>, f64, bool)]) -> CountrySnapshot {
    let score = |(code, score, share, silent): &(&str, Option<f64>, f64, bool)| CountryScore {
        country: CountryCode::from_iso2(code).unwrap(),
        standing: if score.is_some() { CountryStanding::Scored } else { CountryStanding::Thin },
        score: *score,
        delta_24h: None,
        trend: Trend::Flat,
        coverage: 1.0,
        year_share_below: Some(*share),
        silent: *silent,
        pillars: Vec::new(),
        left: Vec::new(),
    };
    CountrySnapshot {
        events: Default::default(),
        tick: tick(n),
        simulated: true,
        method_version: "1".into(),
        method_digest: "0".into(),
        countries: all.iter().map(score).collect(),
    }
}

/// A run of ticks, each with the alerts it began and ended.
#[derive(Default)]
struct Run {
    active: Vec<Alert>,
}

impl Run {
    fn tick(&mut self, view: &TickView<'_>) -> Vec<String> {
        let changes = advance(AlertMethod::compiled(), view, &self.active);
        self.active.retain(|a| !changes.iter().any(|c| c.id == a.id));
        self.active.extend(changes.iter().filter(|c| c.is_active()).cloned());
        let said = |a: &Alert| {
            let what = if a.is_active() { "begins" } else { "ends" };
            format!("{} {} {what}", a.rule, a.subject)
        };
        changes.iter().map(said).collect()
    }

    fn world(&mut self, snapshot: &Snapshot) -> Vec<String> {
        self.tick(&view(snapshot, None, &[]))
    }

    fn countries(&mut self, n: i64, all: &[(&str, Option<f64>, f64, bool)]) -> Vec<String> {
        let countries = countries(n, all);
        self.tick(&view(&snapshot(n, 30.0, Band::Calm), Some(&countries), &[]))
    }

    fn event(&mut self, n: i64, event: Option<&Event>) -> Vec<String> {
        self.tick(&view(&snapshot(n, 30.0, Band::Calm), None, event.map_or(&[], std::slice::from_ref)))
    }
}

fn view<'a>(
    snapshot: &'a Snapshot,
    countries: Option<&'a CountrySnapshot>,
    events: &'a [Event],
) -> TickView<'a> {
    let levels = &|pillar: Option<Pillar>| (pillar != Some(Pillar::Cyber)).then_some(53.0);
    TickView { snapshot, countries, events, briefings: &[], levels, band_edges: EDGES }
}

#[test]
fn the_engines_alerts_begin_and_end_once() {
    let mut run = Run::default();
    let on = |n: i64, alerts: &[(&str, i64)]| {
        let subject =
            |(s, began): &(&str, i64)| SubjectAlert { subject: (*s).to_owned(), began_at: tick(*began) };
        Snapshot { alerts: alerts.iter().map(subject).collect(), ..snapshot(n, 30.0, Band::Calm) }
    };
    assert!(run.world(&on(0, &[])).is_empty());
    assert_eq!(run.world(&on(1, &[("conflict", 1)])), ["score conflict begins"]);
    assert!(run.world(&on(2, &[("conflict", 1)])).is_empty());
    assert_eq!(run.world(&on(3, &[("conflict", 1), ("composite", 3)])), ["score global begins"]);
    // Another alert of the same subject is another alert.
    assert_eq!(
        run.world(&on(4, &[("conflict", 4), ("composite", 3)])),
        ["score conflict ends", "score conflict begins"]
    );
    assert_eq!(run.world(&on(5, &[])).len(), 2);
    assert!(run.active.is_empty());
}

#[test]
fn only_upper_bands_begin_alerts() {
    let mut run = Run::default();
    let mut at = |n: i64, score: f64, band: Band| run.world(&snapshot(n, score, band));
    assert!(at(0, 40.0, Band::Guarded).is_empty());
    assert_eq!(at(1, 45.0, Band::Elevated), ["band global begins"]);
    assert!(at(2, 43.5, Band::Elevated).is_empty());
    assert_eq!(at(3, 51.0, Band::High), ["band global ends", "band global begins"]);
    assert_eq!(at(4, 42.0, Band::Guarded), ["band global ends"]);
}

#[test]
fn a_country_alert_needs_a_high_unusual_score_and_absence_ends_none() {
    let mut run = Run::default();
    assert!(run.countries(0, &[("UA", Some(55.0), 0.9, false)]).is_empty(), "high as ever is no news");
    assert!(run.countries(1, &[("UA", Some(49.0), 0.99, false)]).is_empty());
    assert_eq!(run.countries(2, &[("UA", Some(50.0), 0.97, false)]), ["score country:ua begins"]);
    assert!(run.countries(3, &[("UA", Some(46.0), 0.9, false)]).is_empty(), "it lets go slowly");
    // Silent, thin, or missing from the list: the alert is kept.
    assert!(run.countries(4, &[("UA", Some(10.0), 0.1, true)]).is_empty());
    assert!(run.countries(5, &[("UA", None, 0.1, false)]).is_empty());
    assert!(run.countries(6, &[]).is_empty());
    assert_eq!(run.countries(7, &[("UA", Some(44.9), 0.9, false)]), ["score country:ua ends"]);
    // Old alerts end, whatever the score.
    assert_eq!(run.countries(8, &[("UA", Some(55.0), 0.99, false)]), ["score country:ua begins"]);
    assert_eq!(run.countries(8 + 30 * 96, &[("UA", None, 0.99, false)]), ["score country:ua ends"]);
}

#[test]
fn a_countrys_band_has_hysteresis() {
    let mut run = Run::default();
    let mut at = |n: i64, score: f64| run.countries(n, &[("IL", Some(score), 0.5, false)]);
    assert!(at(0, 59.9).is_empty());
    assert_eq!(at(1, 60.0), ["band country:il begins"]);
    assert!(at(2, 57.0).is_empty());
    assert_eq!(at(3, 75.1), ["band country:il ends", "band country:il begins"]);
    assert!(at(4, 72.1).is_empty(), "still severe");
    assert_eq!(at(5, 71.0), ["band country:il ends", "band country:il begins"]);
    assert_eq!(at(6, 56.9), ["band country:il ends"]);
}

fn event(escalation: f64, status: EventStatus) -> Event {
    Event {
        id: EventId::derive(b"1"),
        first_row: 1,
        occurred_at: tick(0),
        last_activity: tick(0),
        lat: 50.0,
        lon: 30.0,
        precision: GeoPrecision::City,
        place: "Kyiv, Ukraine".into(),
        country: CountryCode::from_iso2("UA"),
        adm1: String::new(),
        category: Category::Kinetic,
        status,
        actors: Vec::new(),
        escalation,
        parts: EscalationParts::default(),
        intensity: 0.9,
        domains: 5,
        stories: 5,
        probability: None,
        reports: 9,
        sources: Vec::new(),
        aliases: Vec::new(),
        closed: false,
    }
}

#[test]
fn only_confirmed_events_begin_alerts() {
    let mut run = Run::default();
    let (confirmed, reported) = (EventStatus::Confirmed, EventStatus::Reported);
    assert!(run.event(0, Some(&event(0.9, reported))).is_empty());
    assert!(run.event(1, Some(&event(0.744, confirmed))).is_empty());
    assert_eq!(run.event(2, Some(&event(0.746, confirmed))), ["event country:ua begins"], "0.75 as shown");
    assert!(run.event(3, Some(&event(0.66, confirmed))).is_empty());
    assert_eq!(run.event(4, Some(&event(0.6, confirmed))), ["event country:ua ends"]);
    assert_eq!(run.event(5, Some(&event(0.8, confirmed))), ["event country:ua begins"]);
    // Merged into another, or long quiet.
    assert_eq!(run.event(6, None), ["event country:ua ends"]);
}

#[test]
fn a_stale_feed_and_a_briefing() {
    let mut run = Run::default();
    let with = |n: i64, health: FeedHealth| {
        let standing = FeedStanding {
            feed: "gdelt".into(),
            title: "GDELT".into(),
            pillar: None,
            health,
            newest_content: Some(tick(0)),
            since: None,
        };
        Snapshot { feeds: vec![standing], ..snapshot(n, 30.0, Band::Calm) }
    };
    assert!(run.world(&with(0, FeedHealth::Late)).is_empty());
    assert_eq!(run.world(&with(1, FeedHealth::Stale)), ["feed feed:gdelt begins"]);
    assert!(run.world(&with(2, FeedHealth::Stale)).is_empty());
    assert_eq!(run.world(&with(3, FeedHealth::Ok)), ["feed feed:gdelt ends"]);
}

/// Applies a rule tick by tick; `None` where nothing changed.
fn own(rule: &str, scores: &[Option<f64>]) -> Vec<Option<bool>> {
    let rule = OwnRule::parse(rule, &["gdelt"]).unwrap();
    let mut on: Option<Alert> = None;
    let ask = |(n, score): (usize, &Option<f64>)| {
        let countries = countries(n as i64, &[("UA", *score, 0.5, false)]);
        let snapshot = snapshot(n as i64, score.unwrap_or(0.0), Band::Calm);
        let before = scores[..n].first().copied().flatten().map(|s| {
            let countries = self::countries(0, &[("UA", Some(s), 0.5, false)]);
            (24, ScoresThen { snapshot: self::snapshot(0, s, Band::Calm), countries: Some(countries) })
        });
        let before: BTreeMap<u32, ScoresThen> = before.into_iter().collect();
        let reading = RuleReading { snapshot: &snapshot, countries: Some(&countries), before: &before };
        let change = rule.advance(on.as_ref(), &reading)?;
        on = change.is_active().then(|| change.clone());
        Some(change.is_active())
    };
    scores.iter().enumerate().map(ask).collect()
}

#[test]
fn a_hooks_own_rule_begins_at_its_limit_and_ends_below_it() {
    let scores = |all: &[f64]| all.iter().map(|s| Some(*s)).collect::<Vec<_>>();
    let (began, ended) = (Some(true), Some(false));
    // 49.95 is shown as 50.0, and a rule uses shown values.
    let changes = own("score >= 50", &scores(&[49.9, 49.95, 48.5, 48.4, 50.0]));
    assert_eq!(changes, [None, began, None, ended, began]);
    assert_eq!(own("country.UA < 20", &scores(&[20.0, 19.9, 21.4, 21.5])), [None, began, None, ended]);
    let changes = own("pillar.conflict rises 8 in 24h", &scores(&[40.0, 47.9, 48.0, 44.0, 43.9]));
    assert_eq!(changes, [None, None, began, None, ended]);
    // A country without a score keeps its alert.
    assert_eq!(own("country.UA >= 60", &[Some(61.0), None, Some(58.0)]), [began, None, ended]);
    let both = own("score >= 50 and country.UA >= 55", &scores(&[52.0, 56.0, 49.0, 48.0]));
    assert_eq!(both, [None, began, ended, None]);
}

#[test]
fn a_hook_gets_its_topics() {
    let news = snapshot(0, 51.0, Band::High);
    let on = advance(AlertMethod::compiled(), &view(&news, None, &[]), &[]);
    let hook = |topics: &[HookTopic], when: Option<&str>| Hook {
        name: "desk".into(),
        url: "https://example.org".into(),
        topics: topics.to_vec(),
        when: when.map(str::to_owned),
        format: HookFormat::Webhook,
        state: HookState::On,
        secrets: Vec::new(),
        created_at: tick(0),
    };
    let sent = |hook: &Hook, own: Option<&Alert>, holds: bool| -> Vec<&'static str> {
        let news = HookNews { snapshot: &news, alerts: &on, briefings: &[] };
        let messages = messages_to(hook, &news, own, holds);
        assert_eq!(messages, messages_to(hook, &news, own, holds), "the same message has the same id");
        messages.iter().map(|m| m.kind.key()).collect()
    };
    use HookTopic::{Alert as Alerts, Snapshot as Snapshots};
    assert_eq!(sent(&hook(&[Alerts], None), None, false), ["alert.began"]);
    assert_eq!(sent(&hook(&[Alerts, Snapshots], None), None, false), ["alert.began", "snapshot.published"]);
    let ruled = hook(&[Alerts, Snapshots], Some("score >= 50"));
    assert!(sent(&ruled, None, false).is_empty());
    assert_eq!(sent(&ruled, None, true), ["snapshot.published"]);
    let over = on[0].ended(tick(1));
    assert_eq!(sent(&ruled, Some(&over), false), ["alert.ended"]);
}
