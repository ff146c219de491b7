//! The named bands of a score.

closed_set! {
    /// The range that a score is in, from the most stable to the least.
    Band {
        Calm = "calm",
        Guarded = "guarded",
        Elevated = "elevated",
        High = "high",
        Severe = "severe",
    }
}
