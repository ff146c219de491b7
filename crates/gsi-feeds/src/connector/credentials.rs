//! The keys that publishers ask for and operators give.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// A key, token or name that the publisher asks of its readers, given by the operator under `feeds.keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedKey {
    pub name: &'static str,
    /// Without it nothing can be asked. Otherwise it only raises the publisher's limits.
    pub is_required: bool,
}

impl FeedKey {
    pub const fn required(name: &'static str) -> Self {
        FeedKey { name, is_required: true }
    }
}

/// The keys that the operator has given, by their names under `feeds.keys`. An empty text means that none was given.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Credentials(BTreeMap<String, String>);

impl Credentials {
    /// The key of that name; empty if there is none.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The names, whether a key was given or not.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The first of a feed's keys that it needs and that was not given.
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

/// Secrets are not printed, not even by accident.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}
