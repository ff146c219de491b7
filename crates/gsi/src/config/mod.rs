//! The configuration: a commented default that is compiled in. A file, the environment and flags override it, in that order.
//!
//! The default file is also the schema. An unknown key is refused, and the error names the nearest known key.

mod error;
mod merging;
mod model;
mod variables;

pub use error::ConfigError;
pub use merging::DEFAULT;
pub use model::ModelConfig;

use gsi_store::{LEAST_DAYS_KEPT, PrunableKind, RetentionDays};
use http::HeaderName;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Days for which finished messages to hooks are kept.
const DELIVERY_DAYS: u32 = 30;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub listen: String,
    pub data: PathBuf,
    pub store: String,
    pub read_store: String,
    pub role: Role,
    pub api_key: String,
    pub api_key_file: String,
    pub log: LogConfig,
    pub http: HttpConfig,
    pub public: PublicConfig,
    pub tls: TlsConfig,
    pub metrics: MetricsConfig,
    pub feeds: FeedsConfig,
    pub hooks: crate::hooks::HooksConfig,
    pub retention: RetentionConfig,
    pub model: ModelConfig,
    pub method: MethodFiles,
    pub rehearsal: RehearsalConfig,
    pub demo: DemoConfig,
}

/// Whether this process may do the ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The process that gets the lead does them. One process leads at a time.
    Auto,
    /// This process never does them.
    Serve,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RehearsalConfig {
    pub publishers: String,
    pub begins: String,
    pub since: String,
    pub scale: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    pub level: String,
    pub format: LogFormat,
    pub requests: String,
    pub requests_max_mb: u64,
    pub requests_max_days: u32,
    pub requests_keep: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LogFormat {
    Text,
    Json,
}

impl TryFrom<String> for LogFormat {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        match word.as_str() {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err(format!("log.format is `text` or `json`, not `{word}`")),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub trusted_proxies: Vec<String>,
    pub client_address_header: String,
    pub max_in_flight: usize,
    pub max_streams: usize,
    pub max_streams_per_key: usize,
    pub idle_seconds: u64,
    pub drain_seconds: u64,
    pub cors_origins: Vec<String>,
}

impl HttpConfig {
    /// Returns the name of the header in which trusted proxies name the client.
    pub fn address_header(&self) -> Result<HeaderName, ConfigError> {
        let name = &self.client_address_header;
        let refused = || format!("http.client_address_header: {name:?} is no name such as X-Forwarded-For");
        name.parse().map_err(|_| ConfigError::Invalid(refused()))
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicConfig {
    pub resources: Vec<String>,
    pub requests_per_minute: u32,
    pub url: String,
}

impl PublicConfig {
    pub fn settings(&self) -> Result<gsi_api::PublicSettings, ConfigError> {
        use gsi_api::PublicResource;
        let mut resources = Vec::new();
        for name in &self.resources {
            let resource = PublicResource::from_key(name).ok_or_else(|| {
                let known = PublicResource::ALL.map(PublicResource::key).join(", ");
                ConfigError::Invalid(format!("public.resources: there is no `{name}`; there are {known}"))
            })?;
            if !resources.contains(&resource) {
                resources.push(resource);
            }
        }
        if self.requests_per_minute == 0 {
            return Err(ConfigError::Invalid("public.requests_per_minute must be at least 1".into()));
        }
        let is_address = || {
            url::Url::parse(&self.url).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none()
            })
        };
        if !self.url.is_empty() && !is_address() {
            let reason = "public.url must be an address such as https://stability.example";
            return Err(ConfigError::Invalid(reason.into()));
        }
        Ok(gsi_api::PublicSettings {
            resources,
            requests_per_minute: self.requests_per_minute,
            url: self.url.trim_end_matches('/').to_owned(),
        })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    pub certificate: String,
    pub private_key: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricsConfig {
    pub listen: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedsConfig {
    pub contact: String,
    pub proxy: String,
    pub ca_file: String,
    pub mirror: String,
    pub disabled: Vec<String>,
    pub enabled: Vec<String>,
    pub archive_days: u32,
    pub archive_max_mb: u64,
    pub allow_plain_http: bool,
    pub keys: gsi_feeds::Credentials,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    pub news_row_days: u32,
    pub event_version_days: u32,
    pub engine_state_days: u32,
}

impl RetentionConfig {
    pub fn days(&self) -> RetentionDays {
        RetentionDays {
            news_rows: self.news_row_days,
            event_versions: self.event_version_days,
            engine_states: self.engine_state_days,
            deliveries: DELIVERY_DAYS,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodFiles {
    pub baseline: String,
    pub packed_history: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoConfig {
    pub seed: u64,
    pub days: u32,
    pub time_scale: f64,
    pub rows_per_slot: f64,
    pub scenario: String,
}

/// A value from the command line, with the dotted path of its key.
pub type Override = (&'static str, Value);

impl Config {
    /// Merges all layers and checks the result. A command's own `defaults` override the default file, and everything else overrides them.
    pub fn load(
        defaults: Vec<Override>,
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: Vec<Override>,
    ) -> Result<Config, ConfigError> {
        let invalid = |e: toml::de::Error| ConfigError::Invalid(e.message().to_owned());
        let mut merged: Table = DEFAULT.parse().map_err(invalid)?;
        for (path, value) in defaults {
            merging::set(&mut merged, path, value);
        }
        if let Some(path) = file {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| ConfigError::File { path: place.clone(), reason: e.to_string() })?;
            let given: Table = text.parse().map_err(|e: toml::de::Error| ConfigError::File {
                path: place.clone(),
                reason: e.to_string(),
            })?;
            merging::overlay(&mut merged, given, "", &place)?;
        }
        for (name, text) in environment {
            variables::apply_variable(&mut merged, &name, &text)?;
        }
        for (path, value) in flags {
            merging::set(&mut merged, path, value);
        }
        let config: Config = merged.try_into().map_err(invalid)?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let invalid = |text: String| Err(ConfigError::Invalid(text));
        if self.tls.certificate.is_empty() != self.tls.private_key.is_empty() {
            return invalid("tls.certificate and tls.private_key must be set together".into());
        }
        if !(self.demo.time_scale.is_finite() && (1.0..=100_000.0).contains(&self.demo.time_scale)) {
            return invalid("demo.time_scale must be between 1 and 100000".into());
        }
        if !(self.rehearsal.scale.is_finite() && (1.0..=100_000.0).contains(&self.rehearsal.scale)) {
            return invalid("rehearsal.scale must be between 1 and 100000".into());
        }
        if !(self.demo.rows_per_slot.is_finite() && (10.0..=5_000.0).contains(&self.demo.rows_per_slot)) {
            return invalid("demo.rows_per_slot must be between 10 and 5000".into());
        }
        if !(1..=3_650).contains(&self.demo.days) {
            return invalid("demo.days must be between 1 and 3650".into());
        }
        if self.http.max_connections == 0 || self.http.max_in_flight == 0 || self.http.idle_seconds == 0 {
            return invalid("the limits under [http] must be at least 1".into());
        }
        if self.log.requests_max_mb == 0 || self.log.requests_max_days == 0 {
            return invalid("log.requests_max_mb and log.requests_max_days must be at least 1".into());
        }
        if self.feeds.archive_max_mb == 0 {
            return invalid(
                "feeds.archive_max_mb must be at least 1; feeds.archive_days = 0 archives nothing".into(),
            );
        }
        let keep = self.retention.days();
        if PrunableKind::ALL.iter().any(|kind| (1..LEAST_DAYS_KEPT).contains(&keep.of(*kind))) {
            return invalid(format!(
                "days under [retention] must be 0, which keeps everything, or at least {LEAST_DAYS_KEPT}"
            ));
        }
        self.public.settings()?;
        gsi_api::TrustedProxies::parse(&self.http.trusted_proxies)
            .map_err(|e| ConfigError::Invalid(format!("http.trusted_proxies: {e}")))?;
        self.http.address_header()?;
        Ok(())
    }

    /// Returns the store's address. The default is a SQLite file in the data folder.
    pub fn store_url(&self) -> String {
        match self.store.as_str() {
            "" => format!("sqlite:{}", self.data.join("gsi.db").display()),
            url => url.to_owned(),
        }
    }

    /// Returns the store's address without its password.
    pub fn shown_store_url(&self) -> String {
        let address = self.store_url();
        match url::Url::parse(&address) {
            Ok(mut url) if url.password().is_some() => {
                let _ = url.set_password(Some("…"));
                url.to_string()
            }
            _ => address,
        }
    }

    /// Returns the operator's key, from the configuration or from a file.
    pub fn operator_key(&self) -> Result<Option<String>, ConfigError> {
        let key = match (self.api_key.as_str(), self.api_key_file.as_str()) {
            ("", "") => return Ok(None),
            (key, "") => key.to_owned(),
            ("", path) => std::fs::read_to_string(path)
                .map_err(|e| ConfigError::File { path: path.to_owned(), reason: e.to_string() })?
                .trim()
                .to_owned(),
            _ => return Err(ConfigError::Invalid("set api_key or api_key_file, not both".into())),
        };
        if key.len() < 16 || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(ConfigError::Invalid(
                "the operator's key must have at least 16 visible ASCII characters".into(),
            ));
        }
        Ok(Some(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, environment: &[(&str, &str)], flags: Vec<Override>) -> Result<Config, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gsi.toml");
        std::fs::write(&path, file).unwrap();
        let environment = environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Config::load(Vec::new(), Some(&path), environment, flags).map_err(|e| match e {
            ConfigError::UnknownKey { key, nearest, .. } => {
                ConfigError::UnknownKey { place: "x".into(), key, nearest }
            }
            ConfigError::WrongType { key, wants, .. } => {
                ConfigError::WrongType { place: "x".into(), key, wants }
            }
            other => other,
        })
    }

    #[test]
    fn the_default_file_is_a_complete_configuration() {
        let config = Config::load(vec![], None, [], vec![]).unwrap();
        assert_eq!(config.listen, "127.0.0.1:8080");
        assert_eq!(config.store_url(), "sqlite:./gsi-data/gsi.db");
    }

    #[test]
    fn the_default_limits_are_those_of_the_interface() {
        let http = Config::load(vec![], None, [], vec![]).unwrap().http;
        let limits = gsi_api::Limits::default();
        assert_eq!((http.max_connections, http.max_in_flight), (20_000, 1_024));
        assert_eq!((limits.max_connections, limits.max_in_flight), (20_000, 1_024));
        assert_eq!(http.max_connections_per_address, limits.max_connections_per_address);
        assert_eq!(
            (http.max_streams, http.max_streams_per_key),
            (limits.max_streams, limits.streams_per_key)
        );
        assert_eq!((http.idle_seconds, http.drain_seconds), (limits.idle.as_secs(), limits.drain.as_secs()));
        let settings = gsi_api::ServiceSettings::default();
        assert_eq!(http.address_header().unwrap(), settings.client_address_header);
    }

    #[test]
    fn flags_override_the_environment_which_overrides_the_file() {
        let file = "listen = \"1.1.1.1:1\"\n[http]\nmax_connections = 5\nmax_in_flight = 6\n";
        let environment = [("GSI_HTTP_MAX_CONNECTIONS", "7"), ("GSI_LISTEN", "2.2.2.2:2"), ("HOME", "/x")];
        let config = load(file, &environment, vec![("listen", Value::String("3.3.3.3:3".into()))]).unwrap();
        assert_eq!((config.listen.as_str(), config.http.max_connections), ("3.3.3.3:3", 7));
        assert_eq!(config.http.max_in_flight, 6);
        let config = load("[demo]\ntime_scale = 900", &[("GSI_FEEDS_DISABLED", "oil, kev")], vec![]).unwrap();
        assert_eq!(config.demo.time_scale, 900.0);
        assert_eq!(config.feeds.disabled, ["oil", "kev"]);
    }

    #[test]
    fn the_default_file_has_every_key_that_a_feed_requires() {
        let config = load("", &[], vec![]).unwrap();
        let connectors = gsi_feeds::all_connectors();
        let mut wanted: Vec<_> = connectors.iter().flat_map(|c| c.keys()).map(|key| key.name).collect();
        wanted.sort();
        assert_eq!(config.feeds.keys.names().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn an_error_about_an_unknown_key_names_the_nearest() {
        let check = |file: &str, environment: &[(&str, &str)], want: Option<&str>| match load(
            file,
            environment,
            vec![],
        ) {
            Err(ConfigError::UnknownKey { nearest, .. }) => assert_eq!(nearest.as_deref(), want, "{file}"),
            other => panic!("{file}: {other:?}"),
        };
        check("listn = \"x\"", &[], Some("listen"));
        check("[http]\nmax_conections = 3", &[], Some("http.max_connections"));
        check("[htp]\nx = 1", &[], Some("http"));
        check("", &[("GSI_LISTN", "x")], Some("GSI_LISTEN"));
    }

    #[test]
    fn unknown_public_resources_are_refused() {
        let config = load("", &[], vec![]).unwrap();
        assert!(config.public.settings().unwrap().resources.is_empty(), "nothing is public by default");
        let config = load("", &[("GSI_PUBLIC_RESOURCES", "score, history,score")], vec![]).unwrap();
        let keys = config.public.settings().unwrap().resources.iter().map(|r| r.key()).collect::<Vec<_>>();
        assert_eq!(keys, ["score", "history"]);
        let refused = load("[public]\nresources = [\"score\", \"events\"]", &[], vec![]).unwrap_err();
        let expected =
            "public.resources: there is no `events`; there are score, summary, briefings, history, countries";
        assert_eq!(refused, ConfigError::Invalid(expected.to_owned()));
    }

    #[test]
    fn wrong_values_are_refused() {
        for (file, environment) in [
            ("listen = 5", vec![]),
            ("[http]\nmax_connections = \"many\"", vec![]),
            ("", vec![("GSI_HTTP_MAX_CONNECTIONS", "many")]),
            ("[http]\nmax_connections = 0", vec![]),
            ("[tls]\ncertificate = \"a.pem\"", vec![]),
            ("[feeds]\narchive_max_mb = 0", vec![]),
            ("[feeds]\narchive_max_mb = 0.5", vec![]),
            ("[demo]\ntime_scale = 0", vec![]),
            ("[public]\nresources = \"score\"", vec![]),
            ("[public]\nrequests_per_minute = 0", vec![]),
            ("[public]\nurl = \"stability.example\"", vec![]),
            ("[public]\nurl = \"javascript:alert(1)\"", vec![]),
            ("[retention]\nnews_row_days = 9", vec![]),
            ("[retention]\nengine_state_days = -1", vec![]),
            ("listen = ", vec![]),
        ] {
            assert!(load(file, &environment, vec![]).is_err(), "{file} {environment:?}");
        }
        let refused = load("[log]\nformat = \"xml\"", &[], vec![]).unwrap_err();
        assert_eq!(refused, ConfigError::Invalid("log.format is `text` or `json`, not `xml`".to_owned()));
        for (key, is_valid) in
            [("short", false), ("sixteen-chars-ok!", true), ("with a blank inside it", false)]
        {
            let config = load("", &[("GSI_API_KEY", key)], vec![]).unwrap();
            assert_eq!(config.operator_key().is_ok(), is_valid, "{key}");
        }
    }
}
