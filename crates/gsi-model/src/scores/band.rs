//! The named bands of a score.

closed_set! {
    /// From the most stable to the least.
    Band {
        Calm = "calm",
        Guarded = "guarded",
        Elevated = "elevated",
        High = "high",
        Severe = "severe",
    }
}
