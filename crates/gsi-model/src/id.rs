//! Public identifiers: a prefix and 26 characters of Crockford base32, derived from the identified thing. The same event has
//! the same id after a restart, in a replay and on every replica.

use data_encoding::{Encoding, Specification};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::LazyLock;

const LENGTH: usize = 26;

static CROCKFORD: LazyLock<Encoding> = LazyLock::new(|| {
    let mut spec = Specification::new();
    spec.symbols.push_str("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
    spec.encoding().unwrap_or(data_encoding::BASE32_NOPAD)
});

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an identifier of this kind")]
pub struct IdError;

fn derive(domain: &str, identity: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(domain.as_bytes());
    hash.update([0]);
    hash.update(identity);
    let mut text = CROCKFORD.encode(&hash.finalize()[..17]);
    text.truncate(LENGTH);
    text
}

fn is_body(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|b| CROCKFORD.specification().symbols.as_bytes().contains(&b))
}

macro_rules! public_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            /// Derives the id from the bytes that identify the thing.
            pub fn derive(identity: &[u8]) -> Self {
                $name(format!("{}{}", $prefix, derive($prefix, identity)))
            }

            pub fn parse(text: &str) -> Result<Self, IdError> {
                match text.strip_prefix($prefix) {
                    Some(body) if is_body(body) => Ok($name(text.to_owned())),
                    _ => Err(IdError),
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}

public_id!(
    /// A conflict event; derived from the first coded news row that opened it.
    EventId,
    "evt_"
);
public_id!(
    /// A briefing; derived from its day, its subject and its edition.
    BriefingId,
    "brf_"
);
public_id!(
    /// An alert; derived from its rule, its subject and when it began.
    AlertId,
    "alr_"
);
public_id!(
    /// A message to a hook; derived from the hook, its content's subject and its tick.
    MessageId,
    "msg_"
);
public_id!(
    /// A snapshot; derived from its content.
    SnapshotId,
    "snp_"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_and_strict() {
        let a = EventId::derive(b"1258623886");
        assert_eq!(a, EventId::derive(b"1258623886"));
        assert_ne!(a.as_str()[4..], BriefingId::derive(b"1258623886").as_str()[4..]);
        assert_eq!(a.as_str().len(), 30);
        assert_eq!(EventId::parse(a.as_str()), Ok(a.clone()));
        for bad in ["", "evt_", "evt_0123", &a.as_str().to_lowercase(), "brf_00000000000000000000000000"] {
            assert_eq!(EventId::parse(bad), Err(IdError), "{bad}");
        }
    }
}
