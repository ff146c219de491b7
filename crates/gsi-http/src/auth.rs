//! Who is asking: from an `Authorization` header to a key entry, without a lock and without telling apart
//! keys that do not exist from secrets that do not match.

use crate::keys::ParsedKey;
use crate::negotiate::Noted;
use crate::problem::{Code, Refusal};
use crate::rate::{Bucket, Verdict};
use crate::repeat::Repeatable;
use gsi_model::{ApiKey, KeyId, RateLimit, Scope, Timestamp};
use http::{HeaderValue, header};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use subtle::{Choice, ConstantTimeEq};

const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"gsi\"");
const CHALLENGE_INVALID: HeaderValue =
    HeaderValue::from_static("Bearer realm=\"gsi\", error=\"invalid_token\"");

/// What the log shows for the operator's own key, which has no public id.
pub const OPERATOR_ID: &str = "operator";

/// Largest number a structured header may hold: what an unlimited key has left.
const UNLIMITED: u64 = 999_999_999_999_999;

pub struct KeyEntry {
    pub id: KeyId,
    pub name: String,
    pub scopes: Vec<Scope>,
    pub created_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    pub rate: Option<RateLimit>,
    revoked: bool,
    secret_hash: [u8; 32],
    bucket: Option<Arc<Bucket>>,
    /// Streams that are open with this key.
    pub streams: Arc<AtomicUsize>,
    pub policy: HeaderValue,
}

impl KeyEntry {
    fn new(key: &ApiKey, earlier: Option<&KeyEntry>) -> Self {
        // The bucket outlives a refresh of the table, or a refresh would refill it.
        let kept = earlier.filter(|e| e.rate == key.rate).and_then(|e| e.bucket.clone());
        KeyEntry {
            id: key.id.clone(),
            name: key.name.clone(),
            scopes: key.scopes.clone(),
            created_at: Some(key.created_at),
            expires_at: key.expires_at,
            rate: key.rate,
            revoked: key.revoked_at.is_some(),
            secret_hash: key.secret_hash,
            streams: earlier.map(|e| Arc::clone(&e.streams)).unwrap_or_default(),
            bucket: kept.or_else(|| key.rate.map(|r| Arc::new(Bucket::new(r)))),
            policy: policy(key.rate),
        }
    }

    pub fn operator(key: &str, rate: Option<RateLimit>) -> Self {
        KeyEntry {
            id: OPERATOR_ID.to_owned(),
            name: OPERATOR_ID.to_owned(),
            scopes: vec![Scope::All],
            created_at: None,
            expires_at: None,
            rate,
            revoked: false,
            secret_hash: Sha256::digest(key.as_bytes()).into(),
            streams: Arc::default(),
            bucket: rate.map(|r| Arc::new(Bucket::new(r))),
            policy: policy(rate),
        }
    }

    pub fn covers(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|s| *s == scope || *s == Scope::All)
    }

    pub fn take(&self, now: u64) -> Verdict {
        match &self.bucket {
            Some(bucket) => bucket.take(now),
            None => Verdict { allowed: true, remaining: UNLIMITED, reset: 0, retry_after: 0 },
        }
    }

    /// The value of the live `RateLimit` header.
    pub fn write_rate(&self, verdict: Verdict, out: &mut Vec<u8>) {
        let name: &[u8] = if self.bucket.is_some() { b"\"default\";r=" } else { b"\"unlimited\";r=" };
        let mut number = itoa::Buffer::new();
        out.extend_from_slice(name);
        out.extend_from_slice(number.format(verdict.remaining).as_bytes());
        out.extend_from_slice(b";t=");
        out.extend_from_slice(number.format(verdict.reset).as_bytes());
    }

    /// Requests that passed here.
    pub fn taken(&self) -> u64 {
        self.bucket.as_ref().map_or(0, |b| b.taken())
    }

    /// Requests that passed on another replica.
    pub fn charge(&self, now: u64, requests: u64) {
        if let (Some(bucket), 1..) = (&self.bucket, requests) {
            bucket.charge(now, requests);
        }
    }

    pub fn look(&self, now: u64) -> Verdict {
        match &self.bucket {
            Some(bucket) => bucket.look(now),
            None => Verdict { allowed: true, remaining: UNLIMITED, reset: 0, retry_after: 0 },
        }
    }
}

fn policy(rate: Option<RateLimit>) -> HeaderValue {
    let text = match rate {
        Some(r) => format!("\"default\";q={};w=60;burst={}", r.per_minute, r.burst),
        None => format!("\"unlimited\";q={UNLIMITED};w=60"),
    };
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("\"default\""))
}

/// The live `RateLimit` header.
pub fn rate_header(entry: &KeyEntry, verdict: Verdict) -> HeaderValue {
    if entry.bucket.is_none() {
        return const { HeaderValue::from_static("\"unlimited\";r=999999999999999;t=0") };
    }
    let mut text = Vec::with_capacity(40);
    entry.write_rate(verdict, &mut text);
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text))
        .unwrap_or(const { HeaderValue::from_static("\"default\";r=0;t=1") })
}

/// All keys at one moment; replaced as a whole.
#[derive(Default)]
pub struct KeyTable {
    by_id: HashMap<KeyId, Arc<KeyEntry>>,
    operator: Option<Arc<KeyEntry>>,
    /// Counts the tables, so that a memo of an older one is not believed.
    generation: u64,
}

impl KeyTable {
    pub fn build(keys: &[ApiKey], operator: Option<Arc<KeyEntry>>, earlier: &KeyTable) -> Self {
        let by_id = keys
            .iter()
            .map(|key| {
                let entry = KeyEntry::new(key, earlier.by_id.get(&key.id).map(|e| &**e));
                (key.id.clone(), Arc::new(entry))
            })
            .collect();
        KeyTable { by_id, operator, generation: earlier.generation + 1 }
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Keys with a quota that have been used here.
    pub fn limited(&self) -> impl Iterator<Item = &KeyEntry> {
        let all = self.by_id.values().chain(&self.operator);
        all.map(|entry| &**entry).filter(|entry| entry.taken() > 0)
    }

    pub fn entry(&self, id: &str) -> Option<&KeyEntry> {
        match id {
            OPERATOR_ID => self.operator.as_deref(),
            id => self.by_id.get(id).map(|entry| &**entry),
        }
    }

    /// `memo` is what this connection presented last: the same header again needs no second look at the secret.
    pub fn authenticate(
        &self,
        noted: &Noted<'_>,
        now: Timestamp,
        memo: &mut Option<Memo>,
    ) -> Result<Arc<KeyEntry>, Refusal> {
        let header = match (noted.authorization, noted.authorizations) {
            (Some(header), 1) => header,
            (Some(_), _) => return Err(invalid()),
            (None, _) => return Err(missing()),
        };
        let entry = match memo {
            Some(m) if m.generation == self.generation && same(m.header.as_bytes(), header.as_bytes()) => {
                Arc::clone(&m.entry)
            }
            _ => {
                let entry = self.find(bearer_token(header)?).ok_or_else(invalid)?;
                *memo = Some(Memo {
                    header: header.clone(),
                    generation: self.generation,
                    entry: Arc::clone(&entry),
                });
                entry
            }
        };
        if entry.revoked {
            return Err(invalid());
        }
        if entry.expires_at.is_some_and(|end| now >= end) {
            let refusal = Refusal::new(Code::ExpiredCredentials, "The key has expired.");
            return Err(refusal.with(header::WWW_AUTHENTICATE, CHALLENGE_INVALID));
        }
        Ok(entry)
    }

    /// Whether this table accepted the key, and it has not expired since.
    pub fn vouches(&self, asked: &Repeatable, now: Timestamp) -> bool {
        asked.generation == self.generation && asked.entry.expires_at.is_none_or(|end| now < end)
    }

    /// Whether what was accepted earlier would be accepted again.
    pub fn still_holds(&self, entry: &KeyEntry, now: Timestamp) -> bool {
        let known = if entry.id == OPERATOR_ID { self.operator.as_ref() } else { self.by_id.get(&entry.id) };
        known.is_some_and(|known| {
            same(&known.secret_hash, &entry.secret_hash)
                && !known.revoked
                && known.expires_at.is_none_or(|end| now < end)
        })
    }

    /// The entry whose secret this is, in force or not.
    fn find(&self, token: &str) -> Option<Arc<KeyEntry>> {
        if let Ok(parsed) = ParsedKey::parse(token)
            && let Some(entry) = self.by_id.get(parsed.id)
            && same(&parsed.secret_hash(), &entry.secret_hash)
        {
            return Some(Arc::clone(entry));
        }
        let operator = self.operator.as_ref()?;
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        same(&hash, &operator.secret_hash).then(|| Arc::clone(operator))
    }
}

/// A header that was accepted on this connection, and by which table.
pub struct Memo {
    header: HeaderValue,
    pub generation: u64,
    entry: Arc<KeyEntry>,
}

/// Equality in constant time, a word at a time; only the length shows.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    let word = |part: &[u8]| {
        let mut eight = [0; 8];
        eight[..part.len()].copy_from_slice(part);
        u64::from_ne_bytes(eight)
    };
    let all =
        a.chunks(8).zip(b.chunks(8)).fold(Choice::from(1), |so_far, (x, y)| so_far & word(x).ct_eq(&word(y)));
    a.len() == b.len() && bool::from(all)
}

fn bearer_token(header: &HeaderValue) -> Result<&str, Refusal> {
    let text = header.to_str().map_err(|_| invalid())?;
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    let token = rest.trim_matches(' ');
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(missing());
    }
    Ok(token)
}

fn missing() -> Refusal {
    Refusal::new(Code::MissingCredentials, "Send the header Authorization: Bearer <key>.")
        .with(header::WWW_AUTHENTICATE, CHALLENGE)
}

fn invalid() -> Refusal {
    Refusal::new(Code::InvalidCredentials, "The key is not valid.")
        .with(header::WWW_AUTHENTICATE, CHALLENGE_INVALID)
}

pub fn lacks_scope(scope: Scope) -> Refusal {
    let challenge = format!("Bearer realm=\"gsi\", error=\"insufficient_scope\", scope=\"{}\"", scope.key());
    let refusal = Refusal::new(
        Code::InsufficientScope,
        format!("This resource needs the scope {}, which the key does not have.", scope.key()),
    );
    match HeaderValue::from_str(&challenge) {
        Ok(value) => refusal.with(header::WWW_AUTHENTICATE, value),
        Err(_) => refusal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_looks_at_every_byte() {
        let text = b"Bearer gsi_0123456789_abcdefghjkmnpqrstvwxyz";
        assert!(same(text, text) && same(b"", b""));
        for place in 0..text.len() {
            let mut other = *text;
            other[place] ^= 1;
            assert!(!same(text, &other), "{place}");
        }
        assert!(!same(text, &text[..text.len() - 1]));
        assert!(!same(b"a", b"a\0"));
    }
}
