//! Errors of a configuration, and of arguments that clap cannot check.

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
