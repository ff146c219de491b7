//! Properties of every country's score, whatever the world and its publishers do.

use gsi_index::{
    Catalogue, CountryComputed, CountryEngine, CountryInputs, CountryMethod, Method, SeriesTable,
    tallies_of_day,
};
use gsi_model::{
    CountryCode, CountryEvents, CountryScore, CountrySnapshot, CountryStanding, DAY, Day, HOUR, NewsSlot,
    SlotCountry, TICK, Timestamp,
};
use std::collections::BTreeMap;

const FIRST: Day = Day(20_500);
/// Articles in each hourly file of the test's press.
const ARTICLES: u32 = 1_000;
/// A simulated day's closes come a quarter of an hour before its end.
const ROUNDING: f64 = 2e-3;

/// Of a thousand articles: those from the country, and those of them that report violence. And its events.
#[derive(Clone, Copy, Default)]
struct Press {
    articles: u32,
    violent: f64,
    events: CountryEvents,
}

const WAR: CountryEvents =
    CountryEvents { intensity: 6.0, peak_escalation: 70.0, violence: 4.0, violent_events: 5 };

fn code(text: &str) -> CountryCode {
    CountryCode::from_iso2(text).unwrap()
}

/// A world in which one country has long been at war, one has much crime news, and the others are at peace.
fn usual(country: &str) -> Press {
    let calm = |articles, violent| Press { articles, violent, ..Press::default() };
    match country {
        "US" => calm(300, 21.0),
        "UA" => Press { articles: 50, violent: 17.0, events: WAR },
        "FR" => calm(40, 1.6),
        "PL" => calm(20, 0.8),
        "ML" => calm(6, 1.0),
        "NR" => Press::default(),
        _ => calm(8, 0.4),
    }
}

const COUNTRIES: [&str; 30] = [
    "US", "UA", "FR", "PL", "ML", "NR", "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "DE", "DK", "ES",
    "FI", "GB", "GR", "IE", "IT", "JP", "KR", "NL", "NO", "NZ", "PT", "SE", "SG",
];

struct Run {
    table: SeriesTable,
    engine: CountryEngine,
    last: Option<CountrySnapshot>,
    published: BTreeMap<Timestamp, CountrySnapshot>,
}

impl Run {
    fn new() -> Run {
        let parameters = Catalogue::parse(Method::default_text()).unwrap().parameters;
        let engine = CountryEngine::new(CountryMethod::compiled(), parameters);
        Run { table: SeriesTable::new(), engine, last: None, published: BTreeMap::new() }
    }

    /// The hourly files of a day; none where the press is `None`.
    fn files(&mut self, day: Day, press: &dyn Fn(&str) -> Option<Press>) -> Vec<NewsSlot> {
        let mut files = Vec::new();
        for hour in 1..=24 {
            let stamp = day.start().plus(hour * HOUR - TICK);
            let countries: Vec<SlotCountry> = COUNTRIES
                .iter()
                .filter_map(|name| {
                    let press = press(name)?;
                    (press.articles > 0).then_some(SlotCountry {
                        country: code(name),
                        articles: press.articles,
                        conflict: press.violent,
                    })
                })
                .collect();
            if countries.is_empty() {
                continue;
            }
            let conflict = countries.iter().map(|c| c.conflict).sum();
            files.push(NewsSlot {
                stamp,
                known_at: stamp,
                rows: 4 * ARTICLES,
                articles: ARTICLES,
                conflict,
                countries,
                ..NewsSlot::default()
            });
        }
        files
    }

    fn compute(&mut self, tick: Timestamp, press: &dyn Fn(&str) -> Option<Press>) -> CountrySnapshot {
        self.compute_all(tick, press).snapshot
    }

    fn compute_all(&mut self, tick: Timestamp, press: &dyn Fn(&str) -> Option<Press>) -> CountryComputed {
        let events: BTreeMap<CountryCode, CountryEvents> =
            COUNTRIES.iter().filter_map(|name| Some((code(name), press(name)?.events))).collect();
        let computed = self.engine.compute(&CountryInputs {
            tick,
            simulated: true,
            table: &self.table,
            events: &events,
            previous: self.last.as_ref(),
            day_ago: self.published.get(&tick.minus(DAY)),
        });
        computed.derived.iter().for_each(|o| self.table.insert(o));
        self.last = Some(computed.snapshot.clone());
        self.published.insert(tick, computed.snapshot.clone());
        computed
    }

    /// One day: its files, its last tick, and the tallies that the world's engine writes with it.
    fn day(&mut self, day: Day, press: &dyn Fn(&str) -> Option<Press>) -> CountrySnapshot {
        let files = self.files(day, press);
        files.iter().for_each(|slot| self.table.insert_slot(slot));
        let tick = day.end().minus(TICK);
        let snapshot = self.compute(tick, press);
        for mut tally in tallies_of_day(day, &files) {
            tally.known_at = tick;
            self.table.insert(&tally);
        }
        self.table.prune(tick);
        snapshot
    }

    fn days(
        &mut self,
        days: std::ops::Range<i32>,
        press: &dyn Fn(&str) -> Option<Press>,
    ) -> Vec<CountrySnapshot> {
        days.map(|n| self.day(FIRST.plus(n), press)).collect()
    }
}

fn as_usual(name: &str) -> Option<Press> {
    Some(usual(name))
}

fn score(snapshot: &CountrySnapshot, name: &str) -> f64 {
    one(snapshot, name).score.unwrap_or_else(|| panic!("{name} has no score: {:?}", one(snapshot, name)))
}

fn one<'a>(snapshot: &'a CountrySnapshot, name: &str) -> &'a CountryScore {
    snapshot.country(code(name)).unwrap_or_else(|| panic!("nothing is known of {name}"))
}

fn check_sums(snapshot: &CountrySnapshot) {
    for c in snapshot.countries.iter().filter(|c| c.score.is_some()) {
        let total = c.score.unwrap();
        assert!((0.0..=100.0).contains(&total), "{} {total}", c.country);
        let parts: f64 = c.indicators().map(|i| i.contribution).sum();
        assert!((parts - total).abs() < ROUNDING, "{}: {parts} is not {total}", c.country);
        if let Some(delta) = c.delta_24h {
            let here: f64 = c.indicators().map(|i| i.change_24h.unwrap()).sum();
            let left: f64 = c.left.iter().map(|l| l.change_24h).sum();
            assert!((here + left - delta).abs() < ROUNDING, "{}: {here} + {left} is not {delta}", c.country);
        }
        let weights: f64 = c.pillars.iter().map(|p| p.weight).sum();
        assert!((weights - 1.0).abs() < ROUNDING, "{}", c.country);
    }
}

#[test]
fn a_war_is_in_the_score_of_its_country_within_a_day_and_stays() {
    let mut run = Run::new();
    let calm = run.days(0..120, &as_usual);
    let before = calm.last().unwrap();
    let invaded = |name: &str| match name {
        "PL" => Some(Press { articles: 120, violent: 60.0, events: WAR }),
        other => as_usual(other),
    };
    let war = run.days(120..180, &invaded);
    war.iter().chain(&calm).for_each(check_sums);
    assert!(
        score(&war[0], "PL") - score(before, "PL") > 25.0,
        "{} {}",
        score(before, "PL"),
        score(&war[0], "PL")
    );
    assert!(score(&war[0], "PL") > score(&war[0], "US") + 20.0);
    for other in ["US", "FR", "UA"] {
        let moved = (score(&war[0], other) - score(before, other)).abs();
        assert!(moved < 6.0, "{other} moved by {moved}");
    }
    // Two months later the war is no surprise any more, but still a war.
    let last = war.last().unwrap();
    assert!(score(last, "PL") > score(last, "FR") + 20.0, "{} {}", score(last, "PL"), score(last, "FR"));
    assert!(score(last, "UA") > score(last, "US") + 15.0, "crime news is no war");
    assert_eq!(war[0].country(code("PL")).unwrap().trend, gsi_model::Trend::Up);
}

#[test]
fn a_publisher_that_stops_for_one_country_calms_nothing() {
    let mut run = Run::new();
    let before = run.days(0..120, &as_usual).pop().unwrap();
    // As in June 2025: from one day to the next a hundredth of the reports, in the middle of a war.
    let silenced = |name: &str| match name {
        "UA" => Some(Press { articles: 1, ..Press::default() }),
        other => as_usual(other),
    };
    let silence = run.days(120..138, &silenced);
    for (n, snapshot) in silence.iter().enumerate() {
        let Some(ukraine) = snapshot.country(code("UA")) else {
            assert!(n > 12, "day {n}");
            continue;
        };
        assert!(ukraine.silent, "day {n}");
        // After a fortnight there is no data left, and then there is no score.
        assert!(ukraine.score.is_some() || n > 12, "day {n}");
        let fell = score(&before, "UA") - ukraine.score.unwrap_or(100.0);
        assert!(fell < 2.0, "day {n}: it fell by {fell}");
        assert!(ukraine.indicators().any(|i| i.held) || ukraine.score.is_none());
        check_sums(snapshot);
    }
    assert!(one(&silence[3], "UA").coverage < one(&before, "UA").coverage - 0.2, "but less is known of it");
    let after = run.days(138..141, &as_usual).pop().unwrap();
    assert!(!one(&after, "UA").silent);
    let (then, now) = (one(&before, "UA"), one(&after, "UA"));
    let moved = (score(&after, "UA") - score(&before, "UA")).abs();
    assert!(moved < 5.0, "it continues where it was, not {moved} away: {then:#?} {now:#?}");
}

#[test]
fn a_silent_press_calms_no_country_and_little_press_is_no_calm() {
    let mut run = Run::new();
    let before = run.days(0..60, &as_usual).pop().unwrap();
    assert_eq!(one(&before, "ML").standing, CountryStanding::Scored);
    assert!(before.country(code("NR")).is_none_or(|c| c.standing == CountryStanding::Unmonitored));
    for silent in run.days(60..63, &|_| None) {
        for name in ["US", "UA", "FR", "PL", "ML"] {
            let moved = (score(&silent, name) - score(&before, name)).abs();
            assert!(moved < 0.5, "{name} moved by {moved}");
        }
    }
    // One article from a place without news coverage gives neither a crisis nor a score.
    let noticed = |name: &str| match name {
        "NR" => Some(Press { articles: 1, violent: 1.0, ..Press::default() }),
        other => as_usual(other),
    };
    let mut run = Run::new();
    run.days(0..60, &as_usual);
    let next = run.day(FIRST.plus(60), &noticed);
    assert_eq!(one(&next, "NR").standing, CountryStanding::Unmonitored);
    assert!(next.ranked().iter().all(|c| c.country != code("NR")));
}

#[test]
fn a_day_whose_last_tick_was_missed_is_closed_by_the_next() {
    let mut whole = Run::new();
    whole.days(0..60, &as_usual);
    let mut broken = Run { table: whole.table.clone(), ..Run::new() };
    (broken.last, broken.published) = (whole.last.clone(), whole.published.clone());
    let files = whole.files(FIRST.plus(60), &as_usual);
    for run in [&mut whole, &mut broken] {
        files.iter().for_each(|slot| run.table.insert_slot(slot));
    }
    let midnight = FIRST.plus(61).start();
    let kept = |run: &mut Run, ticks: [Timestamp; 2]| -> Vec<(String, String, f64)> {
        let derived = ticks.map(|tick| run.compute_all(tick, &as_usual).derived);
        let rows = derived.into_iter().flatten().inspect(|o| assert_eq!(o.period_end, midnight));
        let mut rows: Vec<_> = rows.map(|o| (o.series, o.entity, o.value)).collect();
        rows.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        rows
    };
    let without_gap = kept(&mut whole, [midnight.minus(TICK), midnight]);
    let afterwards = kept(&mut broken, [midnight.minus(3 * HOUR), midnight]);
    assert!(without_gap.iter().any(|(series, ..)| series == "news.articles_by_country"));
    let without_scores = |rows: &[(String, String, f64)]| -> Vec<(String, String, f64)> {
        rows.iter().filter(|(series, ..)| series != "countries.score").cloned().collect()
    };
    assert_eq!(without_scores(&afterwards), without_scores(&without_gap), "the same files and events");
    assert_eq!(afterwards.len(), without_gap.len(), "and a score for every country scored before");
}

#[test]
fn more_violence_never_lowers_a_score() {
    let mut last = 0.0;
    for violent in [1.6, 3.0, 6.0, 12.0, 24.0, 40.0] {
        let mut run = Run::new();
        run.days(0..60, &as_usual);
        let press = |name: &str| match name {
            "FR" => Some(Press { violent, ..usual("FR") }),
            other => as_usual(other),
        };
        let now = score(&run.day(FIRST.plus(60), &press), "FR");
        assert!(now >= last, "{violent}: {now} after {last}");
        last = now;
    }
}

#[test]
fn caches_only_save_work() {
    let mut run = Run::new();
    run.days(0..90, &as_usual);
    let tick = FIRST.plus(90).start().plus(9 * HOUR);
    let files = run.files(FIRST.plus(90), &as_usual);
    files.iter().filter(|f| f.stamp <= tick).for_each(|slot| run.table.insert_slot(slot));
    let (table, last, published) = (run.table.clone(), run.last.clone(), run.published.clone());
    let went_on = run.compute(tick, &as_usual);
    let mut fresh = Run { table, last, published, ..Run::new() };
    assert_eq!(fresh.compute(tick, &as_usual), went_on);
}

#[test]
fn every_number_of_the_catalogue_is_in_its_digest() {
    let text = CountryMethod::default_text();
    let own = CountryMethod::parse(text).unwrap();
    let mut changed = 0;
    for (at, line) in text.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with('#')) {
        for (place, digit) in line.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
            let other = if digit == '9' { '8' } else { char::from(digit as u8 + 1) };
            let mut edited: Vec<String> = text.lines().map(str::to_owned).collect();
            edited[at].replace_range(place..=place, &other.to_string());
            // Weights that no longer add up are refused, which is correct too.
            if let Ok(method) = CountryMethod::parse(&edited.join("\n")) {
                assert_ne!(method.digest(), own.digest(), "{line}");
                changed += 1;
            }
        }
    }
    assert!(changed > 60, "{changed}");
    for (from, to, wanted) in [
        ("weight = 0.10", "weight = 0.11", "pillar conflict"),
        ("measure = \"violence\"", "measure = \"other\"", "violence"),
        ("min_coverage = 0.15", "min_coverage = 1.3", "min_coverage"),
        ("USD = ", "XUS = ", "XUS is no country's currency"),
        ("period_days = 7", "period_days = 0", "not positive"),
        ("version = \"1.2.2\"", "version = \"\"", "version"),
    ] {
        let refused = CountryMethod::parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(refused.contains(wanted), "{refused}");
    }
}
