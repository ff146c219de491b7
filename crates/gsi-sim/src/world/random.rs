//! Random numbers that can be drawn again: they are a function of the world's seed and of their purpose.
//!
//! The generator is SplitMix64. It is written out here because the same seed must give the same bytes with every later
//! version of every dependency.

use serde::Deserialize;
use std::f64::consts::TAU;

/// The purpose of a stream of random numbers. Streams share no state, so a new one does not change the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[repr(u64)]
pub enum Stream {
    SlotVolume = 1,
    SlotArticles,
    SlotMissing,
    Story,
    Incidents,
    Mentions,
    TheaterTempo,
    Hostile,
    Ofr,
    Energy,
    Kev,
    Exploits,
    Ransomware,
    Epss,
    Ioda,
    Transits,
    Ports,
    Gscpi,
    Epu,
    Gpr,
    Treasury,
    Fx,
    Quakes,
    Hazards,
    Fatalities,
    Garbage,
    Gkg,
    Domains,
    Press,
}

/// A random number generator for one purpose.
#[derive(Clone, Debug)]
pub struct Rng(u64);

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Rng {
    /// Creates the generator of one day, slot or entry of a stream.
    pub fn new(seed: u64, stream: Stream, index: i64) -> Self {
        Rng(mix(mix(seed ^ GOLDEN).wrapping_add(mix((stream as u64) << 32 ^ GOLDEN)) ^ mix(index as u64)))
    }

    /// Creates the generator of an item with two indexes, such as (day, number within the day).
    pub fn with_pair(seed: u64, stream: Stream, index: i64, second: i64) -> Self {
        Rng(mix(Rng::new(seed, stream, index).0 ^ mix((second as u64).wrapping_mul(GOLDEN))))
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Draws a number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns true with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Draws an integer in 0..n, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Draws a standard normal number (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(TAU * self.unit())
    }

    /// Draws an exponential number with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Draws a Poisson number by inversion. Above 40 the normal approximation is exact enough.
    pub fn poisson(&mut self, mean: f64) -> u32 {
        if mean <= 0.0 {
            return 0;
        }
        if mean > 40.0 {
            return (mean + libm::sqrt(mean) * self.normal()).round().max(0.0) as u32;
        }
        let (mut n, mut p, u) = (0u32, libm::exp(-mean), self.unit());
        let mut cumulative = p;
        while u > cumulative && n < 400 {
            n += 1;
            p *= mean / f64::from(n);
            cumulative += p;
        }
        n
    }
}

/// Draws indexes in proportion to weights.
///
/// The guide says where each part of the unit interval begins in the cumulative weights, so a draw reads one or two entries.
/// A news row takes fifty draws.
#[derive(Clone, Debug)]
pub struct Weighted {
    cumulative: Vec<f64>,
    guide: [u16; GUIDE],
}

const GUIDE: usize = 128;

impl Weighted {
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut total = 0.0;
        let cumulative = weights
            .into_iter()
            .map(|w| {
                total += w.max(0.0);
                total
            })
            .collect::<Vec<f64>>();
        let guide = std::array::from_fn(|i| {
            let at = total * i as f64 / GUIDE as f64;
            cumulative.partition_point(|c| *c <= at) as u16
        });
        Weighted { cumulative, guide }
    }

    pub fn total(&self) -> f64 {
        self.cumulative.last().copied().unwrap_or(0.0)
    }

    pub fn draw(&self, rng: &mut Rng) -> usize {
        let u = rng.unit();
        let (at, last) = (u * self.total(), self.cumulative.len().saturating_sub(1));
        let mut i = usize::from(self.guide[(u * GUIDE as f64) as usize]);
        while i < last && self.cumulative[i] <= at {
            i += 1;
        }
        i.min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draws_never_change() {
        let mut rng = Rng::new(7, Stream::Story, 42);
        let first: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(first, [9_776_923_436_664_237_636, 1_856_478_126_907_212_113, 15_634_348_294_868_428_578]);
        assert_ne!(Rng::new(8, Stream::Story, 42).bits(), first[0]);
        assert_ne!(Rng::new(7, Stream::Kev, 42).bits(), first[0]);
        assert_ne!(Rng::new(7, Stream::Story, 43).bits(), first[0]);
        assert_ne!(
            Rng::with_pair(7, Stream::Story, 42, 0).bits(),
            Rng::with_pair(7, Stream::Story, 42, 1).bits()
        );
    }

    #[test]
    fn moments() {
        let mut rng = Rng::new(1, Stream::Ofr, 0);
        let n = 40_000;
        let mean = |f: &mut dyn FnMut(&mut Rng) -> f64, rng: &mut Rng| {
            (0..n).map(|_| f(rng)).sum::<f64>() / f64::from(n)
        };
        let close = |got: f64, want: f64, by: f64| assert!((got - want).abs() < by, "{got} against {want}");
        close(mean(&mut |rng| rng.unit(), &mut rng), 0.5, 0.01);
        close(mean(&mut |rng| rng.normal(), &mut rng), 0.0, 0.02);
        close(mean(&mut |rng| rng.normal().powi(2), &mut rng), 1.0, 0.03);
        close(mean(&mut |rng| rng.exponential(3.0), &mut rng), 3.0, 0.08);
        close(mean(&mut |rng| f64::from(rng.poisson(0.7)), &mut rng), 0.7, 0.02);
        close(mean(&mut |rng| f64::from(rng.poisson(90.0)), &mut rng), 90.0, 0.3);
        let w = Weighted::new([1.0, 0.0, 3.0]);
        close(mean(&mut |rng| if w.draw(rng) == 2 { 1.0 } else { 0.0 }, &mut rng), 0.75, 0.01);
        assert!((0..1000).all(|_| w.draw(&mut rng) != 1));
    }
}
