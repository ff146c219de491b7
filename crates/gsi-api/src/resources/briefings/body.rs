//! The bodies of the list of briefings and of one briefing with its facts.

use crate::representation::Number;
use crate::representation::table::{CsvCell, CsvRow};
use gsi_model::{Briefing, BriefingFact, Correction, TextAuthor, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of briefings, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefingPage {
    pub briefings: Vec<BriefingBody>,
    /// Send as `cursor` for the next page; null on the last.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A daily briefing.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefingBody {
    #[schema(example = "brf_0123456789ABCDEFGHJKMNPQRS", pattern = "^brf_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    /// One sentence.
    #[schema(example = "Conflict eases while energy markets tighten.")]
    pub headline: String,
    #[schema(example = "The composite fell to 41.3.")]
    pub summary: String,
    /// Pillar keys, event categories, `country:<iso2>`, `theater:<slug>`, `global`, `data-gap`, `record`.
    #[schema(example = json!(["global", "conflict", "country:UA"]))]
    pub tags: Vec<String>,
    #[schema(example = "2026-11-14T06:00:00Z")]
    pub published_at: Timestamp,
}

impl BriefingBody {
    pub fn of(briefing: &Briefing) -> Self {
        BriefingBody {
            id: briefing.id.to_string(),
            headline: briefing.headline.clone(),
            summary: briefing.summary.clone(),
            tags: briefing.tags.clone(),
            published_at: briefing.published_at,
        }
    }
}

impl CsvRow for BriefingBody {
    const COLUMNS: &'static [&'static str] = &["id", "published_at", "headline", "summary", "tags"];

    fn cells(&self) -> Vec<CsvCell<'_>> {
        vec![
            CsvCell::plain(&*self.id),
            CsvCell::time(self.published_at),
            CsvCell::text(&*self.headline),
            CsvCell::text(&*self.summary),
            CsvCell::text(self.tags.join("; ")),
        ]
    }
}

/// A briefing with its facts and their sources.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefingDetail {
    #[schema(example = "brf_0123456789ABCDEFGHJKMNPQRS", pattern = "^brf_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    pub headline: String,
    pub summary: String,
    pub tags: Vec<String>,
    #[schema(example = "2026-11-14T06:00:00Z")]
    pub published_at: Timestamp,
    /// The UTC day that it covers.
    #[schema(format = Date, example = "2026-11-13")]
    pub day: String,
    /// `global`, a pillar key, or `theater:<slug>`.
    #[schema(example = "global")]
    pub subject: String,
    /// The tick it was written from.
    #[schema(example = "2026-11-14T06:00:00Z")]
    pub as_of: Timestamp,
    /// Written later than its day because the service was not running.
    pub late: bool,
    pub generated_by: GeneratedByBody,
    /// The sentences of the summary; a fact's `sentence` is an index into this list.
    pub sentences: Vec<String>,
    pub facts: Vec<FactBody>,
    /// The briefing this one corrects, or null.
    #[schema(required = true)]
    pub corrects: Option<String>,
    /// The briefing that corrects this one, or null. The corrected briefing is otherwise unchanged.
    #[schema(required = true)]
    pub corrected_by: Option<String>,
}

/// The author of the text.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratedByBody {
    pub how: TextAuthor,
    /// Why a model's text was not used, or null.
    #[schema(required = true)]
    pub rejected: Option<String>,
}

/// One supported statement.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactBody {
    pub id: String,
    pub kind: String,
    pub subject: String,
    #[schema(value_type = Option<f64>, required = true)]
    pub value: Option<Number>,
    pub unit: String,
    /// Which sentence of the summary states it, counted from 0, or null.
    #[schema(required = true)]
    pub sentence: Option<u32>,
    pub sources: Vec<String>,
}

impl BriefingDetail {
    /// `correction` is the correction that was requested for this briefing at the shown time.
    pub fn of(b: &Briefing, correction: Option<&Correction>) -> Self {
        let fact = |f: &BriefingFact| FactBody {
            id: f.id.clone(),
            kind: f.kind.clone(),
            subject: f.subject.clone(),
            value: f.value.and_then(|v| Number::significant(v, 6)),
            unit: f.unit.clone(),
            sentence: f.sentence,
            sources: f.sources.clone(),
        };
        BriefingDetail {
            id: b.id.to_string(),
            headline: b.headline.clone(),
            summary: b.summary.clone(),
            tags: b.tags.clone(),
            published_at: b.published_at,
            day: b.day().to_string(),
            subject: b.subject.clone(),
            as_of: b.as_of,
            late: b.late,
            generated_by: GeneratedByBody {
                how: b.generated_by.how,
                rejected: b.generated_by.rejected.clone(),
            },
            sentences: b.sentences().into_iter().map(str::to_owned).collect(),
            facts: b.facts.iter().map(fact).collect(),
            corrects: b.corrects.as_ref().map(|id| id.to_string()),
            corrected_by: correction.and_then(|c| c.done.as_ref()).map(|done| done.by.to_string()),
        }
    }
}
