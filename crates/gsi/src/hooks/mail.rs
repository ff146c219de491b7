//! Hooks by mail: sends messages to the operator's mail server over TLS.

use super::text::{letter, one_line};
use super::{DeliveryOutcome, HooksConfig, smtp_password};
use anyhow::{Context, bail};
use gsi_model::{Delivery, Hook};
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::{Address, Message, SmtpTransport, Transport};
use std::time::Duration;
use url::Url;

const TIMEOUT: Duration = Duration::from_secs(9);

pub struct MailSender {
    transport: SmtpTransport,
    from: Mailbox,
}

impl MailSender {
    /// Returns `None` when no mail server is configured.
    pub fn new(config: &HooksConfig) -> anyhow::Result<Option<MailSender>> {
        if config.smtp.is_empty() {
            return Ok(None);
        }
        let url = Url::parse(&config.smtp)
            .context("hooks.smtp is not an address such as smtps://mail.example.org")?;
        let host = url.host_str().context("hooks.smtp has no host")?;
        let builder = match url.scheme() {
            "smtps" => SmtpTransport::relay(host)?,
            // Begins without encryption and requires TLS before any other command.
            "smtp" => SmtpTransport::starttls_relay(host)?,
            other => bail!("hooks.smtp must begin with smtps or smtp, not {other}"),
        };
        let mut builder = builder.timeout(Some(TIMEOUT));
        if let Some(port) = url.port() {
            builder = builder.port(port);
        }
        if !url.username().is_empty() {
            let name = percent_decoded(url.username());
            builder = builder.credentials(Credentials::new(name, smtp_password(config)?));
        }
        let from = config.mail_from.parse().context("hooks.mail_from is not an address")?;
        Ok(Some(MailSender { transport: builder.build(), from }))
    }

    pub async fn send(&self, hook: &Hook, delivery: &Delivery) -> DeliveryOutcome {
        let message = match self.message(hook, delivery) {
            Ok(message) => message,
            Err(error) => return DeliveryOutcome::Refused(format!("cannot compose the mail: {error}")),
        };
        let transport = self.transport.clone();
        match tokio::task::spawn_blocking(move || transport.send(&message)).await {
            Ok(Ok(answer)) => DeliveryOutcome::Accepted(answer.code().to_string()),
            Ok(Err(error)) if is_about_login(&error) => DeliveryOutcome::Failed(error.to_string()),
            Ok(Err(error)) if error.is_permanent() => DeliveryOutcome::Refused(error.to_string()),
            Ok(Err(error)) => DeliveryOutcome::Failed(error.to_string()),
            Err(error) => DeliveryOutcome::Failed(error.to_string()),
        }
    }

    fn message(&self, hook: &Hook, delivery: &Delivery) -> anyhow::Result<Message> {
        let to = recipient(&hook.url).map_err(anyhow::Error::msg)?;
        Ok(Message::builder()
            // Every try has the same id, so that receivers recognise repetitions.
            .message_id(Some(format!("<{}@{}>", delivery.message, self.from.email.domain())))
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(one_line(&delivery.body))
            .body(letter(&delivery.body))?)
    }
}

/// Returns whether the server refuses this program's login (RFC 4954), which says nothing about the message.
fn is_about_login(error: &lettre::transport::smtp::Error) -> bool {
    matches!(error.status().map(u16::from), Some(530 | 534 | 535 | 538))
}

fn recipient(address: &str) -> Result<Address, String> {
    let to = address.strip_prefix("mailto:").ok_or("the address of a mail hook must be mailto:NAME@HOST")?;
    to.parse().map_err(|e| format!("{to:?} is not a mail address: {e}"))
}

pub fn check_address(address: &str) -> Result<(), String> {
    recipient(address).map(drop)
}

fn percent_decoded(text: &str) -> String {
    let pair = format!("x={text}");
    url::form_urlencoded::parse(pair.replace('+', "%2B").as_bytes())
        .next()
        .map_or_else(String::new, |(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mail_addresses_are_accepted() {
        for (address, good) in [
            ("mailto:desk@example.org", true),
            ("mailto:desk", false),
            ("desk@example.org", false),
            ("mailto:a@example.org\r\nBcc: b@example.org", false),
            ("https://example.org", false),
        ] {
            assert_eq!(check_address(address).is_ok(), good, "{address}");
        }
        assert_eq!(percent_decoded("desk%40example.org"), "desk@example.org");
        assert_eq!(percent_decoded("a+b"), "a+b");
    }
}
