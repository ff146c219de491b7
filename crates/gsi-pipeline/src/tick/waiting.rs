//! The reasons for a missing score: pillars without data, their feeds, and the feeds' last answers.

use gsi_index::Method;
use gsi_model::{FeedState, Pillar, Timestamp};
use std::collections::BTreeMap;
use std::fmt;

/// A pillar without a score.
#[derive(Debug, Clone, PartialEq)]
pub struct PillarWait {
    pub pillar: Pillar,
    pub feeds: Vec<FeedWait>,
}

/// A feed that the pillar waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedWait {
    pub feed: String,
    /// The first failed poll, or the last poll if none failed.
    pub since: Option<Timestamp>,
    pub last_answer: String,
}

pub(crate) fn waits(
    method: &Method,
    pillars: &[Pillar],
    feeds: &BTreeMap<String, FeedState>,
) -> Vec<PillarWait> {
    let wait = |feed: &str| {
        let state = feeds.get(feed);
        let last_answer = match state {
            None => "not asked yet".to_owned(),
            Some(FeedState { last_refusal: Some(refusal), failing_since: Some(_), .. }) => {
                refusal.to_string()
            }
            Some(FeedState { last_attempt: None, .. }) => "not asked yet".to_owned(),
            Some(FeedState { seen: 0, .. }) => "an answer without rows".to_owned(),
            Some(state) => format!("{} of {} rows taken, not enough for a value", state.accepted, state.seen),
        };
        let since = state.and_then(|s| s.failing_since.or(s.last_attempt));
        FeedWait { feed: feed.to_owned(), since, last_answer }
    };
    let of_pillar = |pillar: &Pillar| PillarWait {
        pillar: *pillar,
        feeds: method.feeds_of(*pillar).into_iter().map(wait).collect(),
    };
    pillars.iter().map(of_pillar).collect()
}

impl fmt::Display for PillarWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nothing is known of {} yet; waiting for ", self.pillar)?;
        for (n, feed) in self.feeds.iter().enumerate() {
            let since = feed.since.map_or(String::new(), |t| format!(" since {t}"));
            let comma = if n > 0 { ", " } else { "" };
            write!(f, "{comma}{}{since} ({})", feed.feed, feed.last_answer)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_index::Method;
    use gsi_model::{PayloadRefusal, RefusalCode};

    #[test]
    fn pillar_feed_time_and_answer_are_named() {
        let feeds = ["gdelt", "kev", "oil", "ofr"].map(str::to_owned).into();
        let method = Method::load(Method::default_text(), &feeds).unwrap();
        let at = Timestamp::from_unix(1_000_000_800);
        let failed = FeedState {
            feed: "ofr".to_owned(),
            last_attempt: Some(at.plus(900)),
            failing_since: Some(at),
            last_refusal: Some(PayloadRefusal::new(
                RefusalCode::Status403,
                "https://www.example.org said 403",
            )),
            ..FeedState::default()
        };
        let states = BTreeMap::from([("ofr".to_owned(), failed)]);
        let said: Vec<String> =
            waits(&method, &[Pillar::Macro, Pillar::Cyber], &states).iter().map(|w| w.to_string()).collect();
        assert!(said[0].contains("macro") && said[0].contains("403"), "{said:?}");
        assert!(said[0].contains(&at.to_string()), "{said:?}");
        assert!(said[1].contains("cyber") && said[1].contains("kev (not asked yet)"), "{said:?}");
    }
}
