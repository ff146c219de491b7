//! Where a store is, as operators write it.

use crate::format::copy_before_upgrade;
use crate::{Leadership, PostgresStore, Prune, Repair, Result, SqliteStore, Store, StoreError, StoreFormat};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened store that can also be led.
pub trait LedStore: Store + Leadership + Repair + Prune {}
impl<T: Store + Leadership + Repair + Prune> LedStore for T {}

/// Opens `sqlite:PATH` or `postgres://…`. One of an earlier format is refused and stays as it is.
pub fn open(url: &str) -> Result<Arc<dyn Store>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open(url)?)),
    }
}

/// Like [`open`], bringing the database to the newest format. A file of an earlier one is first copied to where
/// [`copy_of`] says.
pub fn open_and_upgrade(url: &str) -> Result<Arc<dyn Store>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open_and_upgrade(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open_and_upgrade(url)?)),
    }
}

/// Like [`open_and_upgrade`] without the copy.
pub fn open_and_upgrade_alone(url: &str) -> Result<Arc<dyn Store>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open_and_upgrade_alone(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open_and_upgrade(url)?)),
    }
}

/// Where an upgrade from this format leaves a copy of the store. None for PostgreSQL, whose copies are its operator's.
pub fn copy_of(url: &str, format: usize) -> Result<Option<PathBuf>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Some(copy_before_upgrade(path, format))),
        StoreAddress::Postgres(_) => Ok(None),
    }
}

/// Like [`open`], for a command that works under the rules of the ticks.
pub fn open_led(url: &str) -> Result<Arc<dyn LedStore>> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => Ok(Arc::new(SqliteStore::open(path)?)),
        StoreAddress::Postgres(url) => Ok(Arc::new(PostgresStore::open(url)?)),
    }
}

/// The format a store has; nothing is made or changed. A file that is not there is an error.
pub fn format_of(url: &str) -> Result<StoreFormat> {
    match StoreAddress::parse(url)? {
        StoreAddress::Sqlite(path) => SqliteStore::format_of(path),
        StoreAddress::Postgres(url) => PostgresStore::format_of(url),
    }
}

/// The two handles of a serving process.
pub struct Replica {
    /// For whoever does the ticks: reads what it wrote.
    pub lead: Arc<dyn LedStore>,
    /// For whoever answers: lists may come from a standby, never from one that lacks the tick asked about.
    pub serve: Arc<dyn Store>,
}

/// Like [`open_and_upgrade`], for a process that may do the ticks; `standby` is a copy to read lists from.
pub fn open_replica(url: &str, standby: Option<&str>) -> Result<Replica> {
    match (StoreAddress::parse(url)?, standby) {
        (StoreAddress::Sqlite(path), None) => {
            let store = Arc::new(SqliteStore::open_and_upgrade(path)?);
            Ok(Replica { lead: store.clone(), serve: store })
        }
        (StoreAddress::Postgres(url), None) => {
            let store = Arc::new(PostgresStore::open_and_upgrade(url)?);
            Ok(Replica { lead: store.clone(), serve: store })
        }
        (StoreAddress::Postgres(url), Some(standby)) => match StoreAddress::parse(standby)? {
            StoreAddress::Postgres(standby) => {
                let store = PostgresStore::open_and_upgrade(url)?;
                let serve = Arc::new(store.reading_from(standby)?);
                Ok(Replica { lead: Arc::new(store), serve })
            }
            StoreAddress::Sqlite(_) => {
                Err(StoreError::Refused("a standby is postgres://HOST/DATABASE".to_owned()))
            }
        },
        (StoreAddress::Sqlite(_), Some(_)) => {
            Err(StoreError::Refused("standbys are for PostgreSQL; SQLite has none".to_owned()))
        }
    }
}

#[derive(Debug)]
pub(crate) enum StoreAddress<'u> {
    Sqlite(&'u Path),
    Postgres(&'u str),
}

impl<'u> StoreAddress<'u> {
    pub(crate) fn parse(url: &'u str) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite:").filter(|p| !p.is_empty()) {
            // Both `sqlite:data/gsi.db` and the URL habit of `sqlite:///var/lib/gsi.db`.
            return Ok(StoreAddress::Sqlite(Path::new(path.strip_prefix("//").unwrap_or(path))));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(StoreAddress::Postgres(url));
        }
        // Never the address itself: it may hold a password.
        Err(StoreError::Refused("a store is sqlite:PATH or postgres://HOST/DATABASE".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, want) in [
            ("sqlite:gsi.db", "Sqlite(\"gsi.db\")"),
            ("sqlite:/var/lib/gsi/a b?.db", "Sqlite(\"/var/lib/gsi/a b?.db\")"),
            ("sqlite:///var/lib/gsi.db", "Sqlite(\"/var/lib/gsi.db\")"),
            ("postgres://u:secret@h/db", "Postgres(\"postgres://u:secret@h/db\")"),
            ("postgresql:///db", "Postgres(\"postgresql:///db\")"),
        ] {
            assert_eq!(format!("{:?}", StoreAddress::parse(url).unwrap()), want);
        }
        for bad in ["", "sqlite:", "mysql://u:secret@h/db", "gsi.db"] {
            let error = StoreAddress::parse(bad).unwrap_err().to_string();
            assert!(!error.contains("secret") && error.contains("sqlite:PATH"), "{error}");
        }
    }
}
