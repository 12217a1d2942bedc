//! Converts SQLite's errors to those of the interface.

use regrasp_api::StoreError;
use rusqlite::{Error, ErrorCode};

/// Converts an error of the store at `path`.
pub(crate) fn at(path: &str) -> impl Fn(Error) -> StoreError + '_ {
    move |error| {
        let path = path.to_owned();
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { path }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(
                ErrorCode::NotADatabase
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied,
            ) => StoreError::Unusable { path, detail },
            Some(_) => StoreError::Other { path, detail },
            None if is_content(&error) => StoreError::Unusable { path, detail },
            None => StoreError::Other { path, detail },
        }
    }
}

/// Returns true if a value in the file has another type than this crate writes.
fn is_content(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
    )
}
