//! Escalation of one event: five parts, a reliability factor, and a published value that rises fast and falls slowly.
//!
//! It measures how escalatory the reporting is and is not a probability. Two things are simpler here than in the
//! method's description. A theater's usual conflict intensity is the median of its daily closes rather than of the
//! same hour. Tempo is not lowered by cooperation between the sides, because rows about cooperation are filtered out
//! before.

use crate::intensity::conflict_intensity::TheaterBaseline;
use crate::parameters::{EscalationParameters, PARAMETERS};
use gsi_model::{EscalationParts, HOUR};

/// Trust in an event that `domains` outlets report: .35 for one, .54 for two, near 1 from nine on.
pub fn reliability(domains: f64) -> f64 {
    let one = PARAMETERS.escalation.reliability_of_one;
    one + (1.0 - one)
        * (1.0 - libm::exp2(-(domains - 1.0) / PARAMETERS.escalation.reliability_halving_domains))
}

pub fn corroboration(domains: f64, news_scale: f64) -> f64 {
    (libm::log1p(domains * news_scale) / libm::log1p(PARAMETERS.escalation.full_corroboration_domains))
        .min(1.0)
}

/// How fast the theater's intensity rises against its own last weeks; 0 without weeks to compare with.
pub fn tempo(theater_intensity: f64, baseline: &TheaterBaseline) -> f64 {
    let Some(usual) = baseline.usual else { return 0.0 };
    let doublings = libm::log2((theater_intensity + baseline.offset) / (usual + baseline.offset));
    (doublings / PARAMETERS.escalation.full_tempo_doublings).clamp(0.0, 1.0)
}

fn squares(parts: &EscalationParts) -> [f64; 5] {
    let weights = &PARAMETERS.escalation.weights;
    [
        weights.intensity * parts.intensity * parts.intensity,
        weights.tempo * parts.tempo * parts.tempo,
        weights.corroboration * parts.corroboration * parts.corroboration,
        weights.gravity * parts.gravity * parts.gravity,
        weights.departure * parts.departure * parts.departure,
    ]
}

/// 0–1.
pub fn assess(parts: &EscalationParts) -> f64 {
    parts.reliability * squares(parts).iter().sum::<f64>().sqrt()
}

/// What each part adds to the assessed value, in the order of the weights; their sum is the value.
pub fn contributions(parts: &EscalationParts) -> [f64; 5] {
    let squares = squares(parts);
    let total: f64 = squares.iter().sum();
    let value = assess(parts);
    squares.map(|s| if total > 0.0 { value * s / total } else { 0.0 })
}

/// The published value after `elapsed_seconds`, moving from the last published one towards the new assessment.
pub fn smooth(published: f64, assessed: f64, elapsed_seconds: i64) -> f64 {
    let EscalationParameters { rise_half_life_hours, fall_half_life_hours, .. } = PARAMETERS.escalation;
    let hours = if assessed > published { rise_half_life_hours } else { fall_half_life_hours };
    let kept = libm::exp2(-(elapsed_seconds.max(0) as f64) / (hours * HOUR as f64));
    assessed + (published - assessed) * kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(s: [f64; 5], domains: f64) -> EscalationParts {
        EscalationParts {
            intensity: s[0],
            tempo: s[1],
            corroboration: s[2],
            gravity: s[3],
            departure: s[4],
            reliability: reliability(domains),
        }
    }

    /// Computed to full precision with the reference arithmetic.
    #[test]
    fn worked_examples() {
        for (domains, want) in [
            (1.0, 0.35),
            (2.0, 0.5403805922287441),
            (3.0, 0.675),
            (5.0, 0.8375),
            (9.0, 0.959375),
            (20.0, 0.9991023058441968),
        ] {
            assert!((reliability(domains) - want).abs() < 1e-9, "{domains}: {}", reliability(domains));
        }
        for (name, s, domains, value, shares) in [
            (
                "airstrike between two nuclear states, nine sources",
                [0.95, 0.75, 0.8, 1.0, 0.9],
                9.0,
                84.6685806098134,
                [
                    29.43221723653599,
                    15.286816431718833,
                    10.435800017386725,
                    16.305937527166755,
                    13.207809397005072,
                ],
            ),
            (
                "border clash, three sources",
                [0.80, 0.4, 0.35, 0.6, 0.5],
                3.0,
                39.46730252690193,
                [
                    22.165183430099223,
                    4.617746547937339,
                    2.1212773204587143,
                    6.233957839715406,
                    4.3291373886912545,
                ],
            ),
            (
                "protest, one source",
                [0.25, 0.1, 0.1, 0.2, 0.2],
                1.0,
                6.524473158807536,
                [
                    3.5203991864069444,
                    0.4693865581875926,
                    0.2816319349125556,
                    1.1265277396502225,
                    1.1265277396502225,
                ],
            ),
            (
                "military threat, five sources",
                [0.55, 0.3, 0.6, 0.8, 0.4],
                5.0,
                44.88640610613641,
                [
                    14.180822816821166,
                    3.515906483509379,
                    8.43817556042251,
                    15.001200996306686,
                    3.7503002490766715,
                ],
            ),
        ] {
            let p = parts(s, domains);
            assert!((100.0 * assess(&p) - value).abs() < 1e-9, "{name}: {}", 100.0 * assess(&p));
            for (got, want) in contributions(&p).iter().zip(shares) {
                assert!((100.0 * got - want).abs() < 1e-9, "{name}: {got}");
            }
            assert!((contributions(&p).iter().sum::<f64>() - assess(&p)).abs() < 1e-12, "{name}");
        }
    }

    #[test]
    fn corroboration_scales_with_the_news() {
        assert!((corroboration(40.0, 1.0) - 1.0).abs() < 1e-12);
        assert!((corroboration(20.0, 2.0) - 1.0).abs() < 1e-12);
        assert!((corroboration(3.0, 1.0) - 0.3733048224778867).abs() < 1e-9);
        assert_eq!(corroboration(500.0, 1.0), 1.0);
    }

    #[test]
    fn rises_in_one_hour_and_falls_in_six() {
        for (from, to, hours, want) in [
            (0.2, 0.6, 1, 0.4),
            (0.2, 0.6, 2, 0.5),
            (0.6, 0.2, 6, 0.4),
            (0.6, 0.2, 12, 0.3),
            (0.6, 0.2, 0, 0.6),
            (0.3, 0.3, 5, 0.3),
        ] {
            assert!((smooth(from, to, hours * HOUR) - want).abs() < 1e-12, "{from} {to} {hours}");
        }
    }

    #[test]
    fn tempo_needs_weeks_to_compare_with() {
        let baseline =
            |usual: Option<f64>| TheaterBaseline { usual, offset: 0.25, ..TheaterBaseline::default() };
        assert_eq!(tempo(9.0, &baseline(None)), 0.0);
        assert_eq!(tempo(0.25, &baseline(Some(0.0))), 0.25);
        assert_eq!(tempo(1e9, &baseline(Some(0.0))), 1.0);
        assert_eq!(tempo(0.1, &baseline(Some(5.0))), 0.0);
    }
}
