//! Keys as clients hold them: `gsi_<id>_<secret><checksum>`. They are created and parsed here. The store only gets the
//! id and a hash of the secret.

use crate::auth::digest::sha256;
use data_encoding::{Encoding, Specification};
use gsi_model::{ApiKey, DAY, KeyId, RateLimit, Scope, Timestamp};
use std::fmt;
use std::sync::LazyLock;

pub(crate) const ID_LENGTH: usize = 10;
/// 256 bits in base32.
const SECRET_LENGTH: usize = 52;
/// A CRC-32 in base32. It detects every single mistyped character and nearly every other mistake.
const CHECK_LENGTH: usize = 7;
const PREFIX: &str = "gsi_";
const LENGTH: usize = PREFIX.len() + ID_LENGTH + 1 + SECRET_LENGTH + CHECK_LENGTH;
/// The default lifetime: a year.
pub(crate) const DEFAULT_LIFETIME_SECONDS: i64 = 365 * DAY;

/// Crockford's alphabet in lower case, in which no letter looks like a digit.
const SYMBOLS: &str = "0123456789abcdefghjkmnpqrstvwxyz";

/// The digit of each byte. A table, because every request decodes every character of its key.
const IS_SYMBOL: [bool; 256] = {
    let mut table = [false; 256];
    let mut place = 0;
    while place < SYMBOLS.len() {
        table[SYMBOLS.as_bytes()[place] as usize] = true;
        place += 1;
    }
    table
};

static BASE32: LazyLock<Encoding> = LazyLock::new(|| {
    let mut spec = Specification::new();
    spec.symbols.push_str(SYMBOLS);
    spec.encoding().unwrap_or(data_encoding::BASE32_NOPAD)
});

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("not a key of this service (gsi_<id>_<secret>)")]
    Shape,
    #[error("the key has a typing error")]
    Checksum,
    #[error("no source of randomness: {0}")]
    Random(String),
}

/// The two parts of a well-formed key. The secret stays borrowed and is never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ParsedKey<'a> {
    pub id: &'a str,
    secret: &'a [u8],
}

impl fmt::Debug for ParsedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gsi_{}_…", self.id)
    }
}

impl<'a> ParsedKey<'a> {
    pub fn parse(text: &'a str) -> Result<Self, KeyError> {
        let b = text.as_bytes();
        if b.len() != LENGTH || !text.starts_with(PREFIX) || b[PREFIX.len() + ID_LENGTH] != b'_' {
            return Err(KeyError::Shape);
        }
        let known = |c: &u8| IS_SYMBOL[usize::from(*c)];
        let (id, rest) = (&b[PREFIX.len()..PREFIX.len() + ID_LENGTH], &b[PREFIX.len() + ID_LENGTH + 1..]);
        if !id.iter().chain(rest).all(known) {
            return Err(KeyError::Shape);
        }
        let (body, check) = b.split_at(LENGTH - CHECK_LENGTH);
        if checksum(body) != check {
            return Err(KeyError::Checksum);
        }
        Ok(ParsedKey { id: &text[PREFIX.len()..PREFIX.len() + ID_LENGTH], secret: &rest[..SECRET_LENGTH] })
    }

    pub(crate) fn secret_hash(&self) -> [u8; 32] {
        sha256(self.secret)
    }
}

fn checksum(body: &[u8]) -> [u8; CHECK_LENGTH] {
    let mut rest = crc32fast::hash(body);
    let mut text = [0; CHECK_LENGTH];
    for place in text.iter_mut().rev() {
        *place = SYMBOLS.as_bytes()[(rest & 31) as usize];
        rest >>= 5;
    }
    text
}

/// A new key. The text is shown once, and the record is stored.
pub struct NewKey {
    pub text: String,
    pub record: ApiKey,
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gsi_{}_…", self.record.id)
    }
}

/// What the holder of a new key may do.
#[derive(Clone, Debug)]
pub struct Grant {
    pub name: String,
    pub scopes: Vec<Scope>,
    /// `None`: no limit.
    pub rate: Option<RateLimit>,
    /// `None`: never.
    pub expires_at: Option<Timestamp>,
}

impl Grant {
    /// All scopes and the default rate, for a year.
    pub fn usual(name: &str, now: Timestamp) -> Self {
        Grant {
            name: name.to_owned(),
            scopes: vec![Scope::All],
            rate: Some(RateLimit::DEFAULT),
            expires_at: Some(now.plus(DEFAULT_LIFETIME_SECONDS)),
        }
    }
}

pub fn create(grant: Grant, now: Timestamp) -> Result<NewKey, KeyError> {
    let mut random = [0u8; 40];
    getrandom::fill(&mut random).map_err(|e| KeyError::Random(e.to_string()))?;
    Ok(assemble(grant, now, &random))
}

/// The same grant under a new id and secret. The caller revokes the old record when the new one is in use.
pub fn rotate(old: &ApiKey, now: Timestamp) -> Result<NewKey, KeyError> {
    let lifetime = old.expires_at.map(|e| e.since(old.created_at));
    create(
        Grant {
            name: old.name.clone(),
            scopes: old.scopes.clone(),
            rate: old.rate,
            expires_at: lifetime.map(|seconds| now.plus(seconds)),
        },
        now,
    )
}

pub fn revoke(old: &ApiKey, now: Timestamp) -> ApiKey {
    ApiKey { revoked_at: old.revoked_at.or(Some(now)), ..old.clone() }
}

fn assemble(grant: Grant, now: Timestamp, random: &[u8; 40]) -> NewKey {
    let mut id: KeyId = BASE32.encode(&random[32..]);
    id.truncate(ID_LENGTH);
    let secret = BASE32.encode(&random[..32]);
    let mut text = format!("{PREFIX}{id}_{secret}");
    let check = checksum(text.as_bytes());
    text.extend(check.iter().map(|b| char::from(*b)));
    let record = ApiKey {
        id,
        name: grant.name,
        secret_hash: sha256(secret.as_bytes()),
        scopes: grant.scopes,
        rate: grant.rate,
        created_at: now,
        expires_at: grant.expires_at,
        revoked_at: None,
        last_used: None,
    };
    NewKey { text, record }
}

/// The text with every key in it cut to its public id.
pub fn redact(text: &str) -> std::borrow::Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains(PREFIX) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = lower[at..].find(PREFIX) {
        let start = at + found;
        let run = |from: usize| text[from..].bytes().take_while(|b| b.is_ascii_alphanumeric()).count();
        let id_end = start + PREFIX.len() + run(start + PREFIX.len());
        out.push_str(&text[at..id_end]);
        at = id_end;
        if text[id_end..].starts_with('_') {
            let secret = run(id_end + 1);
            if secret > 0 {
                out.push_str("_***");
                at = id_end + 1 + secret;
            }
        }
    }
    out.push_str(&text[at..]);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-14T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_key_reads_back_and_every_single_slip_is_caught() {
        let key = create(Grant::usual("test", now()), now()).unwrap();
        let parsed = ParsedKey::parse(&key.text).unwrap();
        assert_eq!(parsed.id, key.record.id);
        assert_eq!(parsed.id.len(), 10);
        assert_eq!(parsed.secret_hash(), key.record.secret_hash);
        assert!(!format!("{key:?} {parsed:?}").contains(&key.text[15..]));
        for place in 0..key.text.len() {
            for other in ['0', 'z', '_'] {
                let mut typo = key.text.clone().into_bytes();
                if typo[place] == other as u8 {
                    continue;
                }
                typo[place] = other as u8;
                let typo = String::from_utf8(typo).unwrap();
                assert!(ParsedKey::parse(&typo).is_err(), "{place} {other}");
            }
        }
        let id_typo = key.text.replacen(&key.record.id, "0000000000", 1);
        assert_eq!(ParsedKey::parse(&id_typo), Err(KeyError::Checksum));
    }

    #[test]
    fn keys_differ_and_carry_what_was_granted() {
        let a = create(Grant::usual("a", now()), now()).unwrap();
        let b = create(Grant::usual("a", now()), now()).unwrap();
        assert_ne!(a.text, b.text);
        assert_ne!(a.record.id, b.record.id);
        assert_eq!(a.record.expires_at, Some(now().plus(365 * DAY)));
        let later = now().plus(DAY);
        let c = rotate(&a.record, later).unwrap();
        assert_ne!(c.record.secret_hash, a.record.secret_hash);
        assert_eq!(c.record.expires_at, Some(later.plus(365 * DAY)));
        assert_eq!(revoke(&a.record, later).revoked_at, Some(later));
        assert_eq!(revoke(&revoke(&a.record, later), later.plus(5)).revoked_at, Some(later));
    }

    #[test]
    fn secrets_are_cut_out_of_text() {
        let key = create(Grant::usual("a", now()), now()).unwrap();
        let path = format!("/v1/{}/x", key.text);
        assert_eq!(redact(&path), format!("/v1/gsi_{}_***/x", key.record.id));
        assert_eq!(redact("/v1/conflict"), "/v1/conflict");
        assert_eq!(redact("/GSI_abc_DEF/gsi_"), "/GSI_abc_***/gsi_");
    }
}
