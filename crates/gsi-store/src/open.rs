//! Where a store is, as operators write it.

use crate::{Leadership, PostgresStore, Result, SqliteStore, Store, StoreError};
use std::path::Path;
use std::sync::Arc;

/// An opened store that can also be led.
pub trait LedStore: Store + Leadership {}
impl<T: Store + Leadership> LedStore for T {}

/// Opens `sqlite:PATH` or `postgres://…`, bringing the database to the newest format.
pub fn open(url: &str) -> Result<Arc<dyn Store>> {
    match Address::parse(url)? {
        Address::Sqlite(path) => Ok(Arc::new(SqliteStore::open(path)?)),
        Address::Postgres(url) => Ok(Arc::new(PostgresStore::open(url)?)),
    }
}

/// Like [`open`], for a process that may do the ticks.
pub fn open_to_lead(url: &str) -> Result<Arc<dyn LedStore>> {
    match Address::parse(url)? {
        Address::Sqlite(path) => Ok(Arc::new(SqliteStore::open(path)?)),
        Address::Postgres(url) => Ok(Arc::new(PostgresStore::open(url)?)),
    }
}

#[derive(Debug)]
enum Address<'u> {
    Sqlite(&'u Path),
    Postgres(&'u str),
}

impl<'u> Address<'u> {
    fn parse(url: &'u str) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite:").filter(|p| !p.is_empty()) {
            // Both `sqlite:data/gsi.db` and the URL habit of `sqlite:///var/lib/gsi.db`.
            return Ok(Address::Sqlite(Path::new(path.strip_prefix("//").unwrap_or(path))));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Address::Postgres(url));
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
            assert_eq!(format!("{:?}", Address::parse(url).unwrap()), want);
        }
        for bad in ["", "sqlite:", "mysql://u:secret@h/db", "gsi.db"] {
            let error = Address::parse(bad).unwrap_err().to_string();
            assert!(!error.contains("secret") && error.contains("sqlite:PATH"), "{error}");
        }
    }
}
