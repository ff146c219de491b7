//! Numbers of rows: read, and told apart from those that the file has had before.

use super::fields::unsigned;
use super::span::CellSpan;
use hashbrown::HashSet;

/// So many digits have all numbers of today.
const USUAL: usize = 10;

/// The publisher writes them in ascending order, so a set is built only when that fails.
pub struct KnownIds {
    had: Vec<u64>,
    set: Option<HashSet<u64>>,
    /// All but the last two digits of a number, as written and as read: the next one begins alike.
    head: u64,
    hundreds: u64,
}

impl KnownIds {
    /// For about so many.
    pub fn new(count: usize) -> Self {
        KnownIds {
            had: Vec::with_capacity(count),
            set: None,
            head: u64::from_le_bytes([b'0'; 8]),
            hundreds: 0,
        }
    }

    /// Digits only; zero is no number of a row.
    #[inline(always)]
    pub fn read(&mut self, cell: CellSpan<'_>) -> Option<u64> {
        let id =
            match cell.window().filter(|_| cell.len() == USUAL).and_then(|window| window.split_first_chunk())
            {
                Some((head, &[tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..])) => {
                    self.hundreds(u64::from_le_bytes(*head), cell)? * 100
                        + u64::from(tens - b'0') * 10
                        + u64::from(ones - b'0')
                }
                _ => unsigned(cell)?,
            };
        (id > 0).then_some(id)
    }

    #[inline(always)]
    fn hundreds(&mut self, head: u64, cell: CellSpan<'_>) -> Option<u64> {
        if head != self.head {
            (self.head, self.hundreds) = (head, unsigned(cell)? / 100);
        }
        Some(self.hundreds)
    }

    #[inline(always)]
    pub fn is_new(&mut self, id: u64) -> bool {
        match &mut self.set {
            Some(set) => set.insert(id),
            None if self.had.last().is_none_or(|last| *last < id) => {
                self.had.push(id);
                true
            }
            None => {
                let mut set: HashSet<u64> = self.had.drain(..).collect();
                let new = set.insert(id);
                self.set = Some(set);
                new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::WIDTH;

    #[test]
    fn numbers_are_read_whatever_came_before() {
        let mut ids = KnownIds::new(0);
        for (text, want) in [
            ("0000000000", None),
            ("0000000042", Some(42)),
            ("1258623899", Some(1_258_623_899)),
            ("1258623900", Some(1_258_623_900)),
            ("12586239x0", None),
            ("125862390x", None),
            ("1258623999", Some(1_258_623_999)),
            ("x258623999", None),
            ("x258623999", None),
            ("1258623901", Some(1_258_623_901)),
            ("125862390", Some(125_862_390)),
            ("12586239012", Some(12_586_239_012)),
            ("0000000000", None),
            ("", None),
        ] {
            let file = format!("{text}\t{}", "7".repeat(WIDTH));
            for file in [file.as_str(), text] {
                assert_eq!(ids.read(CellSpan::new(file.as_bytes(), 0, text.len())), want, "{text}");
            }
        }
    }

    #[test]
    fn a_number_is_new_once() {
        let mut ids = KnownIds::new(0);
        let is_new = [3, 5, 5, 4, 3, 6].map(|id| ids.is_new(id));
        assert_eq!(is_new, [true, true, false, true, false, true]);
    }
}
