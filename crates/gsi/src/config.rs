//! The configuration: a commented default compiled in, overridden by a file, the environment and flags, in that order.
//!
//! The default file is also the schema: a key that is not in it is refused, with the nearest one that is.

use gsi_store::{LEAST_DAYS_KEPT, PrunableKind, RetentionDays};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

pub const DEFAULT: &str = include_str!("default.toml");

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
    pub traces: TracesConfig,
    pub feeds: FeedsConfig,
    pub hooks: crate::hooks::HooksConfig,
    pub retention: RetentionConfig,
    pub model: crate::model::Model,
    pub method: MethodFiles,
    pub rehearsal: RehearsalConfig,
    pub demo: DemoConfig,
}

/// Who may do the ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Whoever is first; one at a time.
    Auto,
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
    pub format: String,
    pub requests: String,
    pub requests_max_mb: u64,
    pub requests_max_days: u32,
    pub requests_keep: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub trusted_proxies: Vec<String>,
    pub max_in_flight: usize,
    pub max_streams: usize,
    pub max_streams_per_key: usize,
    pub idle_seconds: u64,
    pub drain_seconds: u64,
    pub cors_origins: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicConfig {
    pub resources: Vec<String>,
    pub requests_per_minute: u32,
    pub url: String,
}

impl PublicConfig {
    pub fn settings(&self) -> Result<gsi_http::PublicSettings, ConfigError> {
        use gsi_http::PublicResource;
        let wrong = |text: String| ConfigError::Invalid(text);
        let mut resources = Vec::new();
        for name in &self.resources {
            let resource = PublicResource::from_key(name).ok_or_else(|| {
                let known = PublicResource::ALL.map(PublicResource::key).join(", ");
                wrong(format!("public.resources: there is no `{name}`; there are {known}"))
            })?;
            if !resources.contains(&resource) {
                resources.push(resource);
            }
        }
        if self.requests_per_minute == 0 {
            return Err(wrong("public.requests_per_minute is at least 1".into()));
        }
        let is_address = || {
            url::Url::parse(&self.url).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none()
            })
        };
        if !self.url.is_empty() && !is_address() {
            return Err(wrong("public.url is an address such as https://stability.example".into()));
        }
        Ok(gsi_http::PublicSettings {
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
pub struct TracesConfig {
    pub endpoint: String,
    pub slow_request_milliseconds: u64,
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

#[derive(Debug, thiserror::Error, PartialEq)]
pub enum ConfigError {
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    #[error("{place}: there is no key `{key}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    UnknownKey { place: String, key: String, nearest: Option<String> },
    #[error("{place}: `{key}` takes {wants}")]
    WrongType { place: String, key: String, wants: &'static str },
    #[error("{0}")]
    Invalid(String),
}

/// A value given on the command line, by its dotted path.
pub type Override = (&'static str, Value);

/// Variables that are no configuration keys but mean something to the command line, the tests or the scripts, which run this
/// program with them set. A test reads the sources and fails when one is missing here.
const OTHER_VARIABLES: [&str; 29] = [
    "GSI_BENCH_MB",
    "GSI_BINARY",
    "GSI_BLESS",
    "GSI_CHAOS_MINUTES",
    "GSI_CHAOS_SEED",
    "GSI_CONFIG",
    "GSI_CONSISTENCY_MOMENTS",
    "GSI_CRASH_KILLS",
    "GSI_EVENTS_LIST",
    "GSI_FRONT",
    "GSI_FUZZ_FEED",
    "GSI_FUZZ_FEEDS",
    "GSI_FUZZ_ROUNDS",
    "GSI_FUZZ_SECONDS",
    "GSI_FUZZ_SEEDS",
    "GSI_HEAP_MINUTES",
    "GSI_HEAP_SCALE",
    "GSI_HISTORIES",
    "GSI_KEY",
    "GSI_LONG",
    "GSI_REAL_DATA",
    "GSI_REQUIRE_POSTGRES",
    "GSI_SOAK_DAYS",
    "GSI_SOAK_SCALE",
    "GSI_TEST_STORE_TO_BE_KILLED",
    "GSI_TRUNCATION_DAYS",
    "GSI_URL",
    "GSI_WORLDS",
    "GSI_WRITE_DOCS",
];

impl Config {
    /// `defaults` are a command's own; everything else overrides them.
    pub fn load(
        defaults: Vec<Override>,
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: Vec<Override>,
    ) -> Result<Config, ConfigError> {
        let invalid = |e: toml::de::Error| ConfigError::Invalid(e.message().to_owned());
        let mut merged: Table = DEFAULT.parse().map_err(invalid)?;
        for (path, value) in defaults {
            set(&mut merged, path, value);
        }
        if let Some(path) = file {
            let place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| ConfigError::File { path: place.clone(), reason: e.to_string() })?;
            let given: Table = text.parse().map_err(|e: toml::de::Error| ConfigError::File {
                path: place.clone(),
                reason: e.to_string(),
            })?;
            overlay(&mut merged, given, "", &place)?;
        }
        for (name, text) in environment {
            apply_variable(&mut merged, &name, &text)?;
        }
        for (path, value) in flags {
            set(&mut merged, path, value);
        }
        let config: Config = merged.try_into().map_err(invalid)?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let wrong = |text: String| Err(ConfigError::Invalid(text));
        if self.tls.certificate.is_empty() != self.tls.private_key.is_empty() {
            return wrong("tls.certificate and tls.private_key go together".into());
        }
        if !matches!(self.log.format.as_str(), "text" | "json") {
            return wrong(format!("log.format is `text` or `json`, not `{}`", self.log.format));
        }
        if !(self.demo.time_scale.is_finite() && (1.0..=100_000.0).contains(&self.demo.time_scale)) {
            return wrong("demo.time_scale lies between 1 and 100000".into());
        }
        if !(self.rehearsal.scale.is_finite() && (1.0..=100_000.0).contains(&self.rehearsal.scale)) {
            return wrong("rehearsal.scale lies between 1 and 100000".into());
        }
        if !(self.demo.rows_per_slot.is_finite() && (10.0..=5_000.0).contains(&self.demo.rows_per_slot)) {
            return wrong("demo.rows_per_slot lies between 10 and 5000".into());
        }
        if !(1..=3_650).contains(&self.demo.days) {
            return wrong("demo.days lies between 1 and 3650".into());
        }
        if self.http.max_connections == 0 || self.http.max_in_flight == 0 || self.http.idle_seconds == 0 {
            return wrong("the limits under [http] are at least 1".into());
        }
        if self.log.requests_max_mb == 0 || self.log.requests_max_days == 0 {
            return wrong("log.requests_max_mb and log.requests_max_days are at least 1".into());
        }
        let keep = self.retention.days();
        if PrunableKind::ALL.iter().any(|kind| (1..LEAST_DAYS_KEPT).contains(&keep.of(*kind))) {
            return wrong(format!(
                "days under [retention] are 0, for all of them, or at least {LEAST_DAYS_KEPT}"
            ));
        }
        self.public.settings()?;
        gsi_http::TrustedProxies::parse(&self.http.trusted_proxies)
            .map_err(|e| ConfigError::Invalid(format!("http.trusted_proxies: {e}")))?;
        Ok(())
    }

    /// The store's address; the embedded one lives in the data folder.
    pub fn store_url(&self) -> String {
        match self.store.as_str() {
            "" => format!("sqlite:{}", self.data.join("gsi.db").display()),
            url => url.to_owned(),
        }
    }

    /// The same without what stands between name and host.
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

    /// The operator's own key, from the environment or a file.
    pub fn operator_key(&self) -> Result<Option<String>, ConfigError> {
        let key = match (self.api_key.as_str(), self.api_key_file.as_str()) {
            ("", "") => return Ok(None),
            (key, "") => key.to_owned(),
            ("", path) => std::fs::read_to_string(path)
                .map_err(|e| ConfigError::File { path: path.to_owned(), reason: e.to_string() })?
                .trim()
                .to_owned(),
            _ => return Err(ConfigError::Invalid("give api_key or api_key_file, not both".into())),
        };
        if key.len() < 16 || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(ConfigError::Invalid(
                "the operator's key needs 16 or more visible ASCII characters".into(),
            ));
        }
        Ok(Some(key))
    }
}

fn overlay(base: &mut Table, given: Table, prefix: &str, place: &str) -> Result<(), ConfigError> {
    for (key, value) in given {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match (base.get_mut(&key), value) {
            (None, _) => return Err(unknown(place, &path)),
            (Some(Value::Table(inner)), Value::Table(given)) => overlay(inner, given, &path, place)?,
            (Some(old), new) => *old = coerce(old, new, place, &path)?,
        }
    }
    Ok(())
}

/// Keeps the default's type; a whole number is also a fine float.
fn coerce(default: &Value, given: Value, place: &str, key: &str) -> Result<Value, ConfigError> {
    match (default, given) {
        (Value::Float(_), Value::Integer(n)) => Ok(Value::Float(n as f64)),
        (old, new) if std::mem::discriminant(old) == std::mem::discriminant(&new) => Ok(new),
        (old, _) => {
            Err(ConfigError::WrongType { place: place.into(), key: key.into(), wants: type_name(old) })
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text in quotes",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
        Value::Datetime(_) => "a time",
    }
}

fn apply_variable(merged: &mut Table, name: &str, text: &str) -> Result<(), ConfigError> {
    if !name.starts_with("GSI_") || OTHER_VARIABLES.contains(&name) {
        return Ok(());
    }
    let known = leaves(merged);
    let Some((path, default)) = known.iter().find(|(path, _)| variable(path) == name) else {
        if is_service_link(name, text) {
            return Ok(());
        }
        let nearest = nearest(name, known.iter().map(|(path, _)| variable(path)));
        return Err(ConfigError::UnknownKey { place: "environment".into(), key: name.into(), nearest });
    };
    let wrong = || ConfigError::WrongType {
        place: "environment".into(),
        key: name.into(),
        wants: type_name(default),
    };
    let value = match default {
        Value::String(_) => Value::String(text.to_owned()),
        Value::Integer(_) => Value::Integer(text.parse().map_err(|_| wrong())?),
        Value::Float(_) => Value::Float(text.parse().map_err(|_| wrong())?),
        Value::Boolean(_) => Value::Boolean(text.parse().map_err(|_| wrong())?),
        Value::Array(_) => Value::Array(
            text.split(',')
                .map(str::trim)
                .filter(|s| !s.is_empty())
                .map(|s| Value::String(s.into()))
                .collect(),
        ),
        Value::Table(_) | Value::Datetime(_) => return Err(wrong()),
    };
    let path = path.clone();
    set(merged, &path, value);
    Ok(())
}

/// Whether an orchestrator has set this variable to tell where a service named `gsi` or `gsi-…` listens: Kubernetes and
/// Docker put `GSI_SERVICE_HOST`, `GSI_PORT=tcp://…` and `GSI_PORT_8080_TCP_ADDR` into every container beside it.
fn is_service_link(name: &str, text: &str) -> bool {
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let Some(rest) = name.strip_prefix("GSI_") else { return false };
    // What comes before is the rest of the service's own name.
    let from_last = |word: &str| {
        let padded = format!("_{rest}");
        padded.rfind(word).map(|at| padded[at + word.len()..].to_owned())
    };
    if from_last("_SERVICE_HOST").is_some_and(|tail| tail.is_empty()) {
        return true;
    }
    if from_last("_SERVICE_PORT").is_some_and(|tail| tail.is_empty() || tail.starts_with('_')) {
        return number(text);
    }
    let Some(tail) = from_last("_PORT_").or_else(|| from_last("_PORT").filter(|tail| tail.is_empty())) else {
        return false;
    };
    let address = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| text.starts_with(scheme));
    match tail.split('_').collect::<Vec<_>>()[..] {
        [""] => address,
        [port, "TCP" | "UDP" | "SCTP"] => number(port) && address,
        [port, "TCP" | "UDP" | "SCTP", "PROTO" | "ADDR" | "PORT"] => number(port),
        _ => false,
    }
}

fn variable(path: &str) -> String {
    format!("GSI_{}", path.replace('.', "_").to_uppercase())
}

fn leaves(table: &Table) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                found.extend(leaves(inner).into_iter().map(|(path, v)| (format!("{key}.{path}"), v)));
            }
            other => found.push((key.clone(), other.clone())),
        }
    }
    found
}

fn set(table: &mut Table, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            table.insert(path.to_owned(), value);
        }
        Some((head, rest)) => {
            if let Some(Value::Table(inner)) = table.get_mut(head) {
                set(inner, rest, value);
            }
        }
    }
}

fn unknown(place: &str, key: &str) -> ConfigError {
    let known: Table = DEFAULT.parse().unwrap_or_default();
    let mut paths: Vec<String> = leaves(&known).into_iter().map(|(path, _)| path).collect();
    paths.extend(known.iter().filter(|(_, v)| v.is_table()).map(|(k, _)| k.clone()));
    ConfigError::UnknownKey { place: place.into(), key: key.into(), nearest: nearest(key, paths) }
}

fn nearest(key: &str, known: impl IntoIterator<Item = String>) -> Option<String> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(key, &candidate), candidate))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(similarity, _)| *similarity > 0.7)
        .map(|(_, candidate)| candidate)
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
    fn the_default_is_a_whole_configuration() {
        let config = Config::load(vec![], None, [], vec![]).unwrap();
        assert_eq!(config.listen, "127.0.0.1:8080");
        assert_eq!(config.store_url(), "sqlite:./gsi-data/gsi.db");
    }

    #[test]
    fn flags_beat_environment_beats_file() {
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
    fn every_key_that_a_feed_asks_for_is_explained_in_the_default_file() {
        let config = load("", &[], vec![]).unwrap();
        let connectors = gsi_feeds::all_connectors();
        let mut wanted: Vec<_> = connectors.iter().flat_map(|c| c.keys()).map(|key| key.name).collect();
        wanted.sort();
        assert_eq!(config.feeds.keys.names().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn unknown_keys_name_the_nearest() {
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
    fn an_orchestrators_variables_are_not_settings() {
        for (name, text, set_by_it) in [
            ("GSI_SERVICE_HOST", "10.0.0.7", true),
            ("GSI_SERVICE_PORT", "8080", true),
            ("GSI_SERVICE_PORT_HTTP", "8080", true),
            ("GSI_PORT", "tcp://10.0.0.7:8080", true),
            ("GSI_PORT_8080_TCP", "tcp://10.0.0.7:8080", true),
            ("GSI_PORT_8080_TCP_PROTO", "tcp", true),
            ("GSI_PORT_8080_TCP_PORT", "8080", true),
            ("GSI_PORT_8080_TCP_ADDR", "10.0.0.7", true),
            ("GSI_STORE_SERVICE_HOST", "10.0.0.8", true),
            ("GSI_STORE_PORT", "tcp://10.0.0.8:5432", true),
            ("GSI_STORE_PORT_5432_TCP_ADDR", "10.0.0.8", true),
            ("GSI_METRICS_SERVICE_PORT_METRICS", "9090", true),
            // Somebody who means a setting is told that there is none.
            ("GSI_PORT", "8080", false),
            ("GSI_HTTP_PORT", "8080", false),
            ("GSI_SERVICE_PORT", "http", false),
            ("GSI_PORT_WORD_TCP", "tcp://10.0.0.7:8080", false),
            ("GSI_SUPPORT", "tcp://10.0.0.7:8080", false),
            ("GSI_SERVICE_HOSTS", "10.0.0.7", false),
        ] {
            let loaded = load("", &[(name, text)], vec![]);
            assert_eq!(loaded.is_ok(), set_by_it, "{name}={text}: {:?}", loaded.err());
        }
    }

    /// Every `GSI_…` that a source or a script of the repository names.
    fn variables_named(folder: &Path, found: &mut std::collections::BTreeSet<String>) -> usize {
        let mut files = 0;
        for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if entry.is_dir() {
                let foreign =
                    ["node_modules", "dist", "target"].contains(&name.as_str()) || name.starts_with('.');
                files += if foreign { 0 } else { variables_named(&entry, found) };
            } else if let Ok(text) = std::fs::read_to_string(&entry)
                && name != "config.rs"
            {
                files += 1;
                for (at, _) in text.match_indices("GSI_") {
                    let letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                    let end = text[at..].find(|c| !letter(c)).map_or(text.len(), |n| at + n);
                    let whole = !text[..at].ends_with(letter) && !text[at..end].ends_with('_');
                    found.extend(whole.then(|| text[at..end].to_owned()));
                }
            }
        }
        files
    }

    #[test]
    fn the_repositorys_own_variables_are_known() {
        let mut found = std::collections::BTreeSet::new();
        for folder in ["crates", "scripts", "web", "deploy", "fuzz"] {
            let files = variables_named(
                &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder),
                &mut found,
            );
            assert!(files > 0, "nothing is read in {folder}");
        }
        let known = leaves(&DEFAULT.parse().unwrap());
        let setting = |name: &str| known.iter().any(|(path, _)| variable(path) == name);
        // A misspelling that a test gives the command line on purpose.
        found.remove("GSI_LISTN");
        let strangers: Vec<_> =
            found.iter().filter(|n| !setting(n) && !OTHER_VARIABLES.contains(&n.as_str())).collect();
        assert!(strangers.is_empty(), "neither settings nor in OTHER_VARIABLES: {strangers:?}");
        let gone: Vec<_> = OTHER_VARIABLES.iter().filter(|n| !found.contains(**n)).collect();
        assert!(gone.is_empty(), "nothing uses these any more: {gone:?}");
    }

    #[test]
    fn what_is_public_has_a_closed_vocabulary() {
        let config = load("", &[], vec![]).unwrap();
        assert!(config.public.settings().unwrap().resources.is_empty(), "nothing is public by default");
        let config = load("", &[("GSI_PUBLIC_RESOURCES", "score, history,score")], vec![]).unwrap();
        let keys = config.public.settings().unwrap().resources.iter().map(|r| r.key()).collect::<Vec<_>>();
        assert_eq!(keys, ["score", "history"]);
        let refused = load("[public]\nresources = [\"score\", \"events\"]", &[], vec![]).unwrap_err();
        let said =
            "public.resources: there is no `events`; there are score, summary, briefings, history, countries";
        assert_eq!(refused, ConfigError::Invalid(said.to_owned()));
    }

    #[test]
    fn wrong_values_are_refused() {
        for (file, environment) in [
            ("listen = 5", vec![]),
            ("[http]\nmax_connections = \"many\"", vec![]),
            ("", vec![("GSI_HTTP_MAX_CONNECTIONS", "many")]),
            ("[http]\nmax_connections = 0", vec![]),
            ("[tls]\ncertificate = \"a.pem\"", vec![]),
            ("[log]\nformat = \"xml\"", vec![]),
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
        for (key, fine) in [("short", false), ("sixteen-chars-ok!", true), ("with a blank inside it", false)]
        {
            let config = load("", &[("GSI_API_KEY", key)], vec![]).unwrap();
            assert_eq!(config.operator_key().is_ok(), fine, "{key}");
        }
    }
}
