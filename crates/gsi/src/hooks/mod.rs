//! Sends messages to hooks. The ticks fill the outbox, and the leader sends its messages in order, one at a time for each hook.

mod deliveries;
mod mail;
mod text;
mod webhook;

pub use deliveries::Deliveries;

use crate::config::{Config, ConfigError};
use gsi_model::{Delivery, Hook, HookFormat, Timestamp};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde::Deserialize;
use std::time::Duration;

/// Maximum time for a whole request to a receiver.
const TIME_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HooksConfig {
    pub allow_private: bool,
    pub proxy: String,
    pub ca_file: String,
    pub smtp: String,
    pub smtp_password: String,
    pub smtp_password_file: String,
    pub mail_from: String,
}

/// The outcome of one try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Accepted(String),
    /// The receiver answered 410 and wants no more messages.
    Gone,
    /// The receiver will not accept this message.
    Refused(String),
    /// The receiver asked for a pause.
    Busy {
        result: String,
        retry_after: Duration,
    },
    Failed(String),
}

impl DeliveryOutcome {
    /// Returns the text for the list of tries.
    pub fn result(&self) -> &str {
        match self {
            DeliveryOutcome::Accepted(result)
            | DeliveryOutcome::Refused(result)
            | DeliveryOutcome::Busy { result, .. }
            | DeliveryOutcome::Failed(result) => result,
            DeliveryOutcome::Gone => "410",
        }
    }
}

/// Sends a message to the address of its hook.
pub struct HookClient {
    webhooks: webhook::WebhookSender,
    mail: Option<mail::MailSender>,
    tries: TryCounts,
}

#[derive(Clone, Debug, Default)]
struct TryCounts {
    accepted: Counter,
    failed: Counter,
}

/// A registered metric's help would end in a full stop, which this one does not have.
impl Collector for TryCounts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let help = "Tries to tell a hook something";
        let counter = self.accepted.metric_type();
        let mut tries = encoder.encode_descriptor("gsi_hook_tries", help, None, counter)?;
        self.accepted.encode(tries.encode_family(&[("result", "accepted")])?)?;
        self.failed.encode(tries.encode_family(&[("result", "failed")])?)
    }
}

impl HookClient {
    pub fn new(config: &Config) -> anyhow::Result<HookClient> {
        let hooks = &config.hooks;
        Ok(HookClient {
            webhooks: webhook::WebhookSender::new(hooks)?,
            mail: mail::MailSender::new(hooks)?,
            tries: TryCounts::default(),
        })
    }

    pub async fn send(&self, hook: &Hook, delivery: &Delivery, now: Timestamp) -> DeliveryOutcome {
        let sending = async {
            match (hook.format, &self.mail) {
                (HookFormat::Webhook, _) => self.webhooks.send_signed(hook, delivery, now).await,
                (HookFormat::Slack, _) => self.webhooks.send_text(hook, delivery).await,
                (HookFormat::Email, Some(mail)) => mail.send(hook, delivery).await,
                (HookFormat::Email, None) => {
                    DeliveryOutcome::Failed("hooks.smtp is not set: there is no mail server".to_owned())
                }
            }
        };
        let outcome = match tokio::time::timeout(TIME_LIMIT, sending).await {
            Ok(outcome) => outcome,
            Err(_) => DeliveryOutcome::Failed("no complete answer within 10 s".to_owned()),
        };
        let is_accepted = matches!(outcome, DeliveryOutcome::Accepted(_));
        let counter = if is_accepted { &self.tries.accepted } else { &self.tries.failed };
        counter.inc();
        outcome
    }

    /// Registers the counts of tries by result.
    pub fn register_metrics(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.tries.clone()));
    }
}

/// Checks a hook's address, when it is set and before every try.
pub fn check_address(config: &HooksConfig, format: HookFormat, address: &str) -> Result<(), String> {
    match format {
        HookFormat::Email => mail::check_address(address),
        _ => webhook::check_address(address, config.allow_private).map(drop),
    }
}

/// Returns the password of the mail server, from the configuration or a file.
fn smtp_password(config: &HooksConfig) -> Result<String, ConfigError> {
    match (config.smtp_password.as_str(), config.smtp_password_file.as_str()) {
        (password, "") => Ok(password.to_owned()),
        ("", path) => std::fs::read_to_string(path)
            .map(|text| text.trim().to_owned())
            .map_err(|e| ConfigError::File { path: path.to_owned(), reason: e.to_string() }),
        _ => {
            Err(ConfigError::Invalid("set hooks.smtp_password or hooks.smtp_password_file, not both".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{DeliveryState, HookMessageKind, HookState, HookTopic};

    pub fn hook(url: &str) -> Hook {
        Hook {
            name: "desk".to_owned(),
            url: url.to_owned(),
            topics: vec![HookTopic::Alert],
            when: None,
            format: HookFormat::Slack,
            state: HookState::On,
            secrets: Vec::new(),
            created_at: Timestamp::from_unix(0),
        }
    }

    pub fn delivery() -> Delivery {
        Delivery {
            number: 1,
            hook: "desk".to_owned(),
            message: "msg_1".to_owned(),
            tick: Timestamp::from_unix(0),
            kind: HookMessageKind::Test,
            body: "{}".to_owned(),
            state: DeliveryState::Waiting,
            waiting_since: Timestamp::from_unix(0),
            next_try_at: Timestamp::from_unix(0),
            tries: Vec::new(),
        }
    }
}
