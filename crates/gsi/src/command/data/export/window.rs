//! The time span of an export.

use gsi_model::Timestamp;

/// A half-open span: a row at `to` is outside.
#[derive(Clone, Copy, Debug)]
pub struct ExportWindow {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl ExportWindow {
    /// Returns consecutive pieces of at most `seconds`, oldest first.
    pub fn pieces(self, seconds: i64) -> impl Iterator<Item = ExportWindow> {
        let mut next = self.from;
        std::iter::from_fn(move || {
            let from = next;
            next = from.plus(seconds).min(self.to);
            (from < self.to).then_some(ExportWindow { from, to: next })
        })
    }

    pub fn share_before(self, at: Timestamp) -> f64 {
        at.since(self.from) as f64 / self.to.since(self.from).max(1) as f64
    }
}
