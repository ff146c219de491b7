//! A hook on every snapshot, with a receiver that sometimes fails. Whichever replica leads, the message of each tick arrives in order or
//! is replaced by a newer one, and a repeated message is the same.

use drills::wait_until;
use drills::webhooks::{Behaviour, Received, WebhookReceiver, assert_one_body_for_each_id};
use gsi_model::{DeliveryState, Timestamp};
use gsi_store::{HookStore, PostgresStore, ReadStore};
use std::collections::BTreeSet;
use std::time::Duration;

/// The last messages arrive within it, with the pauses after failures.
const LAST_MESSAGES: Duration = Duration::from_secs(240);

pub struct SnapshotHook {
    receiver: WebhookReceiver,
    secret: String,
}

impl SnapshotHook {
    pub fn start(gsi: impl FnOnce(&[&str]) -> String) -> Self {
        let receiver = WebhookReceiver::start_with(|n| match n % 40 {
            7 => Behaviour::Status(500),
            16 => Behaviour::HangUp,
            25 => Behaviour::Flood,
            34 => Behaviour::Silence,
            _ => Behaviour::Status(204),
        });
        let address = receiver.url.clone();
        let secret = gsi(&["hook", "create", "--name", "ticks", "--url", &address, "--on", "snapshot"]);
        SnapshotHook { receiver, secret }
    }

    /// Waits for the last messages and compares what arrived with what was published.
    pub fn finish(&self, store: &PostgresStore) -> String {
        let published = || -> BTreeSet<Timestamp> {
            store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap().iter().map(|p| p.tick).collect()
        };
        let end = published().last().copied().expect("ticks were done");
        wait_until("the last tick has arrived", LAST_MESSAGES, || {
            accepted(&self.receiver.received()).last() >= Some(&end)
        });
        let got = self.receiver.received();
        assert_one_body_for_each_id(&got);
        let webhook = standardwebhooks::Webhook::new(&self.secret).unwrap();
        for received in &got {
            // Compared with a new signature, because `verify` refuses old messages.
            let [id, at, signature] =
                ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| &received.headers[name]);
            let signed = webhook.sign(id, at.parse().unwrap(), received.body.as_bytes()).unwrap();
            assert_eq!(&signed, signature);
        }
        let accepted = accepted(&got);
        let replaced: BTreeSet<Timestamp> = store
            .deliveries(Some("ticks"), usize::MAX)
            .unwrap()
            .into_iter()
            .filter(|delivery| delivery.state == DeliveryState::Replaced)
            .map(|delivery| delivery.tick)
            .collect();
        // A replica that was stopped during a try may finish it after another replica has sent a newer snapshot.
        let in_turn: Vec<Timestamp> =
            accepted.iter().copied().filter(|tick| !replaced.contains(tick)).collect();
        assert!(in_turn.is_sorted(), "ticks arrived out of order: {accepted:?}");
        // The hook was created between two ticks, so the first tick that arrived is the first that had to.
        let first = accepted[0];
        let wanted: BTreeSet<Timestamp> = published().range(first..=end).copied().collect();
        let arrived: BTreeSet<Timestamp> = accepted.iter().copied().filter(|tick| *tick <= end).collect();
        assert!(arrived.is_subset(&wanted), "ticks arrived that are not published: {arrived:?}, {wanted:?}");
        let not_arrived: BTreeSet<Timestamp> = wanted.difference(&arrived).copied().collect();
        assert!(not_arrived.is_subset(&replaced), "lost ticks: {not_arrived:?}, {replaced:?}");
        let (arrived, tries, skipped) = (arrived.len(), got.len(), not_arrived.len());
        format!(
            "a hook received {arrived} ticks in order in {tries} tries; newer ones replaced {skipped}, none is missing"
        )
    }
}

/// The ticks in the order in which they were first accepted.
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
