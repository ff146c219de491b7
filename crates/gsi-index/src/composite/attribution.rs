//! Attribution of levels and of changes: exact splits of a pillar over its indicators, and of the composite over the
//! indicators of all pillars. The parts add up to the whole, without a residual.
//!
//! A pillar is P = √Σ v·x². With power 2 the composite is S² = Σ W·P², with power 4 it is S⁴ = Σ W·(P²)². The level
//! splits by Euler's rule for functions of degree one. The change of a product is taken at the mean of both ends, factor
//! by factor, and the change of a power is divided by what turns it into the change of its root.

use crate::catalogue::power::Power;
use crate::composite::state::Effects;

/// An indicator's weight in its pillar, and its score.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WeightedScore {
    pub weight: f64,
    pub score: f64,
}

/// A pillar's weight in the composite, and the square of its score.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PillarSquare {
    pub weight: f64,
    pub square: f64,
}

/// A quantity before and after a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<T> {
    pub before: T,
    pub after: T,
}

impl WeightedScore {
    pub fn square(self) -> f64 {
        self.weight * self.score * self.score
    }
}

impl Step<f64> {
    fn middle(self) -> f64 {
        0.5 * (self.before + self.after)
    }
}

/// The change of weight × score², as the effect of the score and the effect of the weight.
fn change_of_square(weight: Step<f64>, score: Step<f64>) -> Effects {
    let (x0, x1) = (score.before * score.before, score.after * score.after);
    Effects { data: weight.middle() * (x1 - x0), coverage: (weight.after - weight.before) * 0.5 * (x0 + x1) }
}

/// An indicator's contribution to the score of its pillar.
pub(crate) fn level_in_pillar(part: WeightedScore, pillar: f64) -> f64 {
    if pillar > 0.0 { part.square() / pillar } else { 0.0 }
}

/// An indicator's contribution to the composite.
pub(crate) fn level_in_composite(
    power: Power,
    part: WeightedScore,
    pillar: PillarSquare,
    composite: f64,
) -> f64 {
    if composite <= 0.0 {
        return 0.0;
    }
    let share = pillar.weight * part.square() / composite;
    match power {
        Power::Two => share,
        Power::Four => share * pillar.square / (composite * composite),
    }
}

/// An indicator's effects on the change of its pillar's score.
pub(crate) fn change_in_pillar(part: Step<WeightedScore>, pillar: Step<f64>) -> Effects {
    let total = pillar.before + pillar.after;
    if total <= 0.0 {
        return Effects::default();
    }
    let Step { before, after } = part;
    let change = change_of_square(
        Step { before: before.weight, after: after.weight },
        Step { before: before.score, after: after.score },
    );
    Effects { data: change.data / total, coverage: change.coverage / total }
}

/// An indicator's effects on the change of the composite.
pub(crate) fn change_in_composite(
    power: Power,
    part: Step<WeightedScore>,
    pillar: Step<PillarSquare>,
    composite: Step<f64>,
) -> Effects {
    let total = composite.before + composite.after;
    if total <= 0.0 {
        return Effects::default();
    }
    let score = Step { before: part.before.score, after: part.after.score };
    let within = Step { before: part.before.weight, after: part.after.weight };
    let across = Step {
        before: pillar.before.weight * part.before.weight,
        after: pillar.after.weight * part.after.weight,
    };
    let direct = change_of_square(across, score);
    match power {
        Power::Two => Effects { data: direct.data / total, coverage: direct.coverage / total },
        Power::Four => {
            // W·P²·P²: once as part of W·P², once as part of the other P².
            let inside = change_of_square(within, score);
            let square = Step { before: pillar.before.square, after: pillar.after.square }.middle();
            let weighted = Step {
                before: pillar.before.weight * pillar.before.square,
                after: pillar.after.weight * pillar.after.square,
            }
            .middle();
            let root = total * (composite.before * composite.before + composite.after * composite.after);
            Effects {
                data: (square * direct.data + weighted * inside.data) / root,
                coverage: (square * direct.coverage + weighted * inside.coverage) / root,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type World = Vec<(f64, Vec<WeightedScore>)>;

    fn whole((weight, parts): &(f64, Vec<WeightedScore>)) -> PillarSquare {
        PillarSquare { weight: *weight, square: parts.iter().map(|p| p.square()).sum() }
    }

    fn composite(power: Power, world: &World) -> f64 {
        power.mean(world.iter().map(whole).map(|w| (w.weight, w.square.sqrt())))
    }

    fn normalised(weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        weights.iter().map(|w| if total > 0.0 { w / total } else { 0.0 }).collect()
    }

    /// Four pillars of three indicators. Weights may be zero, like those of missing values.
    fn world() -> impl Strategy<Value = World> {
        let weight = || prop_oneof![1 => Just(0.0), 4 => 0.01..1.0f64];
        let score = || prop_oneof![1 => Just(0.0), 1 => Just(100.0), 6 => 0.0..100.0f64];
        let pillar = (prop::collection::vec(weight(), 3), prop::collection::vec(score(), 3));
        (prop::collection::vec(weight(), 4), prop::collection::vec(pillar, 4)).prop_map(|(w, pillars)| {
            let parts = |(v, x): (Vec<f64>, Vec<f64>)| {
                let each = normalised(&v).into_iter().zip(x);
                each.map(|(weight, score)| WeightedScore { weight, score }).collect()
            };
            normalised(&w).into_iter().zip(pillars.into_iter().map(parts)).collect()
        })
    }

    /// The effects of every part, pillar by pillar.
    fn effects(power: Power, from: &World, to: &World) -> Vec<Vec<Effects>> {
        let mean = Step { before: composite(power, from), after: composite(power, to) };
        let pillars = from.iter().zip(to);
        pillars
            .map(|(p, q)| {
                let pillar = Step { before: whole(p), after: whole(q) };
                let parts = p.1.iter().zip(&q.1);
                let part = |(a, b): (&WeightedScore, &WeightedScore)| Step { before: *a, after: *b };
                parts.map(|ab| change_in_composite(power, part(ab), pillar, mean)).collect()
            })
            .collect()
    }

    proptest! {
        #[test]
        fn levels_and_changes_add_up(from in world(), to in world()) {
            for power in [Power::Two, Power::Four] {
                let (s0, s1) = (composite(power, &from), composite(power, &to));
                let levels = to.iter().flat_map(|p| p.1.iter().map(|x| level_in_composite(power, *x, whole(p), s1)));
                prop_assert!((levels.sum::<f64>() - s1).abs() < 1e-9);
                let all: f64 = effects(power, &from, &to).iter().flatten().map(|e| e.data + e.coverage).sum();
                prop_assert!((all - (s1 - s0)).abs() < 1e-9, "{all} is not {}", s1 - s0);
                for (p, q) in from.iter().zip(&to) {
                    let (p0, p1) = (whole(p).square.sqrt(), whole(q).square.sqrt());
                    let mean = Step { before: p0, after: p1 };
                    let parts = p.1.iter().zip(&q.1).map(|(a, b)| Step { before: *a, after: *b });
                    let sum: f64 = parts.map(|s| change_in_pillar(s, mean)).map(|e| e.data + e.coverage).sum();
                    prop_assert!((sum - (p1 - p0)).abs() < 1e-9);
                    let levels: f64 = q.1.iter().map(|x| level_in_pillar(*x, p1)).sum();
                    prop_assert!((levels - p1).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn every_effect_has_its_cause(world in world(), k in 0usize..4, i in 0usize..3, score in 0.0..100.0f64) {
            for power in [Power::Two, Power::Four] {
                // One score moves: all of the change is its data effect, in its direction.
                let mut moved = world.clone();
                moved[k].1[i].score = score;
                for (n, pillar) in effects(power, &world, &moved).iter().enumerate() {
                    for (m, e) in pillar.iter().enumerate() {
                        prop_assert_eq!(e.coverage, 0.0);
                        let up = score - world[k].1[i].score;
                        let rightly = if (n, m) == (k, i) { e.data * up >= 0.0 } else { e.data == 0.0 };
                        prop_assert!(rightly, "{e:?}");
                    }
                }
                // Only weights change: no score has an effect.
                let mut reweighted = world.clone();
                reweighted[k].0 = 0.0;
                for e in effects(power, &world, &reweighted).iter().flatten() {
                    prop_assert_eq!(e.data, 0.0);
                }
            }
        }
    }
}
