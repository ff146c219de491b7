//! A calibration as a file: the measured history of every indicator as of a day, with a digest over all of it.
//!
//! A service loads at most one. It replaces the catalogue's provisional priors by measured ones and shortens the
//! window of drifting indicators. Both are part of the method, so its digest changes, and every snapshot carries the
//! digest.

use crate::catalogue::MethodError;
use crate::rarity::survival::{Prior, PriorKind};
use data_encoding::HEXLOWER;
use gsi_model::{Day, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// A drifting indicator is compared with these last years only.
pub const DRIFT_WINDOW_YEARS: f64 = 3.0;
const FORMAT: u32 = 1;

/// The measurements of one indicator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    pub key: String,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub values: usize,
    pub quantiles: BTreeMap<String, f64>,
    pub tail_threshold: Option<f64>,
    pub tail_scale: Option<f64>,
    /// Share of the sample that the fitted distribution calls rarer than one in a hundred.
    pub rare_share: Option<f64>,
    pub rare_share_ok: Option<bool>,
    /// Kendall's tau of the yearly medians.
    pub trend_tau: Option<f64>,
    pub drift: bool,
    /// Median and 95 % point as measured, when there is enough to measure.
    pub suggested_prior: Option<Prior>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineFile {
    pub manifest: Manifest,
    pub indicators: Vec<Calibration>,
    /// SHA-256 of the rest in its compact form, in hexadecimal.
    pub digest: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: u32,
    /// Only rows known before this day were read.
    pub as_of: String,
    /// Version of the catalogue it was measured with.
    pub method_version: String,
    pub method_digest: String,
    /// Rows that were read.
    pub rows: u64,
    /// Attribution of the values behind it, one line for each feed.
    pub attributions: Vec<String>,
}

#[derive(Serialize)]
struct DigestedBaseline<'a> {
    manifest: &'a Manifest,
    indicators: &'a [Calibration],
}

fn refused<T>(place: &str, problem: impl Into<String>) -> Result<T, MethodError> {
    Err(MethodError::Baseline { place: place.to_owned(), problem: problem.into() })
}

fn digest(manifest: &Manifest, indicators: &[Calibration]) -> String {
    let canonical = serde_json::to_vec(&DigestedBaseline { manifest, indicators }).unwrap_or_default();
    HEXLOWER.encode(&Sha256::digest(&canonical))
}

impl BaselineFile {
    pub const FORMAT: u32 = FORMAT;

    pub fn new(manifest: Manifest, indicators: Vec<Calibration>) -> BaselineFile {
        let digest = digest(&manifest, &indicators);
        BaselineFile { manifest, indicators, digest }
    }

    /// Reads and checks. A file that was cut, edited or made by another program is refused, and the error names the
    /// place.
    pub fn parse(text: &str) -> Result<BaselineFile, MethodError> {
        let file: BaselineFile = match serde_json::from_str(text) {
            Ok(file) => file,
            Err(e) => return refused(&format!("line {}, column {}", e.line(), e.column()), e.to_string()),
        };
        if file.manifest.format != FORMAT {
            let found = file.manifest.format;
            return refused(
                "manifest",
                format!("format {found} is not {FORMAT}, the one this program reads"),
            );
        }
        if Day::parse_iso(&file.manifest.as_of).is_none() {
            return refused(
                "manifest",
                format!("as_of {:?} is not a day such as 2024-12-31", file.manifest.as_of),
            );
        }
        let mut keys = BTreeSet::new();
        for entry in &file.indicators {
            check(entry)?;
            if !keys.insert(&entry.key) {
                return refused(&format!("indicator {}", entry.key), "it is listed twice");
            }
        }
        // Last, so that a mistake made by hand is named before the broken digest is.
        let found = digest(&file.manifest, &file.indicators);
        if found != file.digest {
            return refused("digest", format!("the content gives {found}, the file has {}", file.digest));
        }
        Ok(file)
    }

    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn check(entry: &Calibration) -> Result<(), MethodError> {
    let place = format!("indicator {}", entry.key);
    if entry.key.is_empty() {
        return refused("indicators", "one has no key");
    }
    let mut quantiles: Vec<(f64, f64)> = Vec::new();
    for (name, value) in &entry.quantiles {
        let Some(share) = name.strip_prefix('p').and_then(|n| format!("0.{n}").parse::<f64>().ok()) else {
            return refused(&place, format!("{name:?} does not name a quantile such as p95"));
        };
        quantiles.push((share, *value));
    }
    quantiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    if !quantiles.is_sorted_by(|a, b| a.1 <= b.1) {
        return refused(&place, "its quantiles fall where they must rise");
    }
    if let (Some(from), Some(to)) = (entry.from, entry.to)
        && from > to
    {
        return refused(&place, format!("its span begins at {from} and ends at {to}"));
    }
    if let Some(scale) = entry.tail_scale
        && !(scale.is_finite() && scale >= 0.0)
    {
        return refused(&place, format!("tail_scale {scale} is not a width"));
    }
    if let Some(prior) = &entry.suggested_prior {
        if !(prior.median.is_finite() && prior.q95.is_finite() && prior.q95 > prior.median) {
            return refused(
                &place,
                format!("prior q95 {} must be above its median {}", prior.q95, prior.median),
            );
        }
        if prior.kind == PriorKind::Lognormal && prior.median <= 0.0 {
            return refused(
                &place,
                format!("a lognormal prior needs a positive median, not {}", prior.median),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::rarity::survival::Prior;
    use std::collections::{BTreeMap, BTreeSet};

    fn entry(key: &str) -> Calibration {
        Calibration {
            key: key.to_owned(),
            from: Some(Day(14_000).start()),
            to: Some(Day(20_000).start()),
            values: 4_000,
            quantiles: BTreeMap::from([("p50".into(), 1.0), ("p95".into(), 2.0), ("p999".into(), 3.5)]),
            tail_threshold: Some(2.5),
            tail_scale: Some(0.4),
            rare_share: Some(0.01),
            rare_share_ok: Some(true),
            trend_tau: Some(0.1),
            drift: false,
            suggested_prior: Some(Prior { median: 1.0, q95: 2.0, kind: PriorKind::Normal }),
        }
    }

    fn file(entries: Vec<Calibration>) -> BaselineFile {
        let manifest = Manifest {
            format: FORMAT,
            as_of: "2024-12-31".into(),
            method_version: "1".into(),
            method_digest: "0".into(),
            rows: 9,
            attributions: vec!["Source: somebody".into()],
        };
        BaselineFile::new(manifest, entries)
    }

    #[test]
    fn a_baseline_survives_a_round_trip_and_changes_the_digest() {
        let mut drifting = entry("oil_volatility");
        drifting.drift = true;
        drifting.suggested_prior = Some(Prior { median: 20.0, q95: 50.0, kind: PriorKind::Lognormal });
        let made = file(vec![entry("gscpi"), drifting]);
        let read = BaselineFile::parse(&made.to_text()).unwrap();
        assert_eq!(read, made);
        let feeds: BTreeSet<String> =
            ["gdelt", "kev", "oil", "ofr", "gscpi"].into_iter().map(str::to_owned).collect();
        let plain = Method::load(Method::default_text(), &feeds).unwrap();
        let calibrated = plain.with_baseline(&read).unwrap();
        assert_ne!(calibrated.digest(), plain.digest());
        let of = |key: &str| calibrated.indicators().iter().find(|i| i.key == key).unwrap().clone();
        assert_eq!(of("gscpi").prior.q95, 2.0);
        assert_eq!((of("oil_volatility").prior.median, of("oil_volatility").window_years), (20.0, 3.0));
        assert_eq!(
            of("oil_price_departure"),
            plain.indicators().iter().find(|i| i.key == "oil_price_departure").unwrap().clone()
        );
        // The document of a calibrated method gives the same method.
        assert_eq!(Method::from_document(&calibrated.document()).unwrap().digest(), calibrated.digest());
    }

    #[test]
    fn broken_files_are_refused_and_the_error_names_the_place() {
        let check = |text: String, place: &str, word: &str| {
            let error = BaselineFile::parse(&text).unwrap_err().to_string();
            assert!(error.contains("baseline") && error.contains(place) && error.contains(word), "{error}");
        };
        let with = |change: &dyn Fn(&mut Calibration)| {
            let mut e = entry("gscpi");
            change(&mut e);
            file(vec![e]).to_text()
        };
        let sound = with(&|_| ());
        check(sound[..sound.len() / 2].to_owned(), "line", "EOF");
        check(sound.replace("\"rows\": 9", "\"rows\": 10"), "digest", "the content gives");
        check(sound.replace("\"values\": 4000", "\"values\": NaN"), "line", "expected");
        check(sound.replace("\"rows\": 9", "\"rows\": 9, \"more\": 1"), "line", "unknown field");
        check(sound.replace("\"format\": 1", "\"format\": 7"), "manifest", "format 7");
        check(sound.replace("2024-12-31", "2024-13-31"), "manifest", "as_of");
        check(
            with(&|e| e.quantiles.insert("p98".into(), 0.5).map_or((), drop)),
            "indicator gscpi",
            "quantiles",
        );
        check(with(&|e| e.quantiles.insert("best".into(), 0.5).map_or((), drop)), "indicator gscpi", "best");
        check(with(&|e| e.from = Some(Day(30_000).start())), "indicator gscpi", "begins");
        check(with(&|e| e.tail_scale = Some(-1.0)), "indicator gscpi", "tail_scale");
        let prior = |median, q95, kind| Some(Prior { median, q95, kind });
        check(with(&|e| e.suggested_prior = prior(2.0, 1.0, PriorKind::Normal)), "indicator gscpi", "q95");
        check(
            with(&|e| e.suggested_prior = prior(-2.0, 1.0, PriorKind::Lognormal)),
            "indicator gscpi",
            "lognormal",
        );
        check(file(vec![entry("a"), entry("a")]).to_text(), "indicator a", "twice");

        // A valid file, but of another catalogue.
        let feeds: BTreeSet<String> = ["gdelt", "kev", "oil", "ofr"].into_iter().map(str::to_owned).collect();
        let method = Method::load(Method::default_text(), &feeds).unwrap();
        let foreign = file(vec![entry("no_such_indicator")]);
        let error = method.with_baseline(&foreign).unwrap_err().to_string();
        assert!(error.contains("no_such_indicator"), "{error}");
        let wrong_kind = file(vec![entry("oil_volatility")]);
        let error = method.with_baseline(&wrong_kind).unwrap_err().to_string();
        assert!(error.contains("oil_volatility") && error.contains("kind"), "{error}");
    }
}
