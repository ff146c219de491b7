//! Rounding half away from zero, which all outputs use, so that they show the same number.

/// Rounds to `decimals` places, half away from zero, and never returns a negative zero.
pub fn round_half_away(value: f64, decimals: u32) -> f64 {
    let scale = 10f64.powi(decimals as i32);
    let scaled = value * scale;
    // 0.05 * 10 is 0.5 but 1.005 * 100 is 100.49999…: nudge by one part in 1e15 so that decimal halves round as read.
    let nudged = scaled + scaled.signum() * scaled.abs() * 1e-15;
    let rounded = nudged.round() / scale;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Returns the shown change: the score shown now minus the score shown then, so that two answers a day apart agree with it.
pub fn shown_change(score: f64, change: f64) -> f64 {
    round_half_away(round_half_away(score, 1) - round_half_away(score - change, 1), 1)
}

/// Rounds to `digits` significant digits, half away from zero.
pub fn round_significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { 0.0 } else { value };
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = digits - 1 - magnitude;
    if decimals >= 0 {
        round_half_away(value, decimals.min(300) as u32)
    } else {
        let scale = 10f64.powi(-decimals);
        (value / scale).round() * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_away_from_zero() {
        for (v, d, want) in [
            (0.05, 1, 0.1),
            (-0.05, 1, -0.1),
            (2.45, 1, 2.5),
            (1.005, 2, 1.01),
            (-0.04, 1, 0.0),
            (99.95, 1, 100.0),
        ] {
            assert_eq!(round_half_away(v, d), want, "{v}");
        }
        assert!(round_half_away(-0.0, 1).is_sign_positive());
        assert!(round_half_away(-0.01, 1).is_sign_positive());
    }

    #[test]
    fn four_significant_digits() {
        for (v, want) in
            [(123_456.0, 123_500.0), (0.000123456, 0.0001235), (-12.345678, -12.35), (0.0, 0.0), (7.0, 7.0)]
        {
            assert_eq!(round_significant(v, 4), want, "{v}");
        }
    }

    #[test]
    fn a_shown_change_is_the_difference_of_shown_scores() {
        // 50.04 is shown as 50.0 and 49.96 as 50.0, so the shown change is zero.
        assert_eq!(shown_change(50.04, 0.08), 0.0);
        assert_eq!(shown_change(50.06, 0.02), 0.1);
        assert_eq!(shown_change(10.0, -3.0), -3.0);
    }
}
