//! The forms of an answer. `format` asks for one; without it, `Accept` decides. JSON wins where two have the same quality.

use crate::representation::headers::{ATOM, CSV, GEOJSON, JSON, JSON_FEED, PNG, SVG};
use crate::representation::negotiate::preference;
use http::{HeaderMap, HeaderValue};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    Json,
    GeoJson,
    Csv,
    Atom,
    JsonFeed,
    Png,
    Svg,
}

impl AnswerForm {
    /// The value of `format`.
    pub const fn key(self) -> &'static str {
        match self {
            AnswerForm::Json => "json",
            AnswerForm::GeoJson => "geojson",
            AnswerForm::Csv => "csv",
            AnswerForm::Atom => "atom",
            AnswerForm::JsonFeed => "jsonfeed",
            AnswerForm::Png => "png",
            AnswerForm::Svg => "svg",
        }
    }

    pub const fn content_type(self) -> HeaderValue {
        match self {
            AnswerForm::Json => JSON,
            AnswerForm::GeoJson => GEOJSON,
            AnswerForm::Csv => CSV,
            AnswerForm::Atom => ATOM,
            AnswerForm::JsonFeed => JSON_FEED,
            AnswerForm::Png => PNG,
            AnswerForm::Svg => SVG,
        }
    }

    /// The media type without parameters.
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            AnswerForm::Json => "application/json",
            AnswerForm::GeoJson => "application/geo+json",
            AnswerForm::Csv => "text/csv",
            AnswerForm::Atom => "application/atom+xml",
            AnswerForm::JsonFeed => "application/feed+json",
            AnswerForm::Png => "image/png",
            AnswerForm::Svg => "image/svg+xml",
        }
    }

    /// Whether the form is compressed already, so that another compression only costs time.
    pub(crate) const fn is_compressed(self) -> bool {
        matches!(self, AnswerForm::Png)
    }

    /// The quality of this form in the caller's `Accept`, in thousandths; 0 refuses it. GeoJSON is also JSON, and Atom is XML.
    pub(crate) fn quality(self, headers: &HeaderMap) -> u32 {
        let also: &[&str] = match self {
            AnswerForm::Json | AnswerForm::Csv | AnswerForm::Png | AnswerForm::Svg => &[],
            AnswerForm::GeoJson | AnswerForm::JsonFeed => &["application/json"],
            AnswerForm::Atom => &["application/xml", "text/xml"],
        };
        let own = preference(headers, self.media_type());
        also.iter().map(|name| preference(headers, name)).fold(own, u32::max)
    }

    /// The form with the highest quality in `Accept`, or the first of several.
    pub(crate) fn by_accept(offered: &[AnswerForm], headers: &HeaderMap) -> AnswerForm {
        let mut best = (AnswerForm::Json, preference(headers, AnswerForm::Json.media_type()));
        for form in offered {
            let quality = preference(headers, form.media_type());
            if quality > best.1 {
                best = (*form, quality);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::ACCEPT;

    #[test]
    fn accept_chooses_and_json_wins_a_draw() {
        use AnswerForm::{Csv, GeoJson, Json};
        let rows = [
            (None, Json),
            (Some("*/*"), Json),
            (Some("text/csv"), Csv),
            (Some("text/csv;q=0.5, application/json;q=0.4"), Csv),
            (Some("text/csv, application/json"), Json),
            (Some("text/csv, */*;q=0.1"), Csv),
            (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Json),
            (Some("application/geo+json"), GeoJson),
            (Some("image/png"), Json),
        ];
        for (accept, want) in rows {
            let mut headers = HeaderMap::new();
            headers.extend(accept.map(|a| (ACCEPT, HeaderValue::from_static(a))));
            assert_eq!(AnswerForm::by_accept(&[Json, GeoJson, Csv], &headers), want, "{accept:?}");
        }
    }
}
