//! Numbers of rows that the file has had before.

use hashbrown::HashSet;

/// The publisher writes them in ascending order, so a set is built only when that fails.
pub struct KnownIds {
    ascending: Vec<u64>,
    set: Option<HashSet<u64>>,
}

impl KnownIds {
    /// For about so many.
    pub fn new(count: usize) -> Self {
        KnownIds { ascending: Vec::with_capacity(count), set: None }
    }

    #[inline(always)]
    pub fn insert(&mut self, id: u64) -> bool {
        match &mut self.set {
            Some(set) => set.insert(id),
            None if self.ascending.last().is_none_or(|last| *last < id) => {
                self.ascending.push(id);
                true
            }
            None => self.set.insert(self.ascending.drain(..).collect()).insert(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut ids = KnownIds::new(0);
        let is_new = [3, 5, 5, 4, 3, 6].map(|id| ids.insert(id));
        assert_eq!(is_new, [true, true, false, true, false, true]);
    }
}
