//! Measures the quality of events on days that the filter was not trained on.
//!
//! Each fold of files is held out in turn. The filter is trained on the others, and all of `gsi_events` (filter, place, clustering,
//! escalation) runs over the held-out files. No figure is measured on a label, a story or a file that was used in training.

use super::examples::{Corpus, Judgement, OwnLabel, TrainingArticle};
use super::teach;
use gsi_events::EventClusterer;
use gsi_model::{Event, EventChange};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Draws of the bootstrap.
const DRAWS: usize = 1_000;
/// Events at the top of the list that are judged one by one.
pub const TOP_EVENTS: usize = 30;

/// A judged article and its outcome.
#[derive(Debug, Clone)]
pub struct MeasuredArticle {
    pub judged: Judgement,
    pub probability: f64,
    /// The event that it became part of.
    pub event: Option<String>,
    pub right_country: bool,
    pub right_category: bool,
    /// The bootstrap draws all articles of a story together.
    story: String,
}

/// An event at the top of the list.
#[derive(Debug, Clone)]
pub struct MeasuredEvent {
    pub event: Event,
    /// The number of judged articles, of real ones, and of real ones in the event's country.
    pub judged: usize,
    pub real: usize,
    pub right: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Measurement {
    pub articles: Vec<MeasuredArticle>,
    /// Highest escalation first.
    pub events: Vec<MeasuredEvent>,
    /// Real rows of the project's labels: incident, event, and whether the event's country is right.
    pub rows: Vec<(String, Option<String>, bool)>,
}

/// A share with a 95 % bootstrap interval over stories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredShare {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl std::fmt::Display for MeasuredShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.value, self.low, self.high)
    }
}

/// Measures every fold with a filter that was trained on the others.
pub fn held_out(corpus: &Corpus) -> Measurement {
    let mut all = Measurement::default();
    for fold in 0..corpus.folds() {
        let in_fold = |a: &&TrainingArticle| a.fold == fold;
        let (filter, _) = teach::teach(corpus.articles.iter().filter(|a| !in_fold(a)));
        let filter = Arc::new(filter);
        let mut clusterer = EventClusterer::with_filter(filter.clone());
        let mut latest: BTreeMap<String, Event> = BTreeMap::new();
        for file in corpus.files.iter().filter(|f| f.fold == fold) {
            for change in clusterer.advance(file.stamp, &file.rows, &file.slots).changes {
                match change {
                    EventChange::Put(version) => {
                        drop(latest.insert(version.event.id.to_string(), version.event))
                    }
                    EventChange::Merged { gone, .. } => drop(latest.remove(gone.as_str())),
                }
            }
        }
        let articles: Vec<&TrainingArticle> = corpus.articles.iter().filter(in_fold).collect();
        let probability = |a: &TrainingArticle| filter.probability(&a.example.features);
        all.add_fold(corpus, fold, &articles, &latest, probability);
    }
    all.events.sort_by(|a, b| b.event.escalation.total_cmp(&a.event.escalation));
    all
}

impl Measurement {
    fn add_fold(
        &mut self,
        corpus: &Corpus,
        fold: usize,
        articles: &[&TrainingArticle],
        latest: &BTreeMap<String, Event>,
        probability: impl Fn(&TrainingArticle) -> f64,
    ) {
        let mut event_of: BTreeMap<&str, &Event> = BTreeMap::new();
        for event in latest.values() {
            event_of.extend(event.sources.iter().map(|s| (s.url.as_str(), event)));
        }
        let mut judged_of: BTreeMap<&str, Judgement> = BTreeMap::new();
        for article in articles {
            let Some(judged) = article.judged else { continue };
            judged_of.insert(&article.url, judged);
            let event = event_of.get(article.url.as_str());
            let story = match (judged.country, judged.category) {
                (Some(country), Some(category)) if judged.real => format!("{fold} {country} {category}"),
                _ => format!("{fold} {}", article.url),
            };
            self.articles.push(MeasuredArticle {
                judged,
                probability: probability(article),
                event: event.map(|e| e.id.to_string()),
                right_country: event.is_some_and(|e| e.country == judged.country),
                right_category: event.is_some_and(|e| Some(e.category) == judged.category),
                story,
            });
        }
        for event in latest.values() {
            let judged: Vec<&Judgement> =
                event.sources.iter().filter_map(|s| judged_of.get(s.url.as_str())).collect();
            self.events.push(MeasuredEvent {
                event: event.clone(),
                judged: judged.len(),
                real: judged.iter().filter(|j| j.real).count(),
                right: judged.iter().filter(|j| j.real && j.country == event.country).count(),
            });
        }
        let own: BTreeMap<u64, &OwnLabel> = corpus.own.iter().map(|l| (l.row, l)).collect();
        for row in corpus.files.iter().filter(|f| f.fold == fold).flat_map(|f| &f.rows) {
            let Some(label) = own.get(&row.id).filter(|l| l.real == Some(true)) else { continue };
            let event = event_of.get(&*row.url);
            let country = event.and_then(|e| e.country).map(|c| c.to_string());
            let right = country.is_some_and(|c| label.countries.contains(&c));
            self.rows.push((label.happening.clone(), event.map(|e| e.id.to_string()), right));
        }
    }

    /// Returns the share of articles with `hit` among those with `of`, with an interval over stories.
    pub fn share(
        &self,
        of: impl Fn(&MeasuredArticle) -> bool,
        hit: impl Fn(&MeasuredArticle) -> bool,
    ) -> MeasuredShare {
        let mut stories: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for article in self.articles.iter().filter(|a| of(a)) {
            let story = stories.entry(&article.story).or_default();
            story.0 += f64::from(hit(article));
            story.1 += 1.0;
        }
        let stories: Vec<(f64, f64)> = stories.into_values().collect();
        let ratio = |drawn: &mut dyn Iterator<Item = (f64, f64)>| {
            let (hits, all) = drawn.fold((0.0, 0.0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
            if all > 0.0 { hits / all } else { 0.0 }
        };
        let value = ratio(&mut stories.iter().copied());
        let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draws: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let mut draw = || stories[(split_mix(&mut chance) % stories.len().max(1) as u64) as usize];
                ratio(&mut (0..stories.len()).map(|_| draw()))
            })
            .collect();
        draws.sort_by(f64::total_cmp);
        MeasuredShare { value, low: draws[DRAWS / 40], high: draws[DRAWS - DRAWS / 40] }
    }

    pub fn precision(&self) -> MeasuredShare {
        self.share(|a| a.event.is_some(), |a| a.judged.real)
    }

    pub fn recall(&self) -> MeasuredShare {
        self.share(|a| a.judged.real, |a| a.event.is_some())
    }

    /// Returns the share among real articles that became events and whose country is labelled.
    pub fn right_country(&self) -> MeasuredShare {
        self.share(|a| a.event.is_some() && a.judged.real && a.judged.country.is_some(), |a| a.right_country)
    }

    pub fn right_category(&self) -> MeasuredShare {
        self.share(|a| a.event.is_some() && a.judged.real, |a| a.right_category)
    }

    /// Returns how many of the highest escalations have mostly real articles in the event's country.
    pub fn right_at_top(&self) -> usize {
        self.events.iter().take(TOP_EVENTS).filter(|e| 2 * e.right > e.judged).count()
    }

    pub fn real_at_top(&self) -> usize {
        self.events.iter().take(TOP_EVENTS).filter(|e| 2 * e.real > e.judged).count()
    }

    /// Returns the number of pairs of real rows that were joined correctly, that were joined, and that belong together.
    pub fn pairs(&self) -> (usize, usize, usize) {
        let kept: Vec<(&str, &str)> =
            self.rows.iter().filter_map(|(h, e, _)| Some((h.as_str(), e.as_deref()?))).collect();
        let (mut right, mut joined, mut belong) = (0, 0, 0);
        for (i, (happening, event)) in kept.iter().enumerate() {
            for (other, with) in &kept[i + 1..] {
                belong += usize::from(happening == other);
                joined += usize::from(event == with);
                right += usize::from(happening == other && event == with);
            }
        }
        (right, joined, belong)
    }

    /// Returns the page docs/event-quality.md.
    pub fn page(&self) -> String {
        let kept = self.articles.iter().filter(|a| a.event.is_some()).count();
        let real = self.articles.iter().filter(|a| a.judged.real).count();
        let mut page = format!(
            "# How good the events are\n\n\
             {} articles of 21 real event files were judged by readers who saw their addresses and coded rows; {real} report a real, \
             current event. A few days of files at a time were left out, the filter was trained on the others \
             (`gsi-lab train-events`), and all steps from rows to events ran over the files that were left out. Intervals (95 %) are drawn \
             over stories, because the articles of one story are right or wrong together. Written by \
             `TEST_WRITE_DOCS=1 cargo test -p gsi-lab --test event_quality`.\n\n\
             ## Which articles are kept, and where they are placed\n\n\
             | by article | share (95 %) |\n|---|---|\n",
            self.articles.len(),
        );
        let all_real = self.share(|_| true, |a| a.judged.real);
        let fully =
            self.share(|a| a.event.is_some(), |a| a.judged.real && a.right_country && a.right_category);
        for (what, share) in [
            ("real among all articles", all_real),
            ("real among the kept ones (precision)", self.precision()),
            ("kept among the real ones (recall)", self.recall()),
            ("right country among the kept real ones", self.right_country()),
            ("right category among the kept real ones", self.right_category()),
            ("real, in the right country and category, among the kept ones", fully),
        ] {
            let _ = writeln!(page, "| {what} | {share} |");
        }
        let _ = writeln!(
            page,
            "\n{kept} articles were kept. The effect of other thresholds, before places are judged:\n"
        );
        page += "| kept from probability | articles | precision | recall |\n|---|---|---|---|\n";
        for from in [0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7] {
            let is_kept = |a: &MeasuredArticle| a.probability >= from;
            let count = self.articles.iter().filter(|a| is_kept(a)).count();
            let precision = self.share(is_kept, |a| a.judged.real);
            let recall = self.share(|a| a.judged.real, is_kept);
            let _ = writeln!(page, "| {from:.2} | {count} | {precision} | {recall} |");
        }
        page += "\nHow well probabilities are calibrated:\n\n| probability | articles | mean | real |\n|---|---|---|---|\n";
        for (from, to) in
            [(0.0, 0.1), (0.1, 0.2), (0.2, 0.35), (0.35, 0.5), (0.5, 0.65), (0.65, 0.8), (0.8, 1.0)]
        {
            let there: Vec<&MeasuredArticle> =
                self.articles.iter().filter(|a| (from..to).contains(&a.probability)).collect();
            let mean = there.iter().map(|a| a.probability).sum::<f64>() / there.len().max(1) as f64;
            let share = self.share(|a| (from..to).contains(&a.probability), |a| a.judged.real);
            let _ = writeln!(page, "| {from:.2}–{to:.2} | {} | {mean:.2} | {share} |", there.len());
        }
        let _ = write!(
            page,
            "\n## The {TOP_EVENTS} highest escalations\n\n{} of them are real (most of their judged articles are), {} real and in the right \
             country.\n",
            self.real_at_top(),
            self.right_at_top()
        );
        let (right, joined, belong) = self.pairs();
        let placed = self.rows.iter().filter(|(_, e, right)| e.is_some() && *right).count();
        let became = self.rows.iter().filter(|(_, e, _)| e.is_some()).count();
        let (precision, recall) = (right as f64 / joined.max(1) as f64, right as f64 / belong.max(1) as f64);
        let _ = write!(
            page,
            "\n## Which rows are about one incident\n\nThe project's labels (`crates/gsi-events/tests/labels`) say which of their {} real \
             rows are about one incident. {became} of them became events, {placed} of these in the right country. Of {joined} pairs in one event {right} belong \
             together (precision {precision:.2}). Of the {belong} pairs that belong together, the same number was found (recall {recall:.2}).\n",
            self.rows.len(),
        );
        page
    }
}

/// SplitMix64, whose draws are the same on every machine.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
