//! Numbers as every answer writes them: decimal digits with a point. There are no exponents, negative zeros or NaN.

use gsi_model::{round_half_away, round_significant};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A rounded number, stored as its text on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    /// `None` when the value is not finite.
    pub fn decimals(value: f64, decimals: u32) -> Option<Number> {
        value
            .is_finite()
            .then(|| Number::from_text(format!("{:.*}", decimals as usize, round_half_away(value, decimals))))
    }

    pub fn significant(value: f64, digits: i32) -> Option<Number> {
        if !value.is_finite() {
            return None;
        }
        let rounded = round_significant(value, digits);
        let magnitude = if rounded == 0.0 { 0 } else { rounded.abs().log10().floor() as i32 };
        let decimals = (digits - 1 - magnitude).max(0) as usize;
        Some(Number::from_text(format!("{rounded:.decimals$}")))
    }

    /// The fixed-point number `value / 10^decimals`, exactly.
    pub fn fixed(value: i64, decimals: u32) -> Number {
        let scale = 10u64.pow(decimals);
        let (whole, fraction) = (value.unsigned_abs() / scale, value.unsigned_abs() % scale);
        let sign = if value < 0 { "-" } else { "" };
        Number::from_text(format!("{sign}{whole}.{fraction:0width$}", width = decimals as usize))
    }

    /// Drops trailing zeros, keeps one digit after the point, and turns `-0.0` into `0.0`.
    fn from_text(mut text: String) -> Number {
        if text.contains('.') {
            text.truncate(text.trim_end_matches('0').len());
            if text.ends_with('.') {
                text.push('0');
            }
        } else {
            text.push_str(".0");
        }
        if text == "-0.0" {
            text.remove(0);
        }
        Number(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn zero() -> Number {
        Number("0.0".to_owned())
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(S::Error::custom)?.serialize(s)
    }
}

/// Splits a shown total among parts so that the shown parts add to it exactly (largest remainder).
///
/// `total` counts units of the last shown place; `parts` are unrounded, in the same unit.
pub(crate) fn apportion(total: i64, parts: &[f64]) -> Vec<i64> {
    if parts.is_empty() {
        return Vec::new();
    }
    let mut shown: Vec<i64> =
        parts.iter().map(|p| if p.is_finite() { p.floor() as i64 } else { 0 }).collect();
    let mut missing = total - shown.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    let fraction = |i: usize| if parts[i].is_finite() { parts[i] - parts[i].floor() } else { 0.0 };
    order.sort_by(|&a, &b| fraction(b).total_cmp(&fraction(a)).then(a.cmp(&b)));
    // Whole rounds first, for parts that do not add to the total before rounding.
    let count = parts.len() as i64;
    let each = missing.div_euclid(count);
    for value in &mut shown {
        *value += each;
    }
    missing -= each * count;
    for &i in order.iter().take(missing as usize) {
        shown[i] += 1;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn written_without_exponents_or_negative_zero() {
        let text = |n: Option<Number>| n.map(|n| serde_json::to_string(&n).unwrap());
        for (value, decimals, want) in [
            (41.0, 1, "41.0"),
            (41.25, 1, "41.3"),
            (-0.04, 1, "0.0"),
            (-0.05, 1, "-0.1"),
            (0.0004, 3, "0.0"),
            (0.6125, 3, "0.613"),
            (-179.99996, 4, "-180.0"),
            (100.0, 1, "100.0"),
        ] {
            assert_eq!(text(Number::decimals(value, decimals)).as_deref(), Some(want), "{value}");
        }
        for (value, want) in [
            (1e21, "1000000000000000000000.0"),
            (1.23456e-7, "0.0000001235"),
            (1e-12, "0.000000000001"),
            (123_456.0, "123500.0"),
            (7.0, "7.0"),
            (-0.0, "0.0"),
            (0.1 + 0.2, "0.3"),
            (9999.9, "10000.0"),
        ] {
            assert_eq!(text(Number::significant(value, 4)).as_deref(), Some(want), "{value}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Number::decimals(bad, 1), None);
            assert_eq!(Number::significant(bad, 4), None);
        }
        assert_eq!(serde_json::to_string(&Number::fixed(-41_005, 3)).unwrap(), "-41.005");
        assert_eq!(serde_json::to_string(&Number::fixed(-5, 1)).unwrap(), "-0.5");
    }

    proptest! {
        #[test]
        fn any_number_reads_back_as_a_plain_decimal(value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
            let value = value.clamp(-1e30, 1e30);
            let text = serde_json::to_string(&Number::significant(value, 4)).unwrap();
            prop_assert!(text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-'), "{}", text);
            prop_assert!(!text.starts_with("-0.0") || !text.trim_start_matches(['-', '0', '.']).is_empty());
            let back: f64 = text.parse().unwrap();
            prop_assert!((back - value).abs() <= value.abs() * 6e-4 + 1e-300);
        }

        #[test]
        fn shown_parts_add_to_the_shown_total(
            parts in prop::collection::vec(-50.0f64..50.0, 1..40),
            slip in -0.4f64..0.4,
        ) {
            let scaled: Vec<f64> = parts.iter().map(|p| p * 1000.0).collect();
            let total = (scaled.iter().sum::<f64>() + slip).round() as i64;
            let shown = apportion(total, &scaled);
            prop_assert_eq!(shown.iter().sum::<i64>(), total);
            for (s, p) in shown.iter().zip(&scaled) {
                prop_assert!((*s as f64 - p).abs() <= 1.0 + 1e-6, "{} {}", s, p);
            }
        }
    }
}
