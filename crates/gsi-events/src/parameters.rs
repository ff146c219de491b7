//! The numbers and short word lists of the events crate, read from `method/events.toml`: every value that can change
//! an event or a series derived from events, apart from learned weights and tables. The file describes each.

use gsi_model::method_files;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

pub static PARAMETERS: LazyLock<EventParameters> = LazyLock::new(|| {
    // The file is compiled in and a test reads it, so this never fails in service.
    toml::from_str(method_files::EVENTS).expect("method/events.toml can be read")
});

/// Contains single words only.
type WordList = BTreeSet<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventParameters {
    pub articles: ArticleParameters,
    pub features: FeatureParameters,
    pub word_forms: WordFormParameters,
    pub stories: StoryParameters,
    pub clustering: ClusteringParameters,
    pub gravity: GravityParameters,
    pub intensity: IntensityParameters,
    pub escalation: EscalationParameters,
    pub conflict_intensity: ConflictIntensityParameters,
    pub rarity: RarityParameters,
    pub news: NewsVolumeParameters,
    pub places: PlaceParameters,
    pub outlets: OutletParameters,
    pub actors: ActorParameters,
    pub headlines: HeadlineParameters,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArticleParameters {
    pub max_age_days: i32,
    pub max_address_bytes: usize,
    pub word_weight: f64,
    pub max_word_weight: f64,
    pub lead_weight: f64,
    pub no_row_cost: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureParameters {
    pub many_words: usize,
    pub grimmest_tone: f64,
    pub min_words_for_start: usize,
    pub words_scale: f64,
    pub tone_scale: f64,
    pub rows_log2_scale: f64,
    pub codes_log2_scale: f64,
    pub mentions_log2_scale: f64,
    pub english_press: WordList,
    pub plain_host_labels: WordList,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordFormParameters {
    pub min_letters: usize,
    pub min_telling_letters: usize,
    pub min_stem_letters: usize,
    pub suffixes: Vec<String>,
    pub stop_words: WordList,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoryParameters {
    pub max_words: usize,
    pub min_words: usize,
    pub same_share: (usize, usize),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusteringParameters {
    pub idle_hours: i64,
    pub longest_hours: i64,
    pub join_km: f64,
    pub words_same_sides: usize,
    pub words_same_place: usize,
    pub words_same_country: usize,
    pub max_sources: usize,
    pub max_dyads: usize,
    pub max_codes: usize,
    pub max_side_characters: usize,
    pub domains_to_start: usize,
    pub domains_per_story: usize,
    pub reported_domains: u32,
    pub confirmed_domains: u32,
    pub confirmed_countries: usize,
    pub confirmed_probability: f64,
    pub intensity_domains: u32,
    pub unasked_probability: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GravityParameters {
    pub two_nuclear_states: f64,
    pub one_nuclear_state: f64,
    pub two_states: f64,
    pub state_and_other: f64,
    pub other: f64,
    pub unknown: f64,
    pub nuclear_armed: WordList,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntensityParameters {
    pub codes: BTreeMap<String, f64>,
    pub roots: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EscalationParameters {
    pub rise_half_life_hours: f64,
    pub fall_half_life_hours: f64,
    pub full_corroboration_domains: f64,
    pub reliability_of_one: f64,
    pub reliability_halving_domains: f64,
    pub full_tempo_doublings: f64,
    pub peak_events: usize,
    pub peak_hours: i64,
    pub weights: EscalationWeights,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EscalationWeights {
    pub intensity: f64,
    pub tempo: f64,
    pub corroboration: f64,
    pub gravity: f64,
    pub departure: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConflictIntensityParameters {
    pub half_life_hours: f64,
    pub horizon_days: i32,
    pub full_breadth_domains: f64,
    pub active_events: f64,
    pub active_window_hours: i64,
    pub active_window_days: i32,
    pub active_days: u32,
    pub active_edge: f64,
    pub history_days: i32,
    pub usual_days: i32,
    pub usual_gap_days: i32,
    pub min_usual_days: usize,
    pub offset_share: f64,
    pub min_offset: f64,
    pub min_recorded: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RarityParameters {
    pub tail_shape: f64,
    pub tail_sample: usize,
    pub tail_start: f64,
    pub min_tail_values: usize,
    pub prior_days: f64,
    pub min_probability: f64,
    pub prior_median: f64,
    pub prior_q95: f64,
    pub percentile_points: f64,
    pub decade_points: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewsVolumeParameters {
    pub reference_days: i32,
    pub thin_share: f64,
    pub missing_share: f64,
    pub thin_quality: f64,
    pub full_day_files: usize,
    pub partial_files: usize,
    pub max_scale: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceParameters {
    pub min_name_letters: usize,
    pub local_sections: WordList,
    pub world_sections: WordList,
    pub homonyms: WordList,
    pub recoded: Vec<(String, String)>,
    pub disputed: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutletParameters {
    pub generic_country_domains: WordList,
    pub unlisted_country: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActorParameters {
    pub misread: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadlineParameters {
    pub before_place: WordList,
    pub ground: WordList,
    pub force: WordList,
    pub may_be_verb: WordList,
    pub persons: WordList,
    pub harm: WordList,
    pub before_topic: WordList,
    pub after_topic: WordList,
    pub person_abroad: WordList,
    pub seas: Vec<(String, String)>,
}

/// Whether a list of pairs has this one.
pub fn has_pair(pairs: &[(String, String)], first: &str, second: &str) -> bool {
    pairs.iter().any(|(a, b)| a == first && b == second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constraints of the code that a type cannot express.
    #[test]
    fn the_file_fits_the_structures_that_hold_its_numbers() {
        let p = &*PARAMETERS;
        // Domains of an event are bits of 64; days of an event are bits of 16.
        assert!(p.clustering.max_sources <= 64);
        assert!((1..=16).contains(&p.conflict_intensity.horizon_days));
        assert!(p.stories.same_share.0 < p.stories.same_share.1);
        assert!(p.rarity.tail_sample > p.rarity.min_tail_values + 1);
        let gravities = [
            p.gravity.two_nuclear_states,
            p.gravity.one_nuclear_state,
            p.gravity.two_states,
            p.gravity.state_and_other,
            p.gravity.other,
            p.gravity.unknown,
        ];
        assert!(gravities.iter().all(|g| f64::from((g * 10.0).round() as u8) / 10.0 == *g), "in tenths");
        let w = &p.escalation.weights;
        let total = w.intensity + w.tempo + w.corroboration + w.gravity + w.departure;
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        for verb_or_person in p.headlines.may_be_verb.iter().chain(&p.headlines.persons) {
            assert!(p.headlines.force.contains(verb_or_person), "{verb_or_person} is no force");
        }
    }
}
