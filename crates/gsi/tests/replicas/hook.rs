//! A hook that is told of every tick while the set is tried, by a receiver that fails now and then: whoever leads, each tick
//! arrives, in order, and says one thing only.

use crate::asking::until;
use crate::receiver::{Behaviour, Received, Receiver, one_message_for_each_id};
use gsi_model::Timestamp;
use gsi_store::{PostgresStore, ReadStore};
use std::collections::BTreeSet;
use std::time::Duration;

/// What is still waiting at the end comes within this, pauses after failures included.
const LAST_ONES: Duration = Duration::from_secs(240);

pub struct ToldOfTicks {
    receiver: Receiver,
    secret: String,
}

impl ToldOfTicks {
    pub fn start(gsi: impl FnOnce(&[&str]) -> String) -> Self {
        let receiver = Receiver::behaving(|n| match n % 40 {
            7 => Behaviour::Status(500),
            16 => Behaviour::HangUp,
            25 => Behaviour::Flood,
            34 => Behaviour::Silence,
            _ => Behaviour::Status(204),
        });
        let address = receiver.url.clone();
        let secret = gsi(&["hook", "create", "--name", "ticks", "--url", &address, "--on", "snapshot"]);
        ToldOfTicks { receiver, secret }
    }

    /// Waits for the last ones and holds what came against what was published.
    pub fn finish(&self, store: &PostgresStore) -> String {
        let published = || -> BTreeSet<Timestamp> {
            store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap().iter().map(|p| p.tick).collect()
        };
        let end = published().last().copied().expect("ticks were done");
        until("the last tick has arrived", LAST_ONES, || accepted(&self.receiver.got()).last() >= Some(&end));
        let got = self.receiver.got();
        one_message_for_each_id(&got);
        let webhook = standardwebhooks::Webhook::new(&self.secret).unwrap();
        for received in &got {
            // Signed again, because some are older by now than a receiver would let pass.
            let [id, at, signature] =
                ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| &received.headers[name]);
            let signed = webhook.sign(id, at.parse().unwrap(), received.body.as_bytes()).unwrap();
            assert_eq!(&signed, signature);
        }
        let accepted = accepted(&got);
        assert!(accepted.is_sorted(), "ticks arrived out of order: {accepted:?}");
        // The hook was set between two ticks: the first that arrived is the first that had to.
        let first = accepted[0];
        let wanted: BTreeSet<Timestamp> = published().range(first..=end).copied().collect();
        let arrived: BTreeSet<Timestamp> = accepted.iter().copied().filter(|tick| *tick <= end).collect();
        assert_eq!(arrived, wanted, "what was published is what arrived");
        let tries = got.len();
        format!("a hook was told of {} ticks in {tries} tries, none missing, in order", wanted.len())
    }
}

/// The ticks in the order in which they were first taken.
fn accepted(got: &[Received]) -> Vec<Timestamp> {
    let mut known = BTreeSet::new();
    got.iter()
        .filter(|received| received.accepted)
        .map(|received| {
            let message: serde_json::Value = serde_json::from_str(&received.body).unwrap();
            message["timestamp"].as_str().unwrap().parse().unwrap()
        })
        .filter(|tick| known.insert(*tick))
        .collect()
}
