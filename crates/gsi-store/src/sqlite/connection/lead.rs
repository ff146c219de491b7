//! The lead of a local file: a lock on a separate file, which the operating system releases when the process ends.

use crate::interface::leadership::Lease;
use crate::sqlite::{DatabasePlace, Writer};
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
            DatabasePlace::File(path) => match try_lock_of(path)? {
                None => return Ok(None),
                taken => taken,
            },
            _ => None,
        };
        let number = next_number(&mut writer.conn)?;
        // Stored only now: a lock without a number, as on a full disk, would stop this process from trying again.
        self.lock = lock;
        writer.fence = Some(number);
        self.lease = Some(Lease { number });
        Ok(self.lease)
    }

    /// Gives up the lead. The writer keeps its number, which is outdated if another process leads meanwhile.
    pub fn resign(&mut self) {
        *self = SqliteLead::default();
    }
}

/// The leader's lock. Dropping it unlocks the file: closing is not enough, because a child process that is starting briefly
/// has the file open too.
pub struct LeaderLock(File);

impl Drop for LeaderLock {
    fn drop(&mut self) {
        // If this fails, closing the file still releases the lock.
        let _ = self.0.unlock();
    }
}

/// Takes the leader's lock of this file; `None` while another process has it.
fn try_lock_of(path: &Path) -> Result<Option<LeaderLock>> {
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

/// Prevents other processes from leading until the lock is dropped. Fails while one leads.
pub fn lock_out_leaders(place: &DatabasePlace) -> Result<Option<LeaderLock>> {
    let DatabasePlace::File(path) = place else { return Ok(None) };
    match try_lock_of(path)? {
        Some(lock) => Ok(Some(lock)),
        None => Err(StoreError::Refused(
            "a service of an earlier release uses this store; stop it before the store is upgraded"
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

/// Fails if another process has led since `held`. Runs inside a write transaction.
pub fn check(conn: &Connection, held: Option<i64>) -> Result<()> {
    let Some(held) = held else { return Ok(()) };
    let current: i64 = conn
        .prepare_cached("SELECT value FROM counter WHERE name = 'leader'")?
        .query_row([], |row| row.get(0))?;
    match held == current {
        true => Ok(()),
        false => Err(StoreError::Fenced(format!(
            "this process led with number {held}, and number {current} leads now"
        ))),
    }
}
