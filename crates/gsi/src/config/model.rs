//! `[model]`: the optional language model.

use super::ConfigError;
use gsi_pipeline::ModelSettings;
use serde::Deserialize;
use std::time::Duration;
use url::{Host, Url};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    pub url: String,
    pub name: String,
    pub api_key: String,
    pub api_key_file: String,
    pub timeout_seconds: u64,
    pub requests_per_hour: u32,
    pub proxy: String,
    pub ca_file: String,
}

/// Leaves out the key.
impl std::fmt::Debug for ModelConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelConfig")
            .field("url", &self.url)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl ModelConfig {
    /// Returns the client's settings, or `None` when no model is configured.
    pub fn settings(&self) -> Result<Option<ModelSettings>, ConfigError> {
        let wrong = |text: String| ConfigError::Invalid(text);
        if self.url.is_empty() {
            return Ok(None);
        }
        let url = Url::parse(&self.url).map_err(|e| wrong(format!("model.url: {e}")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some()
        {
            return Err(wrong(
                "model.url is an http or https address without a name or password in it".into(),
            ));
        }
        if self.name.is_empty() {
            return Err(wrong("model.url needs model.name, the model to ask for".into()));
        }
        if !(1..=60).contains(&self.timeout_seconds) || self.requests_per_hour == 0 {
            return Err(wrong(
                "model.timeout_seconds must be between 1 and 60, and model.requests_per_hour at least 1"
                    .into(),
            ));
        }
        let key = match (self.api_key.as_str(), self.api_key_file.as_str()) {
            ("", "") => None,
            (key, "") => Some(key.to_owned()),
            ("", path) => Some(
                std::fs::read_to_string(path)
                    .map_err(|e| ConfigError::File { path: path.to_owned(), reason: e.to_string() })?
                    .trim()
                    .to_owned(),
            ),
            _ => return Err(wrong("give model.api_key or model.api_key_file, not both".into())),
        };
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if url.scheme() == "http" && key.is_some() && !is_local {
            return Err(wrong("model.url must be https, or the key would be sent unencrypted".into()));
        }
        let proxy = match self.proxy.as_str() {
            "" => None,
            text => Some(Url::parse(text).map_err(|e| wrong(format!("model.proxy: {e}")))?),
        };
        Ok(Some(ModelSettings {
            url,
            name: self.name.clone(),
            key,
            timeout: Duration::from_secs(self.timeout_seconds),
            requests_per_hour: self.requests_per_hour,
            proxy,
            extra_ca: (!self.ca_file.is_empty()).then(|| self.ca_file.clone().into()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(url: &str, name: &str, api_key: &str) -> ModelConfig {
        ModelConfig {
            url: url.into(),
            name: name.into(),
            api_key: api_key.into(),
            api_key_file: String::new(),
            timeout_seconds: 8,
            requests_per_hour: 60,
            proxy: String::new(),
            ca_file: String::new(),
        }
    }

    #[test]
    fn there_is_no_model_without_an_address() {
        assert!(model("", "", "").settings().unwrap().is_none());
    }

    #[test]
    fn settings_are_checked() {
        for (url, name, key, fine) in [
            ("https://models.example/v1", "m", "k", true),
            ("http://127.0.0.1:9000/v1", "m", "k", true),
            ("http://localhost:9000/v1", "m", "", true),
            ("http://models.example/v1", "m", "", true),
            ("http://models.example/v1", "m", "k", false),
            ("https://user:word@models.example/v1", "m", "", false),
            ("https://models.example/v1", "", "k", false),
            ("ftp://models.example", "m", "", false),
            ("models.example", "m", "", false),
        ] {
            assert_eq!(model(url, name, key).settings().is_ok(), fine, "{url} {name} {key}");
        }
        let slow = ModelConfig { timeout_seconds: 61, ..model("https://models.example/v1", "m", "k") };
        assert!(slow.settings().is_err());
        let none = ModelConfig { requests_per_hour: 0, ..model("https://models.example/v1", "m", "k") };
        assert!(none.settings().is_err());
    }

    #[test]
    fn the_key_may_come_from_a_file_and_is_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "from-a-file\n").unwrap();
        let api_key_file = path.display().to_string();
        let mut given = ModelConfig { api_key_file, ..model("https://models.example/v1", "m", "") };
        assert_eq!(given.settings().unwrap().unwrap().key.as_deref(), Some("from-a-file"));
        given.api_key = "both".into();
        assert!(given.settings().is_err());
        assert!(!format!("{:?}", model("https://a.example", "m", "sesame")).contains("sesame"));
    }
}
