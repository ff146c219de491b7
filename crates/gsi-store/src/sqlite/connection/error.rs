//! Converts SQLite's errors. Statements' texts never get into a message.

use crate::StoreError;
use rusqlite::ErrorCode;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        match error {
            E::SqliteFailure(cause, message) => classify(cause, message),
            E::SqlInputError { error, msg, .. } => classify(error, Some(msg)),
            E::FromSqlConversionFailure(column, ..)
            | E::IntegralValueOutOfRange(column, _)
            | E::InvalidColumnType(column, ..) => StoreError::Corrupt(format!("column {column} of a row")),
            E::Utf8Error(..) => StoreError::Corrupt("text that is not UTF-8".to_owned()),
            E::QueryReturnedNoRows => StoreError::Corrupt("a row that must exist is missing".to_owned()),
            _ => StoreError::Refused("a statement does not fit the database".to_owned()),
        }
    }
}

fn classify(cause: rusqlite::ffi::Error, message: Option<String>) -> StoreError {
    let text = message.unwrap_or_else(|| cause.to_string());
    match cause.code {
        ErrorCode::ConstraintViolation => StoreError::Conflict(text),
        ErrorCode::OperationInterrupted => StoreError::Overloaded("the read took too long".to_owned()),
        ErrorCode::DiskFull => StoreError::Full(text),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Corrupt(text),
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::CannotOpen
        | ErrorCode::SystemIoFailure
        | ErrorCode::FileLockingProtocolFailed
        | ErrorCode::OutOfMemory => StoreError::Unavailable(text),
        _ => StoreError::Refused(text),
    }
}

/// Names the row that violates a constraint. Other errors keep their meaning.
pub fn conflict_on(error: rusqlite::Error, what: impl FnOnce() -> String) -> StoreError {
    match StoreError::from(error) {
        StoreError::Conflict(_) => StoreError::Conflict(what()),
        other => other,
    }
}
