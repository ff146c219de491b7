//! How lists grow that are kept for as long as the service runs.

use std::collections::VecDeque;

/// A list grows by this part of its length. Doubling would allocate twice of what most lists ever hold.
const PART: usize = 8;
const LEAST: usize = 4;

/// Makes room for one more.
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / PART).max(LEAST));
    }
}

/// The same at the end of a queue.
pub(crate) fn make_room_behind<T>(queue: &mut VecDeque<T>) {
    if queue.len() == queue.capacity() {
        queue.reserve_exact((queue.len() / PART).max(LEAST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_little_spare_room_and_copy_little() {
        let (mut list, mut grown) = (Vec::new(), 0);
        for n in 0..10_000 {
            let before = list.capacity();
            make_room(&mut list);
            list.push(n);
            grown += usize::from(list.capacity() != before);
            assert!(list.capacity() <= list.len() + list.len() / PART + LEAST, "{n}");
        }
        assert!(grown < 100, "{grown}");
    }
}
