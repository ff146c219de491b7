//! Keys, the installation's secrets, and small named values.

use crate::interface::key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret, previous_name};
use crate::postgres::PostgresStore;
use crate::postgres::connection::news;
use crate::postgres::connection::session::Session;
use crate::rows::keys::{join_scopes, random_secret, split_scopes};
use crate::{KeyStore, KeyUse, Pulse, Result, StoreError};
use gsi_model::{ApiKey, KeyId, RateLimit, Timestamp};
use std::time::SystemTime;

pub fn put_key(session: &mut Session, key: &ApiKey, note: &ChangeNote) -> Result<()> {
    // The lock makes changes run one after the other, so that each is compared with the state before it.
    session.run("LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE", &[])?;
    let old = keys(session)?.into_iter().find(|old| old.id == key.id);
    let action = KeyAction::between(old.as_ref(), key);
    add_audit(session, &KeyAuditEntry::of_key(action, key, note))?;
    session.run(
        "INSERT INTO api_key (id, name, secret_hash, scopes, rate_per_minute, rate_burst, created_at, expires_at,
                              revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (id) DO UPDATE SET
             name = excluded.name, secret_hash = excluded.secret_hash, scopes = excluded.scopes,
             rate_per_minute = excluded.rate_per_minute, rate_burst = excluded.rate_burst,
             created_at = excluded.created_at, expires_at = excluded.expires_at,
             revoked_at = coalesce(api_key.revoked_at, excluded.revoked_at)",
        &[
            &key.id,
            &key.name,
            &&key.secret_hash[..],
            &join_scopes(&key.scopes),
            &key.rate.map(|r| i64::from(r.per_minute)),
            &key.rate.map(|r| i64::from(r.burst)),
            &key.created_at.unix(),
            &key.expires_at.map(Timestamp::unix),
            &key.revoked_at.map(Timestamp::unix),
        ],
    )?;
    tell_change(session)
}

fn tell_change(session: &mut Session) -> Result<()> {
    session.run("UPDATE counter SET value = value + 1 WHERE name = 'keys'", &[])?;
    session.run(news::KEYS_CHANGED, &[])?;
    Ok(())
}

pub fn add_audit(session: &mut Session, entry: &KeyAuditEntry) -> Result<()> {
    session.run(
        "INSERT INTO key_audit (at, action, key_id, name, made_by) VALUES ($1, $2, $3, $4, $5)",
        &[&entry.at.unix(), &entry.action.key(), &entry.key, &entry.name, &entry.by],
    )?;
    Ok(())
}

pub fn key_audit(session: &mut Session) -> Result<Vec<KeyAuditEntry>> {
    let rows = session.rows("SELECT at, action, key_id, name, made_by FROM key_audit ORDER BY key", &[])?;
    rows.iter()
        .map(|row| {
            Ok(KeyAuditEntry {
                at: Timestamp::from_unix(row.try_get(0)?),
                action: KeyAction::from_key(row.try_get(1)?)?,
                key: row.try_get(2)?,
                name: row.try_get(3)?,
                by: row.try_get(4)?,
            })
        })
        .collect()
}

pub fn note_key_uses(session: &mut Session, uses: &[(KeyId, Timestamp)]) -> Result<()> {
    let (ids, days): (Vec<&str>, Vec<i64>) = uses.iter().map(|(id, day)| (id.as_str(), day.unix())).unzip();
    session.run(
        "UPDATE api_key SET last_used = used.day FROM unnest($1::text[], $2::bigint[]) AS used (id, day)
         WHERE api_key.id = used.id AND (last_used IS NULL OR last_used < used.day)",
        &[&ids, &days],
    )?;
    Ok(())
}

pub fn keys(session: &mut Session) -> Result<Vec<ApiKey>> {
    let rows = session.rows(
        "SELECT id, name, secret_hash, scopes, rate_per_minute, rate_burst, created_at, expires_at, revoked_at,
                last_used
         FROM api_key ORDER BY created_at, id",
        &[],
    )?;
    let mut keys = Vec::new();
    for row in rows {
        let limit = |column: usize| -> Result<Option<u32>> {
            let stored: Option<i64> = row.try_get(column)?;
            Ok(stored.and_then(|n| u32::try_from(n).ok()))
        };
        let moment = |column: usize| -> Result<Option<Timestamp>> {
            let stored: Option<i64> = row.try_get(column)?;
            Ok(stored.map(Timestamp::from_unix))
        };
        keys.push(ApiKey {
            id: row.try_get(0)?,
            name: row.try_get(1)?,
            secret_hash: thirty_two(row.try_get(2)?)?,
            scopes: split_scopes(row.try_get(3)?)?,
            rate: match (limit(4)?, limit(5)?) {
                (Some(per_minute), Some(burst)) => Some(RateLimit { per_minute, burst }),
                _ => None,
            },
            created_at: Timestamp::from_unix(row.try_get(6)?),
            expires_at: moment(7)?,
            revoked_at: moment(8)?,
            last_used: moment(9)?,
        });
    }
    Ok(keys)
}

fn thirty_two(bytes: &[u8]) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| StoreError::Corrupt("a secret or hash of a wrong length".to_owned()))
}

pub fn keys_version(session: &mut Session) -> Result<i64> {
    let row = session
        .first("SELECT value FROM counter WHERE name = 'keys'", &[])?
        .ok_or_else(|| StoreError::Corrupt("the version of the keys is missing".to_owned()))?;
    Ok(row.try_get(0)?)
}

pub fn secret(session: &mut Session, name: &str) -> Result<[u8; 32]> {
    let find = "SELECT value FROM secret WHERE name = $1";
    if let Some(row) = session.first(find, &[&name])? {
        return thirty_two(row.try_get(0)?);
    }
    let fresh = random_secret()?;
    session.run(
        "INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        &[&name, &&fresh[..]],
    )?;
    // Another replica may have stored one first.
    match session.first(find, &[&name])? {
        Some(row) => thirty_two(row.try_get(0)?),
        None => Err(StoreError::Corrupt("a new secret is missing".to_owned())),
    }
}

pub fn rotate_secret(session: &mut Session, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()> {
    // Creates the secret that is to be kept, if there is none.
    secret(session, name)?;
    let fresh = random_secret()?;
    session.run(
        "INSERT INTO secret (name, value, until) SELECT $2, value, $3 FROM secret WHERE name = $1 FOR UPDATE
         ON CONFLICT (name) DO UPDATE SET value = excluded.value, until = excluded.until",
        &[&name, &previous_name(name), &until.unix()],
    )?;
    session.run("UPDATE secret SET value = $2 WHERE name = $1", &[&name, &&fresh[..]])?;
    add_audit(session, &KeyAuditEntry::of_none(KeyAction::CursorSecretRotated, note))?;
    tell_change(session)
}

pub fn previous_secret(session: &mut Session, name: &str) -> Result<Option<PreviousSecret>> {
    let found = session.first(
        "SELECT value, until FROM secret WHERE name = $1 AND until IS NOT NULL",
        &[&previous_name(name)],
    )?;
    found
        .map(|row| {
            Ok(PreviousSecret {
                value: thirty_two(row.try_get(0)?)?,
                until: Timestamp::from_unix(row.try_get(1)?),
            })
        })
        .transpose()
}

pub fn meta(session: &mut Session, name: &str) -> Result<Option<String>> {
    match session.first("SELECT value FROM meta WHERE name = $1", &[&name])? {
        Some(row) => Ok(Some(row.try_get(0)?)),
        None => Ok(None),
    }
}

pub fn set_meta(session: &mut Session, name: &str, value: &str) -> Result<()> {
    session.run(
        "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        &[&name, &value],
    )?;
    Ok(())
}

pub fn pulse(session: &mut Session) -> Result<Pulse> {
    let row = session
        .first(
            "SELECT (SELECT max(tick) FROM engine_state), (SELECT max(tick) FROM snapshot),
                    (SELECT value FROM counter WHERE name = 'keys')",
            &[],
        )?
        .ok_or_else(|| StoreError::Corrupt("no answer to the pulse query".to_owned()))?;
    let tick = |column: usize| -> Result<Option<Timestamp>> {
        let stored: Option<i64> = row.try_get(column)?;
        Ok(stored.map(Timestamp::from_unix))
    };
    Ok(Pulse { frontier: tick(0)?, published: tick(1)?, keys_version: row.try_get(2)? })
}

pub fn time(session: &mut Session) -> Result<SystemTime> {
    // now() would be the start of the transaction.
    let row = session
        .first("SELECT clock_timestamp()", &[])?
        .ok_or_else(|| StoreError::Corrupt("no answer to the time query".to_owned()))?;
    Ok(row.try_get(0)?)
}

/// Reports and reads the use of keys in one round trip. Unchanged rows are not written, and the rows of silent replicas are
/// not read. The row without a key shows that the replica is alive; rows of a dead replica are removed after an hour.
pub fn share_usage(
    session: &mut Session,
    replica: &str,
    taken: &[(KeyId, u64)],
    all: bool,
) -> Result<Vec<KeyUse>> {
    let (keys, counts): (Vec<&str>, Vec<i64>) =
        taken.iter().map(|(key, n)| (key.as_str(), i64::try_from(*n).unwrap_or(i64::MAX))).unzip();
    let rows = session.rows(
        "WITH reported AS (
             INSERT INTO key_use (replica, key, taken, reported_at)
             SELECT $1, key, taken, clock_timestamp() FROM unnest($2::text[], $3::bigint[]) AS mine (key, taken)
             UNION ALL SELECT $1, '', 0, clock_timestamp()
             ON CONFLICT (replica, key) DO UPDATE SET taken = excluded.taken, reported_at = excluded.reported_at
             WHERE key_use.taken <> excluded.taken OR key_use.key = ''),
         dead AS (
             DELETE FROM key_use WHERE replica IN (
                 SELECT replica FROM key_use WHERE key = '' AND reported_at < clock_timestamp() - interval '1 hour'))
         SELECT replica, key, taken FROM key_use
         WHERE replica <> $1 AND key <> '' AND ($4 OR reported_at > clock_timestamp() - interval '30 seconds')",
        &[&replica, &keys, &counts, &all],
    )?;
    rows.iter()
        .map(|row| {
            let taken: i64 = row.try_get(2)?;
            Ok(KeyUse { replica: row.try_get(0)?, key: row.try_get(1)?, taken: taken.unsigned_abs() })
        })
        .collect()
}

impl KeyStore for PostgresStore {
    fn put_key(&self, key: &ApiKey, note: &ChangeNote) -> Result<()> {
        self.sessions.with(|s| s.transaction(|s| put_key(s, key, note)))
    }

    fn keys(&self) -> Result<Vec<ApiKey>> {
        self.pool().read(&mut keys)
    }

    fn keys_version(&self) -> Result<i64> {
        self.pool().read(&mut keys_version)
    }

    fn note_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()> {
        self.sessions.with(|s| note_key_uses(s, uses))
    }

    fn key_audit(&self) -> Result<Vec<KeyAuditEntry>> {
        self.pool().read(&mut key_audit)
    }

    fn add_to_key_audit(&self, action: KeyAction, note: &ChangeNote) -> Result<()> {
        self.sessions.with(|s| add_audit(s, &KeyAuditEntry::of_none(action, note)))
    }

    fn secret(&self, name: &str) -> Result<[u8; 32]> {
        self.sessions.with(|s| secret(s, name))
    }

    fn rotate_secret(&self, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()> {
        self.sessions.with(|s| s.transaction(|s| rotate_secret(s, name, until, note)))
    }

    fn previous_secret(&self, name: &str) -> Result<Option<PreviousSecret>> {
        self.pool().with(|s| previous_secret(s, name))
    }

    fn share_usage(&self, replica: &str, taken: &[(KeyId, u64)], all: bool) -> Result<Vec<KeyUse>> {
        self.sessions.with(|session| share_usage(session, replica, taken, all))
    }
}
