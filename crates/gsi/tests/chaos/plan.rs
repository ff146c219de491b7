//! The plan of faults. The same seed gives the same plan.

use crate::faults::{ChaosFault, FAULTS, Place};
use crate::scene::StoreKind;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const SEED: u64 = 20_261_118;
/// Rounds of the short form, which causes every fault once.
const SHORT_ROUNDS: usize = 2;
/// Faults of a round of the long form, which then lasts about a minute.
const LONG_ROUND_FAULTS: usize = 12;
/// So short that the service catches up with every missed tick.
const HOLD_MILLIS: std::ops::Range<u64> = 600..4_500;
const SHORT_HOLD_MILLIS: std::ops::Range<u64> = 500..1_600;

pub struct ChaosPlan {
    pub seed: u64,
    pub random: ChaCha8Rng,
    ends: Option<Instant>,
    kind: StoreKind,
    deck: Vec<&'static ChaosFault>,
    rounds: usize,
}

/// Faults that are caused together, and for how long.
pub struct ChaosStep {
    pub faults: Vec<&'static ChaosFault>,
    pub hold: Duration,
}

impl ChaosPlan {
    pub fn from_environment(kind: StoreKind) -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|v| v.parse::<f64>().expect("a number"));
        let seed = number("TEST_CHAOS_SEED").map_or(SEED, |seed| seed as u64);
        let minutes = number("TEST_CHAOS_MINUTES");
        ChaosPlan {
            seed,
            random: ChaCha8Rng::seed_from_u64(seed ^ kind as u64),
            ends: minutes.map(|m| Instant::now() + Duration::from_secs_f64(60.0 * m)),
            kind,
            deck: vec![],
            rounds: 0,
        }
    }

    pub fn is_long(&self) -> bool {
        self.ends.is_some()
    }

    pub fn next_round(&mut self) -> Option<Vec<ChaosStep>> {
        let whole_deck = FAULTS.iter().filter(|f| f.stores.contains(&self.kind)).count();
        let faults = match self.ends {
            None if self.rounds == SHORT_ROUNDS => return None,
            None => whole_deck.div_ceil(SHORT_ROUNDS),
            Some(end) if Instant::now() >= end => return None,
            Some(_) => LONG_ROUND_FAULTS,
        };
        self.rounds += 1;
        let mut steps = Vec::new();
        let mut left = faults;
        while left > 0 {
            let step = self.deal(left);
            left -= step.faults.len();
            steps.push(step);
            if !self.is_long() && self.deck.is_empty() {
                break;
            }
        }
        Some(steps)
    }

    /// Chooses one fault, or up to three at different places. Every fault comes once before any comes again.
    fn deal(&mut self, most: usize) -> ChaosStep {
        let together = [1, 1, 2, 2, 3][self.random.random_range(0..5usize)].min(most);
        let mut faults: Vec<&'static ChaosFault> = Vec::new();
        let mut places: BTreeSet<Place> = BTreeSet::new();
        while faults.len() < together {
            if self.deck.is_empty() && !faults.is_empty() {
                break;
            }
            if self.deck.is_empty() {
                self.deck = FAULTS.iter().filter(|f| f.stores.contains(&self.kind)).collect();
                self.deck.shuffle(&mut self.random);
            }
            let Some(at) = self.deck.iter().position(|fault| !places.contains(&fault.place)) else { break };
            let fault = self.deck.remove(at);
            places.insert(fault.place);
            faults.push(fault);
        }
        let hold = if self.is_long() { HOLD_MILLIS } else { SHORT_HOLD_MILLIS };
        ChaosStep { faults, hold: Duration::from_millis(self.random.random_range(hold)) }
    }
}
