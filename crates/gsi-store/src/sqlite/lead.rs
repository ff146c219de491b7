//! The lead of a local file: a lock on a file beside it, which the operating system frees when the process ends.

use super::{DatabasePlace, Writer};
use crate::leadership::Lease;
use crate::{Result, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::fs::{File, TryLockError};
use std::path::Path;

#[derive(Default)]
pub struct SqliteLead {
    lock: Option<LeaderLock>,
    lease: Option<Lease>,
}

impl SqliteLead {
    pub fn take_or_keep(&mut self, place: &DatabasePlace, writer: &mut Writer) -> Result<Option<Lease>> {
        if self.lease.is_some() {
            return Ok(self.lease);
        }
        let lock = match place {
            DatabasePlace::File(path) => match lock_beside(path)? {
                None => return Ok(None),
                taken => taken,
            },
            _ => None,
        };
        let number = next_number(&mut writer.conn)?;
        // Kept only now: a lock without a number, as on a full disk, would keep this process itself from trying again.
        self.lock = lock;
        writer.fence = Some(number);
        self.lease = Some(Lease { number });
        Ok(self.lease)
    }

    /// The writer keeps its number: should another lead meanwhile, it is an old one.
    pub fn resign(&mut self) {
        *self = SqliteLead::default();
    }
}

/// The lock of whoever leads, given up when it is dropped. To close the file is not enough: a child that is just being started
/// has it open too, for a moment.
pub struct LeaderLock(File);

impl Drop for LeaderLock {
    fn drop(&mut self) {
        // Closing it is what is left where this fails.
        let _ = self.0.unlock();
    }
}

/// The lock of whoever leads on this file; `None` while another process has it.
fn lock_beside(path: &Path) -> Result<Option<LeaderLock>> {
    let mut name = path.as_os_str().to_owned();
    name.push(".leader");
    let failed = |e: std::io::Error| StoreError::Unavailable(format!("the leader's lock file: {e}"));
    let file = File::options().create(true).truncate(false).write(true).open(name).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(LeaderLock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(e)) => Err(failed(e)),
    }
}

/// Keeps others from leading until it is dropped; refused while one does.
pub fn refuse_beside_leader(place: &DatabasePlace) -> Result<Option<LeaderLock>> {
    let DatabasePlace::File(path) = place else { return Ok(None) };
    match lock_beside(path)? {
        Some(lock) => Ok(Some(lock)),
        None => Err(StoreError::Refused(
            "a service of an earlier release is working on this store; stop it before the store is upgraded"
                .to_owned(),
        )),
    }
}

fn next_number(conn: &mut Connection) -> Result<i64> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = tx.query_row(
        "UPDATE counter SET value = value + 1 WHERE name = 'leader' RETURNING value",
        [],
        |row| row.get(0),
    )?;
    tx.commit()?;
    Ok(number)
}

/// Inside a write transaction: refuses when another has led since.
pub fn check(conn: &Connection, held: Option<i64>) -> Result<()> {
    let Some(held) = held else { return Ok(()) };
    let current: i64 = conn
        .prepare_cached("SELECT value FROM counter WHERE name = 'leader'")?
        .query_row([], |row| row.get(0))?;
    match held == current {
        true => Ok(()),
        false => {
            Err(StoreError::Fenced(format!("this process led as number {held}, now number {current} does")))
        }
    }
}
