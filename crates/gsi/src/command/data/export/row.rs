//! The columns of each export with kinds and units, which are the same in every format.

use crate::cli::ExportKind;
use gsi_model::Timestamp;
use serde::{Serialize, Serializer};

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    /// A number with this number of decimals, or with full precision.
    Number(Option<usize>),
    Whole,
    Flag,
    /// UTC, whole seconds.
    Time,
}

impl Serialize for FieldKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            FieldKind::Text => "text",
            FieldKind::Number(_) => "number",
            FieldKind::Whole => "whole",
            FieldKind::Flag => "flag",
            FieldKind::Time => "time",
        })
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExportColumn {
    pub name: &'static str,
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// Whether a value may be missing.
    #[serde(rename = "optional")]
    pub is_optional: bool,
    pub about: &'static str,
}

const fn column(name: &'static str, kind: FieldKind, about: &'static str) -> ExportColumn {
    ExportColumn { name, kind, is_optional: false, about }
}

const fn optional(name: &'static str, kind: FieldKind, about: &'static str) -> ExportColumn {
    ExportColumn { name, kind, is_optional: true, about }
}

use FieldKind::{Flag, Number, Text, Time, Whole};

const SCORE: FieldKind = Number(Some(1));

const SCORES: [ExportColumn; 8] = [
    column("at", Time, "the tick"),
    column("published_at", Time, "when readers could first be shown it"),
    column("late", Flag, "computed after the tick that follows it was due"),
    column("score", SCORE, "composite, 0 to 100, lower is more stable"),
    optional("conflict", SCORE, "pillar score, 0 to 100"),
    optional("cyber", SCORE, "pillar score, 0 to 100"),
    optional("supply_chain", SCORE, "pillar score, 0 to 100"),
    optional("macro", SCORE, "pillar score, 0 to 100"),
];

const EVENTS: [ExportColumn; 10] = [
    column("id", Text, "keeps through updates"),
    column("occurred_at", Time, "when it happened"),
    column("lat_degrees", Number(Some(4)), "degrees north"),
    column("lon_degrees", Number(Some(4)), "degrees east"),
    optional("country", Text, "ISO 3166-1 alpha-2"),
    column("place", Text, "as the coded news names it"),
    column("category", Text, "kinetic, posture, threat, coercion or unrest"),
    column("status", Text, "confirmed or reported"),
    column("escalation", Number(Some(3)), "0 to 1, higher is worse"),
    column("actors", Text, "labels, separated by semicolons"),
];

const BRIEFINGS: [ExportColumn; 5] = [
    column("id", Text, "of the briefing"),
    column("published_at", Time, "when it was published"),
    column("headline", Text, "one sentence"),
    column("summary", Text, "the text"),
    column("tags", Text, "separated by semicolons"),
];

const COUNTRIES: [ExportColumn; 6] = [
    column("country", Text, "ISO 3166-1 alpha-2"),
    column("name", Text, "of the country, in English"),
    column("at", Time, "the tick"),
    column("published_at", Time, "when readers could first be shown it"),
    column("late", Flag, "computed after the tick that follows it was due"),
    column("score", SCORE, "0 to 100, lower is more stable"),
];

const OBSERVATIONS: [ExportColumn; 9] = [
    column("series", Text, "source.name"),
    optional("entity", Text, "what the value is about: a country, a port; none for the world"),
    column("period_start", Time, "the period the value speaks of"),
    column("period_end", Time, "its end, exclusive"),
    column("value", Number(None), "in the unit of the series"),
    column("known_at", Time, "from when on it could be known"),
    column("revision", Whole, "counted from 0 within a period"),
    column("quality", Number(None), "1 as published, less where reconstructed or partial"),
    column("feed", Text, "where it came from"),
];

pub fn columns(what: ExportKind) -> &'static [ExportColumn] {
    match what {
        ExportKind::Scores => &SCORES,
        ExportKind::Events => &EVENTS,
        ExportKind::Briefings => &BRIEFINGS,
        ExportKind::Countries => &COUNTRIES,
        ExportKind::Observations => &OBSERVATIONS,
    }
}

/// One value of a row, in the kind of its column.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportCell {
    Missing,
    Text(String),
    Number(f64),
    Whole(i64),
    Flag(bool),
    Time(Timestamp),
}

impl ExportCell {
    pub fn text(text: impl Into<String>) -> Self {
        ExportCell::Text(text.into())
    }

    /// A missing number and one that is not finite are both no value.
    pub fn maybe_number(number: Option<f64>) -> Self {
        number.filter(|n| n.is_finite()).map_or(ExportCell::Missing, ExportCell::Number)
    }

    pub fn maybe_text(text: Option<String>) -> Self {
        text.map_or(ExportCell::Missing, ExportCell::Text)
    }

    /// The approximate size in bytes.
    pub fn weight(&self) -> usize {
        match self {
            ExportCell::Text(text) => 32 + text.len(),
            _ => 32,
        }
    }

    /// Returns the value as text, the same in every format. Numbers have the decimals of their column.
    pub fn written(&self, kind: FieldKind) -> String {
        match (self, kind) {
            (ExportCell::Missing, _) => String::new(),
            (ExportCell::Text(text), _) => text.clone(),
            // Adding zero turns -0 into 0.
            (ExportCell::Number(number), Number(Some(decimals))) => format!("{:.decimals$}", number + 0.0),
            // Without an exponent, and always with a decimal point.
            (ExportCell::Number(number), _) => {
                let text = (number + 0.0).to_string();
                if text.contains('.') { text } else { text + ".0" }
            }
            (ExportCell::Whole(number), _) => number.to_string(),
            (ExportCell::Flag(flag), _) => flag.to_string(),
            (ExportCell::Time(at), _) => at.to_string(),
        }
    }
}

/// One cell for each column, in the order of the columns.
pub type ExportRow = Vec<ExportCell>;
