//! A client for an OpenAI-compatible endpoint. Every part of an answer has a limit.

use gsi_narrate::Question;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// The largest answer: JSON around at most [`gsi_narrate::MAX_CANDIDATE_BYTES`] of escaped text.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// A briefing has about 350 words, which is less than 1,000 tokens.
const MAX_ANSWER_TOKENS: u32 = 1_500;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct ModelSettings {
    /// The base address, such as `https://models.example/v1`, or the whole address of the chat completions.
    pub url: Url,
    /// The model's name as the endpoint knows it.
    pub name: String,
    pub key: Option<String>,
    /// The time a tick waits for all its texts together.
    pub timeout: Duration,
    pub requests_per_hour: u32,
    pub proxy: Option<Url>,
    pub extra_ca: Option<PathBuf>,
}

/// Hides the key, because settings may be logged.
impl std::fmt::Debug for ModelSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelSettings")
            .field("url", &self.url.as_str())
            .field("name", &self.name)
            .field("key", &self.key.as_ref().map(|_| "(set)"))
            .field("timeout", &self.timeout)
            .field("requests_per_hour", &self.requests_per_hour)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ModelSetupError {
    #[error("the model's key has characters that are not allowed in a header")]
    Key,
    #[error("model.url cannot be a base: {0}")]
    Url(String),
    #[error("cannot read {path}: {source}")]
    File { path: String, source: std::io::Error },
    #[error("cannot create the client for the model: {0}")]
    Client(#[from] reqwest::Error),
}

/// Why there is no answer to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    Timeout,
    /// The requests of this hour are used up.
    Budget,
    /// Not asked, because several questions in a row failed.
    Paused,
    TooLarge,
    Status(u16),
    Redirect,
    Malformed(MalformedAnswer),
    Unreachable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MalformedAnswer {
    #[error("broken off")]
    BrokenOff,
    #[error("cut off")]
    CutOff,
    #[error("not the expected JSON")]
    Json,
    #[error("no choices")]
    NoChoices,
    #[error("no content")]
    NoContent,
}

impl Unanswered {
    /// A bounded label for metrics and for `generated_by`.
    pub fn code(&self) -> &'static str {
        match self {
            Unanswered::Timeout => "timeout",
            Unanswered::Budget => "budget",
            Unanswered::Paused => "paused",
            Unanswered::TooLarge => "too_large",
            Unanswered::Status(_) => "status",
            Unanswered::Redirect => "redirect",
            Unanswered::Malformed(_) => "malformed",
            Unanswered::Unreachable => "unreachable",
        }
    }

    /// The code and its detail for a briefing's record. It never contains text from the answer.
    pub fn reason(&self) -> String {
        match self {
            Unanswered::Status(status) => format!("status: {status}"),
            Unanswered::Malformed(detail) => format!("malformed: {detail}"),
            other => other.code().to_owned(),
        }
    }
}

pub struct Client {
    http: reqwest::Client,
    url: Url,
    name: String,
    authorization: Option<HeaderValue>,
}

impl Client {
    pub fn new(settings: &ModelSettings) -> Result<Client, ModelSetupError> {
        // The process may have installed the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("gsi/", env!("CARGO_PKG_VERSION")))
            // The key is sent to the configured address only.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .no_proxy();
        if let Some(proxy) = &settings.proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy.clone())?);
        }
        if let Some(path) = &settings.extra_ca {
            let pem = std::fs::read(path)
                .map_err(|source| ModelSetupError::File { path: path.display().to_string(), source })?;
            builder = builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(&pem)?);
        }
        let authorization = settings.key.as_ref().map(|key| {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| ModelSetupError::Key)?;
            value.set_sensitive(true);
            Ok::<_, ModelSetupError>(value)
        });
        Ok(Client {
            http: builder.build()?,
            url: completions(&settings.url)?,
            name: settings.name.clone(),
            authorization: authorization.transpose()?,
        })
    }

    /// Returns the model's text. The caller sets the timeout.
    pub async fn ask(&self, question: &Question) -> Result<String, Unanswered> {
        let body = serde_json::json!({
            "model": self.name,
            "temperature": 0,
            "max_tokens": MAX_ANSWER_TOKENS,
            "messages": [
                { "role": "system", "content": question.instructions },
                { "role": "user", "content": question.data },
            ],
        });
        let mut request = self
            .http
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body.to_string());
        if let Some(value) = &self.authorization {
            request = request.header(AUTHORIZATION, value.clone());
        }
        let mut response = request.send().await.map_err(|e| failure(&e))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(Unanswered::Redirect);
        }
        if !status.is_success() {
            return Err(Unanswered::Status(status.as_u16()));
        }
        if response.content_length().is_some_and(|n| n > MAX_ANSWER_BYTES as u64) {
            return Err(Unanswered::TooLarge);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| failure(&e))? {
            if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(Unanswered::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        candidate(&bytes)
    }
}

fn failure(error: &reqwest::Error) -> Unanswered {
    if error.is_timeout() {
        Unanswered::Timeout
    } else if error.is_body() || error.is_decode() {
        Unanswered::Malformed(MalformedAnswer::BrokenOff)
    } else {
        Unanswered::Unreachable
    }
}

fn completions(base: &Url) -> Result<Url, ModelSetupError> {
    let mut url = base.clone();
    let path = url.path().trim_end_matches('/').to_owned();
    if url.cannot_be_a_base() {
        return Err(ModelSetupError::Url(base.to_string()));
    }
    if path.ends_with("/chat/completions") {
        url.set_path(&path);
    } else {
        url.set_path(&format!("{path}/chat/completions"));
    }
    Ok(url)
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

fn candidate(bytes: &[u8]) -> Result<String, Unanswered> {
    let answer: Answer =
        serde_json::from_slice(bytes).map_err(|_| Unanswered::Malformed(MalformedAnswer::Json))?;
    let choice =
        answer.choices.into_iter().next().ok_or(Unanswered::Malformed(MalformedAnswer::NoChoices))?;
    match (choice.finish_reason.as_deref(), choice.message.content) {
        (Some("length"), _) => Err(Unanswered::Malformed(MalformedAnswer::CutOff)),
        (_, Some(text)) => Ok(text),
        (_, None) => Err(Unanswered::Malformed(MalformedAnswer::NoContent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_added_once() {
        for (given, want) in [
            ("https://a.example/v1", "https://a.example/v1/chat/completions"),
            ("https://a.example/v1/", "https://a.example/v1/chat/completions"),
            ("https://a.example", "https://a.example/chat/completions"),
            ("https://a.example/v1/chat/completions", "https://a.example/v1/chat/completions"),
            ("https://a.example/v1?version=2", "https://a.example/v1/chat/completions?version=2"),
        ] {
            assert_eq!(completions(&Url::parse(given).unwrap()).unwrap().as_str(), want);
        }
    }

    #[test]
    fn malformed_answers_are_refused() {
        for (body, want) in [
            (
                r#"{"choices":[{"message":{"content":"words"},"finish_reason":"stop"}]}"#,
                Ok("words".to_owned()),
            ),
            (
                r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"w"}}],"usage":{}}"#,
                Ok("w".to_owned()),
            ),
            (
                r#"{"choices":[{"message":{"content":"half a"},"finish_reason":"length"}]}"#,
                Err(MalformedAnswer::CutOff),
            ),
            (r#"{"choices":[]}"#, Err(MalformedAnswer::NoChoices)),
            (r#"{"choices":[{"message":{"content":null}}]}"#, Err(MalformedAnswer::NoContent)),
            (r#"{"error":{"message":"no"}}"#, Err(MalformedAnswer::Json)),
            ("<html>", Err(MalformedAnswer::Json)),
            ("", Err(MalformedAnswer::Json)),
        ] {
            assert_eq!(candidate(body.as_bytes()), want.map_err(Unanswered::Malformed), "{body}");
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let settings = ModelSettings {
            url: Url::parse("https://a.example/v1").unwrap(),
            name: "m".into(),
            key: Some("sesame-open".into()),
            timeout: Duration::from_secs(1),
            requests_per_hour: 1,
            proxy: None,
            extra_ca: None,
        };
        assert!(!format!("{settings:?}").contains("sesame"));
        let client = Client::new(&settings).unwrap();
        assert!(!format!("{:?}", client.authorization).contains("sesame"));
    }
}
