//! What is on alert, kept in one order.

use gsi_model::Alert;

/// Takes in what a tick began and ended.
pub fn remember(active: &mut Vec<Alert>, changes: &[Alert]) {
    active.retain(|a| !changes.iter().any(|c| c.id == a.id));
    active.extend(changes.iter().filter(|c| c.is_active()).cloned());
    sort(active);
}

/// The same order whether they were just made or read back.
pub fn sort(active: &mut [Alert]) {
    active.sort_by(|a, b| (a.began_at, &a.id).cmp(&(b.began_at, &b.id)));
}
