//! The active keys: finds the key of an `Authorization` header without a lock. Unknown keys and wrong secrets get the
//! same answer.

use crate::auth::digest::{seal, sha256};
use crate::auth::keys::ParsedKey;
use crate::auth::rate::{AddressLimit, Bucket, QuotaVerdict};
use crate::auth::session::SessionToken;
use crate::problem::{ProblemCode, RequestRefusal};
use crate::settings::Limits;
use arc_swap::{ArcSwap, ArcSwapOption};
use data_encoding::{BASE64, BASE64URL_NOPAD};
use gsi_model::{ApiKey, KeyId, RateLimit, Scope, Timestamp};
use gsi_store::{KeyStore, StoreError};
use hashbrown::HashMap;
use http::{HeaderMap, HeaderValue, header};
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"gsi\"");
const CHALLENGE_BASIC: HeaderValue = HeaderValue::from_static("Basic realm=\"gsi\", charset=\"UTF-8\"");
const CHALLENGE_INVALID: HeaderValue =
    HeaderValue::from_static("Bearer realm=\"gsi\", error=\"invalid_token\"");

/// The id of the operator's key in the log. It has no public id.
pub(crate) const OPERATOR_ID: &str = "operator";

/// The largest number that a structured header may hold: what is left of an unlimited quota.
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
    /// Open streams of this key.
    pub streams: Arc<AtomicUsize>,
    use_days: Arc<UseDays>,
    places: Arc<OnceLock<KeyPlaces>>,
    pub policy: HeaderValue,
}

/// Places for one key's requests that need the store.
#[derive(Clone)]
pub struct KeyPlaces {
    pub(crate) in_flight: Arc<Semaphore>,
    pub readers: Arc<Semaphore>,
}

/// The last day on which a key was used, and the last one that was written to the store, each as its first second.
struct UseDays {
    used: AtomicI64,
    stored: AtomicI64,
}

impl UseDays {
    fn since(known: Option<Timestamp>) -> Arc<Self> {
        let day = known.map_or(i64::MIN, Timestamp::unix);
        Arc::new(UseDays { used: AtomicI64::new(day), stored: AtomicI64::new(day) })
    }
}

impl KeyEntry {
    fn new(key: &ApiKey, earlier: Option<&KeyEntry>) -> Self {
        // The bucket is kept, because a new one would refill the quota at every refresh of the table.
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
            places: earlier.map(|e| Arc::clone(&e.places)).unwrap_or_default(),
            use_days: earlier.map_or_else(|| UseDays::since(key.last_used), |e| Arc::clone(&e.use_days)),
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
            secret_hash: sha256(key.as_bytes()),
            streams: Arc::default(),
            places: Arc::default(),
            use_days: UseDays::since(None),
            bucket: rate.map(|r| Arc::new(Bucket::new(r))),
            policy: policy(rate),
        }
    }

    /// The key's places. They stay the same while the service runs, however often its record changes.
    pub fn places(&self, limits: &Limits) -> &KeyPlaces {
        self.places.get_or_init(|| KeyPlaces {
            in_flight: Arc::new(Semaphore::new(limits.in_flight_per_key())),
            readers: Arc::new(Semaphore::new(limits.readers_per_key())),
        })
    }

    /// Notes the day of use. On all but the first use of a day this is a load and a comparison.
    fn note_use(&self, now: Timestamp) {
        let day = now.day().start().unix();
        if self.use_days.used.load(Ordering::Relaxed) < day {
            self.use_days.used.fetch_max(day, Ordering::Relaxed);
        }
    }

    /// Seals a text so that only a holder of the key's record can make the seal.
    pub(crate) fn seal(&self, text: &str) -> String {
        BASE64URL_NOPAD.encode(&seal(&self.secret_hash, text.as_bytes()))
    }

    pub fn covers(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|s| *s == scope || *s == Scope::All)
    }

    pub fn take(&self, now: u64) -> QuotaVerdict {
        match &self.bucket {
            Some(bucket) => bucket.take(now),
            None => QuotaVerdict { allowed: true, remaining: UNLIMITED, reset: 0, retry_after: 0 },
        }
    }

    /// Requests that this process has admitted.
    pub fn taken(&self) -> u64 {
        self.bucket.as_ref().map_or(0, |b| b.taken())
    }

    /// Charges requests that another replica has admitted.
    pub fn charge(&self, now: u64, requests: u64) {
        if let (Some(bucket), 1..) = (&self.bucket, requests) {
            bucket.charge(now, requests);
        }
    }

    /// What is left of the quota. This counts no request.
    pub fn remaining(&self, now: u64) -> QuotaVerdict {
        match &self.bucket {
            Some(bucket) => bucket.remaining(now),
            None => QuotaVerdict { allowed: true, remaining: UNLIMITED, reset: 0, retry_after: 0 },
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

/// The `RateLimit` header. `charged` is what the request cost beyond one. It is made for every request, hence without
/// `format!`.
pub(crate) fn rate_header(auth: &AuthContext, charged: u64) -> HeaderValue {
    if auth.key.bucket.is_none() {
        return const { HeaderValue::from_static("\"unlimited\";r=999999999999999;t=0") };
    }
    let (mut remaining, mut reset) = (itoa::Buffer::new(), itoa::Buffer::new());
    let remaining = remaining.format(auth.verdict.remaining.saturating_sub(charged));
    let text = ["\"default\";r=", remaining, ";t=", reset.format(auth.verdict.reset)].concat();
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text))
        .unwrap_or(const { HeaderValue::from_static("\"default\";r=0;t=1") })
}

/// The key of a request, and what is left of its quota.
#[derive(Clone)]
pub struct AuthContext {
    pub key: Arc<KeyEntry>,
    pub verdict: QuotaVerdict,
}

/// The keys of this installation: those in the store and the operator's own.
pub struct KeyRing {
    table: ArcSwap<KeyTable>,
    /// The version of the keys in the store that the table was read at.
    version: AtomicI64,
    operator: ArcSwapOption<KeyEntry>,
    /// Held while a new table is built.
    building: Mutex<()>,
    /// Failed authentications by address.
    failures: AddressLimit,
}

impl KeyRing {
    pub fn new(operator: Option<KeyEntry>, failed_auth_per_minute: u32) -> Self {
        KeyRing {
            table: ArcSwap::default(),
            version: AtomicI64::new(i64::MIN),
            operator: ArcSwapOption::from(operator.map(Arc::new)),
            building: Mutex::default(),
            failures: AddressLimit::new(RateLimit {
                per_minute: failed_auth_per_minute,
                burst: failed_auth_per_minute,
            }),
        }
    }

    pub fn load(&self) -> arc_swap::Guard<Arc<KeyTable>> {
        self.table.load()
    }

    pub(crate) fn is_at(&self, version: i64) -> bool {
        version == self.version.load(Ordering::Acquire)
    }

    /// Reads the keys again if any has changed since the last time. Returns whether it did.
    pub(crate) fn refresh(&self, store: &dyn KeyStore) -> Result<bool, StoreError> {
        let version = store.keys_version()?;
        if self.is_at(version) {
            return Ok(false);
        }
        let _one_at_a_time = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        let table = KeyTable::build(&store.keys()?, self.operator.load_full(), &self.load());
        self.table.store(Arc::new(table));
        self.version.store(version, Ordering::Release);
        Ok(true)
    }

    /// Replaces the operator's key. Returns `false` when it is the current one.
    pub(crate) fn set_operator(&self, operator: KeyEntry) -> bool {
        let _one_at_a_time = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.operator.load();
        if known.as_ref().is_some_and(|known| same(&known.secret_hash, &operator.secret_hash)) {
            return false;
        }
        let operator = Arc::new(operator);
        self.operator.store(Some(Arc::clone(&operator)));
        let by_id = self.load().by_id.clone();
        self.table.store(Arc::new(KeyTable { by_id, operator: Some(operator) }));
        true
    }

    /// Writes the day of each key's last use to the store, where it has changed.
    pub(crate) fn store_uses(&self, store: &dyn KeyStore) -> Result<(), StoreError> {
        let table = self.load();
        let day = |days: &AtomicI64| days.load(Ordering::Relaxed);
        let news: Vec<(&KeyEntry, i64)> = table
            .by_id
            .values()
            .map(|entry| (&**entry, day(&entry.use_days.used)))
            .filter(|(entry, used)| *used > day(&entry.use_days.stored))
            .collect();
        if news.is_empty() {
            return Ok(());
        }
        let uses: Vec<(KeyId, Timestamp)> =
            news.iter().map(|(entry, used)| (entry.id.clone(), Timestamp::from_unix(*used))).collect();
        store.note_key_uses(&uses)?;
        for (entry, used) in news {
            entry.use_days.stored.fetch_max(used, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Finds the key of a request; its quota is not touched yet. Failures are counted by address, and beyond the limit
    /// an address gets 429. `nanos` is the time on the clock of the buckets.
    pub fn authenticate(
        &self,
        headers: &HeaderMap,
        schemes: KeySchemes,
        peer: IpAddr,
        now: Timestamp,
        nanos: u64,
    ) -> Result<Arc<KeyEntry>, RequestRefusal> {
        let entry = self.load().authenticate(headers, schemes, now);
        entry.inspect(|entry| entry.note_use(now)).map_err(|refusal| self.count_failure(refusal, peer, nanos))
    }

    /// Whether the request's key is refused as invalid. Counts neither a use nor a failure.
    pub(crate) fn refuses(&self, headers: &HeaderMap, schemes: KeySchemes, now: Timestamp) -> bool {
        let found = self.load().authenticate(headers, schemes, now);
        found.is_err_and(|refusal| refusal.code == ProblemCode::InvalidCredentials)
    }

    /// Finds the key of a session's cookie, as `authenticate` does. Sessions expire by the wall clock. Keys expire by
    /// the service's clock, which is faster in a simulation.
    pub fn authenticate_session(
        &self,
        token: &SessionToken<'_>,
        peer: IpAddr,
        (now, wall): (Timestamp, Timestamp),
        nanos: u64,
    ) -> Result<Arc<KeyEntry>, RequestRefusal> {
        let entry = self.load().in_session(token, now, wall);
        entry.inspect(|entry| entry.note_use(now)).map_err(|refusal| self.count_failure(refusal, peer, nanos))
    }

    fn count_failure(&self, refusal: RequestRefusal, peer: IpAddr, nanos: u64) -> RequestRefusal {
        let verdict = self.failures.take(peer, nanos);
        if verdict.allowed {
            return refusal;
        }
        let detail = "Too many requests without a valid key came from this address.";
        RequestRefusal::new(ProblemCode::RateLimited, detail).retry_after(verdict.retry_after)
    }
}

/// All keys at one moment. The table is replaced as a whole.
#[derive(Default)]
pub struct KeyTable {
    by_id: HashMap<KeyId, Arc<KeyEntry>>,
    operator: Option<Arc<KeyEntry>>,
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
        KeyTable { by_id, operator }
    }

    pub fn count(&self) -> usize {
        self.by_id.len()
    }

    /// Keys with a quota that this process has admitted requests of.
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

    /// The entry of the request's key, if it is active.
    fn authenticate(
        &self,
        headers: &HeaderMap,
        schemes: KeySchemes,
        now: Timestamp,
    ) -> Result<Arc<KeyEntry>, RequestRefusal> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let header = match (values.next(), values.next()) {
            (Some(header), None) => header,
            (Some(_), Some(_)) => return Err(invalid()),
            (None, _) => return Err(missing(schemes)),
        };
        in_force(self.find(&schemes.read_key(header)?).ok_or_else(invalid)?, now)
    }

    /// The entry of the key that opened the session, if both are active.
    fn in_session(
        &self,
        token: &SessionToken<'_>,
        now: Timestamp,
        wall: Timestamp,
    ) -> Result<Arc<KeyEntry>, RequestRefusal> {
        let known = match token.key_id {
            OPERATOR_ID => self.operator.as_ref(),
            id => self.by_id.get(id),
        };
        let entry = known.filter(|entry| token.is_valid_for(entry, wall)).ok_or_else(invalid)?;
        in_force(Arc::clone(entry), now)
    }

    /// Whether a key that was accepted earlier would be accepted again.
    pub(crate) fn still_holds(&self, entry: &KeyEntry, now: Timestamp) -> bool {
        let known = if entry.id == OPERATOR_ID { self.operator.as_ref() } else { self.by_id.get(&entry.id) };
        known.is_some_and(|known| {
            same(&known.secret_hash, &entry.secret_hash)
                && !known.revoked
                && known.expires_at.is_none_or(|end| now < end)
        })
    }

    /// The entry with this secret, active or not.
    fn find(&self, token: &str) -> Option<Arc<KeyEntry>> {
        if let Ok(parsed) = ParsedKey::parse(token)
            && let Some(entry) = self.by_id.get(parsed.id)
            && same(&parsed.secret_hash(), &entry.secret_hash)
        {
            return Some(Arc::clone(entry));
        }
        let operator = self.operator.as_ref()?;
        same(&sha256(token.as_bytes()), &operator.secret_hash).then(|| Arc::clone(operator))
    }
}

/// The public part of a well-formed key, known here or not.
pub(crate) fn claimed_id(headers: &HeaderMap, schemes: KeySchemes) -> Option<KeyId> {
    let key = schemes.read_key(headers.get(header::AUTHORIZATION)?).ok()?;
    ParsedKey::parse(key.trim()).ok().map(|key| key.id.to_owned())
}

fn in_force(entry: Arc<KeyEntry>, now: Timestamp) -> Result<Arc<KeyEntry>, RequestRefusal> {
    if entry.revoked {
        return Err(invalid());
    }
    if entry.expires_at.is_some_and(|end| now >= end) {
        let refusal = RequestRefusal::new(ProblemCode::ExpiredCredentials, "The key has expired.");
        return Err(refusal.with(header::WWW_AUTHENTICATE, CHALLENGE_INVALID));
    }
    Ok(entry)
}

fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

/// The ways in which a key may be sent to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySchemes {
    Bearer,
    /// Also as the password of HTTP Basic with any user name, which is all that feed readers and spreadsheets can send.
    BearerOrBasic,
}

impl KeySchemes {
    /// The key in the header, known or not.
    pub(crate) fn read_key(self, header: &HeaderValue) -> Result<Cow<'_, str>, RequestRefusal> {
        let text = std::str::from_utf8(header.as_bytes()).ok().filter(|text| text.is_ascii());
        let text = text.ok_or_else(invalid)?;
        let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
        let token = rest.trim_matches(' ');
        if token.is_empty() {
            return Err(missing(self));
        }
        if scheme.eq_ignore_ascii_case("bearer") {
            return Ok(token.into());
        }
        if self == KeySchemes::BearerOrBasic && scheme.eq_ignore_ascii_case("basic") {
            let pair = BASE64.decode(token.as_bytes()).ok().and_then(|pair| String::from_utf8(pair).ok());
            let password =
                pair.as_deref().and_then(|pair| pair.split_once(':')).map(|(_, password)| password);
            return password.map(|password| password.to_owned().into()).ok_or_else(invalid);
        }
        Err(missing(self))
    }
}

pub fn missing(schemes: KeySchemes) -> RequestRefusal {
    let code = ProblemCode::MissingCredentials;
    match schemes {
        KeySchemes::Bearer => RequestRefusal::new(code, "Send the header Authorization: Bearer <key>.")
            .with(header::WWW_AUTHENTICATE, CHALLENGE),
        KeySchemes::BearerOrBasic => {
            let detail = "Send the header Authorization: Bearer <key>, or the key as the password of HTTP Basic with any user name.";
            RequestRefusal::new(code, detail)
                .with(header::WWW_AUTHENTICATE, CHALLENGE)
                .with(header::WWW_AUTHENTICATE, CHALLENGE_BASIC)
        }
    }
}

fn invalid() -> RequestRefusal {
    RequestRefusal::new(ProblemCode::InvalidCredentials, "The key is not valid.")
        .with(header::WWW_AUTHENTICATE, CHALLENGE_INVALID)
}

pub(crate) fn lacks_scope(scope: Scope) -> RequestRefusal {
    let challenge = format!("Bearer realm=\"gsi\", error=\"insufficient_scope\", scope=\"{}\"", scope.key());
    let refusal = RequestRefusal::new(
        ProblemCode::InsufficientScope,
        format!("This resource needs the scope {}, which the key does not have.", scope.key()),
    );
    match HeaderValue::from_str(&challenge) {
        Ok(value) => refusal.with(header::WWW_AUTHENTICATE, value),
        Err(_) => refusal,
    }
}
