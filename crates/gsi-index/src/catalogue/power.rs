//! The power mean across pillars: of the second power, or of the fourth, which gives the worst pillar more influence.
//!
//! Both need only products and square roots, which every machine rounds alike.

use crate::arithmetic::quadratic_mean;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum Power {
    Two,
    Four,
}

impl Power {
    /// Weighted power mean; the weights add to 1.
    pub fn mean(self, parts: impl Iterator<Item = (f64, f64)>) -> f64 {
        match self {
            Power::Two => quadratic_mean(parts),
            Power::Four => parts.map(|(w, x)| w * (x * x) * (x * x)).sum::<f64>().sqrt().sqrt(),
        }
    }

    /// How far the mean moves when this part of it moves by one.
    pub fn pull(self, weight: f64, part: f64, mean: f64) -> f64 {
        if mean <= 0.0 {
            return 0.0;
        }
        let ratio = part / mean;
        match self {
            Power::Two => weight * ratio,
            Power::Four => weight * ratio * ratio * ratio,
        }
    }
}

impl TryFrom<u32> for Power {
    type Error = String;

    fn try_from(value: u32) -> Result<Power, String> {
        match value {
            2 => Ok(Power::Two),
            4 => Ok(Power::Four),
            other => Err(format!("composite_power {other} is neither 2 nor 4")),
        }
    }
}

impl From<Power> for u32 {
    fn from(power: Power) -> u32 {
        match power {
            Power::Two => 2,
            Power::Four => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_power_gives_the_worst_more_weight() {
        let parts = [(0.5, 20.0), (0.3, 40.0), (0.2, 80.0)];
        let mean = |p: Power| p.mean(parts.into_iter());
        assert!((mean(Power::Two) - 1960f64.sqrt()).abs() < 1e-12);
        assert!((mean(Power::Four) - 9_040_000f64.powf(0.25)).abs() < 1e-9);
        for power in [Power::Two, Power::Four] {
            assert_eq!(power.mean([(1.0, 0.0)].into_iter()), 0.0);
            assert!((power.mean([(0.3, 100.0), (0.7, 100.0)].into_iter()) - 100.0).abs() < 1e-12);
            // The pulls are the slopes of the mean.
            for k in 0..3 {
                let moved =
                    parts.iter().enumerate().map(|(j, (w, x))| (*w, if j == k { x + 1e-5 } else { *x }));
                let slope = (power.mean(moved) - mean(power)) / 1e-5;
                assert!((power.pull(parts[k].0, parts[k].1, mean(power)) - slope).abs() < 1e-5);
            }
            assert_eq!(power.pull(0.5, 10.0, 0.0), 0.0);
        }
    }
}
