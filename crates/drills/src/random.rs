/// A small pseudo-random generator. Unlike a library's generator, its numbers for a seed never change.
#[derive(Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        SeededRandom(seed)
    }

    /// Returns a number from 0 to `end - 1`. Uses the upper bits, because the low bits of this generator repeat soon.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Returns a different seed at every run. Tests print it, so that a failure can be repeated.
pub fn seed_from_time() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("a time after 1970").as_nanos() as u64
}
