//! Converts the server's errors. Only the one-line message is kept, because details may quote values.

use crate::StoreError;
use postgres::error::SqlState;

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        let Some(answer) = error.as_db_error() else {
            // Not an error of the server: the connection broke, or a value does not fit its column.
            return match error.is_closed() || is_io(&error) {
                true => StoreError::Unavailable(error.to_string()),
                false => StoreError::Refused(error.to_string()),
            };
        };
        let text = answer.message().to_owned();
        let class = answer.code().code().get(..2).unwrap_or("");
        match (answer.code(), class) {
            (&SqlState::DISK_FULL, _) => StoreError::Full(text),
            (&SqlState::QUERY_CANCELED, _) => StoreError::Overloaded("the read took too long".to_owned()),
            // Violated unique keys, foreign keys and checks.
            (_, "23") => StoreError::Conflict(text),
            // Connections, resources, a server that shuts down, a lock or a standby that is not available.
            (_, "08" | "53" | "57" | "55" | "25" | "40") => StoreError::Unavailable(text),
            (_, "58" | "XX") => StoreError::Corrupt(text),
            _ => StoreError::Refused(text),
        }
    }
}

fn is_io(error: &postgres::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.is::<std::io::Error>() {
            return true;
        }
        cause = inner.source();
    }
    false
}
