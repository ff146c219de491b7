//! The keys that publishers require and operators configure.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// A key, token or name that the publisher requires. The operator sets it under `feeds.keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedKey {
    pub name: &'static str,
    /// Without a required key the feed cannot be polled. An optional key only raises the publisher's limits.
    pub is_required: bool,
}

impl FeedKey {
    pub const fn required(name: &'static str) -> Self {
        FeedKey { name, is_required: true }
    }
}

/// The operator's keys, by their names under `feeds.keys`. An empty text means that the key is not set.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Credentials(BTreeMap<String, String>);

impl Credentials {
    /// Returns the key of that name, or an empty text.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Returns the names of all keys, set or not.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the first required key of a feed that is not set.
    pub fn find_missing(&self, keys: &[FeedKey]) -> Option<&'static str> {
        let mut required = keys.iter().filter(|key| key.is_required);
        required.find(|key| self.get(key.name).is_empty()).map(|key| key.name)
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Credentials {
    fn from(keys: [(&str, &str); N]) -> Self {
        Credentials(keys.into_iter().map(|(name, key)| (name.to_owned(), key.to_owned())).collect())
    }
}

/// Prints no secrets.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}
