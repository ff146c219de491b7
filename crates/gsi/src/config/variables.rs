//! Settings from the environment: `GSI_HTTP_MAX_CONNECTIONS` is `max_connections` under `[http]`.

use super::error::ConfigError;
use super::merging::{leaves, nearest, set, type_name};
use toml::{Table, Value};

/// Variables of the command line, the tests and the scripts that are not configuration keys. A test reads the sources and fails when
/// one is missing here. Tests name their own variables `TEST_…`.
const OTHER_VARIABLES: [&str; 5] = ["GSI_BINARY", "GSI_CONFIG", "GSI_KEY", "GSI_REAL_DATA", "GSI_URL"];

pub fn apply_variable(merged: &mut Table, name: &str, text: &str) -> Result<(), ConfigError> {
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

/// Whether an orchestrator has set this variable as the address of a service named `gsi` or `gsi-…`. Kubernetes and Docker set
/// `GSI_SERVICE_HOST`, `GSI_PORT=tcp://…` and `GSI_PORT_8080_TCP_ADDR` in every container that runs alongside it.
fn is_service_link(name: &str, text: &str) -> bool {
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let Some(rest) = name.strip_prefix("GSI_") else { return false };
    // The part before the word is the rest of the service's name.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::merging::DEFAULT;
    use std::path::Path;

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
            // These look like settings, so they are refused.
            ("GSI_PORT", "8080", false),
            ("GSI_HTTP_PORT", "8080", false),
            ("GSI_SERVICE_PORT", "http", false),
            ("GSI_PORT_WORD_TCP", "tcp://10.0.0.7:8080", false),
            ("GSI_SUPPORT", "tcp://10.0.0.7:8080", false),
            ("GSI_SERVICE_HOSTS", "10.0.0.7", false),
        ] {
            let applied = apply_variable(&mut DEFAULT.parse().unwrap(), name, text);
            assert_eq!(applied.is_ok(), set_by_it, "{name}={text}: {:?}", applied.err());
        }
    }

    /// Collects every `GSI_…` that a source or a script of the repository names.
    fn variables_named(folder: &Path, found: &mut std::collections::BTreeSet<String>) -> usize {
        let mut files = 0;
        for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if entry.is_dir() {
                let foreign =
                    ["node_modules", "dist", "target"].contains(&name.as_str()) || name.starts_with('.');
                files += if foreign { 0 } else { variables_named(&entry, found) };
            } else if let Ok(text) = std::fs::read_to_string(&entry)
                && !entry.ends_with("config/variables.rs")
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
            assert!(files > 0, "no file was read in {folder}");
        }
        let known = leaves(&DEFAULT.parse().unwrap());
        let setting = |name: &str| known.iter().any(|(path, _)| variable(path) == name);
        // A test misspells this one on purpose.
        found.remove("GSI_LISTN");
        let strangers: Vec<_> =
            found.iter().filter(|n| !setting(n) && !OTHER_VARIABLES.contains(&n.as_str())).collect();
        assert!(strangers.is_empty(), "neither settings nor in OTHER_VARIABLES: {strangers:?}");
        let gone: Vec<_> = OTHER_VARIABLES.iter().filter(|n| !found.contains(**n)).collect();
        assert!(gone.is_empty(), "these are not used: {gone:?}");
    }
}
