//! The news of the simulated world in the 61-column event and 16-column mention formats.
//!
//! Each slot is generated independently: background stories come from (seed, slot), reports of fighting from the plans of
//! the slot's day and the day before.

mod day_plan;
mod hostile;
mod measured;
mod outlets;

mod row;
mod slot_files;
pub mod topics;

use crate::scenario::Timeline;
use crate::world::geography::{self, Country, Place};
use crate::world::theaters::{self, Theater};
use crate::world::{Rng, Stream, Weighted};
use day_plan::{DayPlan, Incident, PlannedReport};
use gsi_model::{Day, HOUR, TICK, Timestamp};
pub use hostile::text as hostile_text;
use row::RowWriter;
pub use slot_files::{Receipt, SlotFileKind, SlotFiles, hex, zipped};
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

/// Plans kept: today's and yesterday's, for a reader and for the prefetcher.
const PLANS_KEPT: usize = 5;
/// Event numbers of the real feed on 2025-08-20T16:30:00Z; ours continue from it.
const ID_ORIGIN: (u64, i64) = (1_258_623_881, 1_755_707_400);
/// No slot holds more rows than this many times the mean, so slots never share an event number.
const ROWS_CEILING: f64 = 4.0;
/// Share of background articles that repeat a story of the last two hours on another site.
const SYNDICATED: f64 = 0.07;
/// Share of the reports of an incident that copy the agency's text.
const WIRE_COPY: f64 = 0.45;
/// Stories of an earlier slot that copies are taken from.
const WIRE_POOL: usize = 24;

/// Writes the news of any slot.
pub struct Newsroom {
    seed: u64,
    rows_per_slot: f64,
    mentions_per_row: f64,
    hostile: bool,
    timeline: Arc<Timeline>,
    plans: Mutex<VecDeque<Arc<DayPlan>>>,
}

/// The two files of one slot, unpacked.
#[derive(Debug, PartialEq, Eq)]
pub struct SlotNews {
    pub export: Vec<u8>,
    pub mentions: Vec<u8>,
}

/// What the mentions file needs to know about an article.
struct Article {
    url: String,
    first_id: u64,
    rows: u64,
    tone: String,
}

/// A background story. Several articles may report it.
struct BackgroundStory {
    topic: usize,
    country: &'static Country,
    place: &'static Place,
    slug: String,
}

/// What an article reports.
enum Assignment {
    Background(usize),
    Fighting { yesterday: bool, report: PlannedReport },
}

impl Newsroom {
    pub fn new(
        seed: u64,
        rows_per_slot: f64,
        mentions_per_row: f64,
        hostile: bool,
        timeline: Arc<Timeline>,
    ) -> Self {
        Newsroom {
            seed,
            rows_per_slot: rows_per_slot.clamp(1.0, 20_000.0),
            mentions_per_row: mentions_per_row.clamp(0.0, 20.0),
            hostile,
            timeline,
            plans: Mutex::default(),
        }
    }

    pub fn plan(&self, day: Day) -> Arc<DayPlan> {
        let mut plans = self.plans.lock().unwrap_or_else(|p| p.into_inner());
        if let Some(plan) = plans.iter().find(|p| p.day == day) {
            return plan.clone();
        }
        let plan = Arc::new(DayPlan::new(self.seed, &self.timeline, day, self.rows_per_slot / 400.0));
        if plans.len() >= PLANS_KEPT {
            plans.pop_front();
        }
        plans.push_back(plan.clone());
        plan
    }

    fn id_stride(&self) -> u64 {
        ((self.rows_per_slot * ROWS_CEILING) as u64).max(2_600)
    }

    /// Returns the first event number of a slot.
    fn first_id(&self, slot: Timestamp) -> u64 {
        let slots = (slot.unix() - ID_ORIGIN.1).div_euclid(TICK);
        ID_ORIGIN.0.saturating_add_signed(slots.saturating_mul(self.id_stride() as i64))
    }

    /// Returns the target number of rows in a slot, from mean, weekday, hour and scatter.
    fn target_rows(&self, slot: Timestamp) -> f64 {
        let mut rng = Rng::new(self.seed, Stream::SlotVolume, slot.unix());
        let shape = measured::BY_WEEKDAY[slot.day().weekday()]
            * measured::BY_HOUR[(slot.second_of_day() / HOUR) as usize]
            * libm::exp(
                measured::VOLUME_SCATTER * rng.normal()
                    - measured::VOLUME_SCATTER * measured::VOLUME_SCATTER / 2.0,
            );
        self.rows_per_slot * shape * self.timeline.series("news.volume", slot).factor
    }

    fn topic_weights(&self, slot: Timestamp) -> Weighted {
        Weighted::new(topics::all().iter().map(|t| t.share * self.timeline.topic_factor(&t.name, slot)))
    }

    fn story(&self, slot: Timestamp, index: usize, weights: &Weighted) -> BackgroundStory {
        let mut rng = Rng::with_pair(self.seed, Stream::Story, slot.unix(), index as i64);
        let topic = weights.draw(&mut rng);
        let country = topics::draw_country(topic, &mut rng);
        let place = country.pick_place(&mut rng);
        let mut slug = String::with_capacity(64);
        topics::write_slug(&mut slug, topic, &place.slug, &mut rng);
        if rng.chance(0.6) {
            let _ = write!(slug, "-{}", 100_000 + rng.below(9_000_000));
        }
        BackgroundStory { topic, country, place, slug }
    }

    pub fn slot(&self, slot: Timestamp) -> SlotNews {
        let (today, yesterday) = (self.plan(slot.day()), self.plan(slot.day().plus(-1)));
        let mut rng = Rng::new(self.seed, Stream::SlotArticles, slot.unix());
        let target = self.target_rows(slot);
        let fighting = today.reports_in(slot).len() + yesterday.reports_in(slot).len();
        let background = (target / measured::ROWS_PER_ARTICLE_MEAN - fighting as f64).max(target * 0.05);
        let background = (background + rng.unit()) as usize;
        let mut sources: Vec<Assignment> = (0..background).map(Assignment::Background).collect();
        for (is_yesterday, plan) in [(false, &today), (true, &yesterday)] {
            for report in plan.reports_in(slot) {
                // Reports are mixed with the other articles, in the order of the crawler.
                let at = rng.below(sources.len() + 1);
                sources.push(Assignment::Fighting { yesterday: is_yesterday, report: *report });
                let last = sources.len() - 1;
                sources.swap(at.min(last), last);
            }
        }
        let weights = self.topic_weights(slot);
        let first_id = self.first_id(slot);
        let mut rows = RowWriter::new(slot, first_id, (target * 420.0) as usize, self.id_stride());
        let mut articles = Vec::with_capacity(sources.len());
        for (number, source) in sources.iter().enumerate() {
            if rows.full() {
                break;
            }
            let mut rng = Rng::with_pair(self.seed, Stream::SlotArticles, slot.unix(), number as i64 + 1);
            let article = match source {
                Assignment::Background(index) => self.background(slot, *index, &weights, &mut rows, &mut rng),
                Assignment::Fighting { yesterday: late, report } => {
                    let plan = if *late { &yesterday } else { &today };
                    self.fighting(slot, plan, report, &mut rows, &mut rng)
                }
            };
            articles.push(article);
        }
        let mentions = self.mentions(slot, &articles);
        SlotNews { export: rows.finish(), mentions }
    }

    fn background(
        &self,
        slot: Timestamp,
        index: usize,
        weights: &Weighted,
        rows: &mut RowWriter,
        rng: &mut Rng,
    ) -> Article {
        let story = if rng.chance(SYNDICATED) {
            let earlier = slot.minus(rng.below(8) as i64 * TICK);
            self.story(earlier, rng.below(WIRE_POOL), &self.topic_weights(earlier))
        } else {
            self.story(slot, index, weights)
        };
        let topic = &topics::all()[story.topic];
        let section = rng.pick(&topic.sections);
        let mut url = address(slot, section, &story.slug, rng);
        let tone = tone_around(topic.tone, rng);
        let count = rows_of_article(rng);
        if self.hostile {
            hostile::maybe_poison(&mut url, rows, rng);
        }
        let first_id = rows.next_id();
        rows.start_article(&url, &tone);
        for _ in 0..count {
            let code = topics::draw_code(story.topic, rng);
            rows.background(code, story.country, story.place, rng);
        }
        Article { url, first_id, rows: count, tone }
    }

    fn fighting(
        &self,
        slot: Timestamp,
        plan: &DayPlan,
        report: &PlannedReport,
        rows: &mut RowWriter,
        rng: &mut Rng,
    ) -> Article {
        let incident = &plan.incidents[report.incident as usize];
        let theater = &theaters::all()[incident.theater];
        let wire = rng.chance(WIRE_COPY);
        // All copies of the agency's text share one generator; every other report has its own.
        let mut words = Rng::with_pair(
            self.seed,
            Stream::Story,
            incident.key,
            if wire { 0 } else { i64::from(report.number) + 1 },
        );
        let slug = war_slug(theater, incident, &mut words);
        let section = *rng.pick(&["world", "news", "international", "news/world", "conflict"]);
        let mut url = address(slot, section, &slug, rng);
        let tone = tone_around(measured::TONE_OF_FIGHTING, rng);
        let count = rows_of_article(rng);
        if self.hostile {
            hostile::maybe_poison(&mut url, rows, rng);
        }
        let first_id = rows.next_id();
        rows.start_article(&url, &tone);
        let (a, b) = if incident.flipped { (&theater.b, &theater.a) } else { (&theater.a, &theater.b) };
        let Some(country) = geography::country(incident.place.fips) else {
            return Article { url, first_id, rows: 0, tone };
        };
        for number in 0..count {
            let code =
                if number == 0 || rng.chance(0.4) { incident.code } else { topics::draw_war_code(rng) };
            rows.fighting(code, number == 0, country, incident.place, a, b, rng);
        }
        Article { url, first_id, rows: count, tone }
    }

    /// Writes mentions of this slot's events and, mostly, of the last day's.
    fn mentions(&self, slot: Timestamp, articles: &[Article]) -> Vec<u8> {
        let events: u64 = articles.iter().map(|p| p.rows).sum();
        let wanted = (events as f64 * self.mentions_per_row) as usize;
        let mut out = Vec::with_capacity(wanted * 170);
        let mut rng = Rng::new(self.seed, Stream::Mentions, slot.unix());
        if articles.is_empty() {
            return out;
        }
        let stamp = slot.to_compact();
        for _ in 0..wanted {
            let article = &articles[rng.below(articles.len())];
            let (id, event_stamp) = if rng.chance(0.32) || article.rows == 0 {
                (article.first_id + rng.below(article.rows.max(1) as usize) as u64, stamp.clone())
            } else {
                // Low row numbers exist in every slot; a mention of a row that a small slot lacks is possible in the
                // real feed too, where events of missing slots are mentioned.
                let back = if rng.chance(0.985) { 1 + rng.below(95) as i64 } else { 96 * 365 };
                let then = slot.minus(back * TICK);
                let rows = (self.target_rows(then) * 0.5).max(1.0) as usize;
                (self.first_id(then) + rng.below(rows) as u64, then.to_compact())
            };
            row::write_mention(&mut out, id, &event_stamp, &stamp, &article.url, &article.tone, &mut rng);
        }
        out
    }
}

/// Draws the rows of one article, which have a heavy tail.
fn rows_of_article(rng: &mut Rng) -> u64 {
    let drawn = libm::exp(measured::ROWS_PER_ARTICLE_MU + measured::ROWS_PER_ARTICLE_SIGMA * rng.normal());
    drawn.round().clamp(1.0, measured::ROWS_PER_ARTICLE_MAX) as u64
}

/// One tone per article, articles with as many digits as the real one.
fn tone_around(mean: f64, rng: &mut Rng) -> String {
    let tone = (mean + measured::TONE_SPREAD * rng.normal()).clamp(-30.0, 30.0);
    format!("{tone:.13}")
}

fn address(slot: Timestamp, section: &str, slug: &str, rng: &mut Rng) -> String {
    let host = outlets::host(outlets::draw(rng));
    let mut url = String::with_capacity(160);
    let (y, m, d) = slot.day().ymd();
    let _ = match rng.below(10) {
        0..=4 => write!(url, "https://{host}/{section}/{slug}/"),
        5..=7 => write!(url, "https://{host}/{y:04}/{m:02}/{d:02}/{section}/{slug}.html"),
        8 => write!(url, "https://{host}/{section}/article/{}/{slug}", 1_000_000 + rng.below(8_000_000)),
        _ => write!(url, "http://{host}/news/{section}/{slug}"),
    };
    url
}

fn war_slug(theater: &Theater, incident: &Incident, rng: &mut Rng) -> String {
    let bank: &[&str] = match measured::codes()[incident.code].code {
        "195" | "1951" => &["airstrike-hits", "air-strikes-pound", "drones-strike", "missile-strike-on"],
        "194" => &["shelling-hits", "artillery-pounds", "tanks-advance-on", "rockets-strike"],
        "180" | "183" | "1831" => {
            &["bomb-blast-in", "explosion-rocks", "suicide-bombing-in", "car-bomb-kills-in"]
        }
        "150" | "152" | "154" => {
            &["troops-mass-near", "forces-on-alert-in", "army-deploys-to", "troops-mobilise-near"]
        }
        "130" | "138" => &["warning-over", "vows-retaliation-after", "threatens-attack-on", "ultimatum-over"],
        "173" | "175" => &["mass-arrests-in", "crackdown-in", "detained-in", "raid-and-arrests-in"],
        "192" | "191" => &["forces-seize", "troops-capture", "blockade-of", "siege-tightens-around"],
        _ => &["fighting-in", "clashes-in", "soldiers-killed-in", "deadly-attack-on", "battle-for"],
    };
    let mut slug = String::with_capacity(72);
    let _ = write!(slug, "{}-{}-{}", rng.pick(&theater.words), rng.pick(bank), incident.place.slug);
    match rng.below(4) {
        0 => {
            let _ = write!(slug, "-{}-killed", 2 + rng.below(40));
        }
        1 => slug.push_str("-officials-say"),
        2 => slug.push_str("-as-civilians-flee"),
        _ => {}
    }
    slug
}
