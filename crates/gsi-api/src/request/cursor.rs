//! Cursors: opaque to callers and signed by this installation. A cursor is bound to one list, its filters and the tick
//! at which the walk began, so that pages skip and repeat nothing while the list grows.

use crate::auth::{seal, sha256};
use crate::problem::{ProblemCode, RequestRefusal};
use data_encoding::BASE64URL_NOPAD;
use gsi_model::Timestamp;
use gsi_store::{KeyStore, PageAfter, PreviousSecret, StoreError};
use subtle::ConstantTimeEq;

/// The name in the store of the secret that signs cursors.
pub const SECRET_NAME: &str = "cursor";
const VERSION: u8 = 1;
const ID_BYTES: usize = 30;
const SIGNATURE: usize = 16;
const LENGTH: usize = 1 + 1 + 8 + 8 + 8 + ID_BYTES + SIGNATURE;
/// Length of a cursor on the wire, in characters.
pub(crate) const TEXT_LENGTH: usize = LENGTH.div_ceil(3) * 4 - (3 - LENGTH % 3) % 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    Events = 1,
    Briefings = 2,
    Countries = 3,
    Alerts = 4,
}

/// The position of a walk through a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The tick that the whole walk is pinned to.
    pub pinned: Timestamp,
    pub after: PageAfter,
}

/// A digest of the filters. A cursor is refused with other filters.
pub type FilterHash = [u8; 8];

pub fn filter_hash(canonical: &str) -> FilterHash {
    let digest = sha256(canonical.as_bytes());
    let mut hash = [0; 8];
    hash.copy_from_slice(&digest[..8]);
    hash
}

/// Signs with the current secret. After a rotation it also accepts the previous secret until that expires.
#[derive(PartialEq, Eq)]
pub struct CursorSigner {
    secret: [u8; 32],
    previous: Option<PreviousSecret>,
}

fn signature(secret: &[u8; 32], payload: &[u8]) -> [u8; SIGNATURE] {
    let mut tag = [0; SIGNATURE];
    tag.copy_from_slice(&seal(secret, payload)[..SIGNATURE]);
    tag
}

impl CursorSigner {
    pub fn new(secret: [u8; 32], previous: Option<PreviousSecret>) -> Self {
        CursorSigner { secret, previous }
    }

    /// Reads the secrets from the store.
    pub fn of(store: &dyn KeyStore) -> Result<Self, StoreError> {
        Ok(CursorSigner::new(store.secret(SECRET_NAME)?, store.previous_secret(SECRET_NAME)?))
    }

    fn has_signed(&self, payload: &[u8], tag: &[u8], now: Timestamp) -> bool {
        let by = |secret: &[u8; 32]| bool::from(signature(secret, payload).ct_eq(tag));
        by(&self.secret) || self.previous.is_some_and(|old| now < old.until && by(&old.value))
    }

    pub fn write(&self, kind: ListKind, filters: FilterHash, position: &Position) -> String {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.extend([VERSION, kind as u8]);
        bytes.extend(filters);
        bytes.extend(position.pinned.unix().to_be_bytes());
        bytes.extend(position.after.at.unix().to_be_bytes());
        let id = position.after.id.as_bytes();
        bytes.extend(id.iter().copied().chain(std::iter::repeat(0)).take(ID_BYTES));
        let tag = signature(&self.secret, &bytes);
        bytes.extend(tag);
        BASE64URL_NOPAD.encode(&bytes)
    }

    pub fn read(
        &self,
        text: &str,
        kind: ListKind,
        filters: FilterHash,
        now: Timestamp,
    ) -> Result<Position, RequestRefusal> {
        let altered =
            || RequestRefusal::new(ProblemCode::InvalidCursor, "The cursor is not one that was issued here.");
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| altered())?;
        if bytes.len() != LENGTH {
            return Err(altered());
        }
        let (payload, tag) = bytes.split_at(LENGTH - SIGNATURE);
        if !self.has_signed(payload, tag, now) || payload[0] != VERSION {
            return Err(altered());
        }
        if payload[1] != kind as u8 {
            return Err(RequestRefusal::new(
                ProblemCode::InvalidCursor,
                "The cursor belongs to another list.",
            ));
        }
        if payload[2..10] != filters {
            return Err(RequestRefusal::new(
                ProblemCode::InvalidCursor,
                "The cursor belongs to other filters; repeat the ones it was given for.",
            ));
        }
        let number = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&payload[at..at + 8]);
            Timestamp::from_unix(i64::from_be_bytes(eight))
        };
        let id = payload[26..].split(|b| *b == 0).next().unwrap_or_default();
        let id = std::str::from_utf8(id).map_err(|_| altered())?.to_owned();
        Ok(Position { pinned: number(10), after: PageAfter { at: number(18), id } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_only_where_it_belongs() {
        let signer = CursorSigner::new([7; 32], None);
        let now = Timestamp::from_unix(1_700_000_200);
        let filters = filter_hash("category=kinetic");
        let position = Position {
            pinned: Timestamp::from_unix(1_700_000_100),
            after: PageAfter {
                at: Timestamp::from_unix(1_700_000_000),
                id: "evt_0123456789ABCDEFGHJKMNPQRS".into(),
            },
        };
        let text = signer.write(ListKind::Events, filters, &position);
        assert_eq!(text.len(), TEXT_LENGTH);
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(signer.read(&text, ListKind::Events, filters, now).unwrap(), position);
        let code = |r: Result<Position, RequestRefusal>| r.map(|_| ()).map_err(|e| e.code);
        assert_eq!(
            code(signer.read(&text, ListKind::Briefings, filters, now)),
            Err(ProblemCode::InvalidCursor)
        );
        assert_eq!(
            code(signer.read(&text, ListKind::Events, filter_hash(""), now)),
            Err(ProblemCode::InvalidCursor)
        );
        let other = CursorSigner::new([8; 32], None);
        assert_eq!(code(other.read(&text, ListKind::Events, filters, now)), Err(ProblemCode::InvalidCursor));
        // After a rotation the old secret is accepted until it expires; the new secret signs new cursors.
        let old = PreviousSecret { value: [7; 32], until: now.plus(10) };
        let rotated = CursorSigner::new([9; 32], Some(old));
        assert_eq!(rotated.read(&text, ListKind::Events, filters, now).unwrap(), position);
        let late = rotated.read(&text, ListKind::Events, filters, old.until);
        assert_eq!(code(late), Err(ProblemCode::InvalidCursor));
        let fresh = rotated.write(ListKind::Events, filters, &position);
        assert_eq!(rotated.read(&fresh, ListKind::Events, filters, now).unwrap(), position);
        assert_eq!(
            code(signer.read(&fresh, ListKind::Events, filters, now)),
            Err(ProblemCode::InvalidCursor)
        );
        for place in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(bytes).unwrap();
            assert_eq!(
                code(signer.read(&altered, ListKind::Events, filters, now)),
                Err(ProblemCode::InvalidCursor)
            );
        }
        for bad in ["", "null", &text[1..], &format!("{text}A"), "é"] {
            assert_eq!(
                code(signer.read(bad, ListKind::Events, filters, now)),
                Err(ProblemCode::InvalidCursor)
            );
        }
    }
}
