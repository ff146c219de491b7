//! Answers from copies of the publishers' files below a folder, as `HOST/PATH`, the layout of mirroring programs.
//!
//! The query of an address is part of the file's name, after a `?`, as such programs write it.

use super::{Fetched, Request, guard, judge};
use crate::refusal::refuse;
use gsi_model::{PayloadRefusal, RefusalCode};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use url::Url;

pub fn answer(folder: &Path, request: &Request) -> Result<Fetched, PayloadRefusal> {
    let url: Url =
        request.url.parse().map_err(|_| PayloadRefusal::new(RefusalCode::Redirect, "not an address"))?;
    guard::check(&url, request.hosts)?;
    let file = match File::open(folder.join(place(&url)?)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return refuse(RefusalCode::Status404, "the folder has no such file");
        }
        Err(error) => return refuse(RefusalCode::Archive, error.to_string()),
    };
    let mut bytes = Vec::new();
    let read = file.take(request.max_bytes as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| PayloadRefusal::new(RefusalCode::Archive, error.to_string()))?;
    if bytes.len() > request.max_bytes {
        return refuse(RefusalCode::TooLarge, format!("more than {} bytes", request.max_bytes));
    }
    let fetched = Fetched {
        bytes: bytes.into(),
        etag: None,
        last_modified: None,
        modified_at: None,
        fetched_at: request.now,
        not_modified: false,
        partial: false,
    };
    judge(request, fetched)
}

/// Returns the path of the address's file, which is always inside the folder.
fn place(url: &Url) -> Result<PathBuf, PayloadRefusal> {
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let place = PathBuf::from(format!("{}{}{query}", url.host_str().unwrap_or_default(), url.path()));
    if place.components().all(|part| matches!(part, Component::Normal(_))) {
        Ok(place)
    } else {
        refuse(RefusalCode::Redirect, "an address that leads out of the folder")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::Timestamp;

    #[test]
    fn files_by_host_and_path() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("example.org/a")).unwrap();
        std::fs::write(dir.path().join("example.org/a/b.csv"), "Date,Price\n").unwrap();
        std::fs::write(dir.path().join("example.org/a/q?year=2026"), "{}").unwrap();
        std::fs::write(dir.path().join("example.org/a/wall"), "<!doctype html>").unwrap();
        let check = |url: &str, want: &str| {
            let mut request = Request::new("oil", url, &["example.org"], Timestamp::from_unix(0));
            request.max_bytes = 100;
            let said = match answer(dir.path(), &request) {
                Ok(fetched) => String::from_utf8(fetched.bytes.to_vec()).unwrap(),
                Err(refusal) => refusal.code.to_string(),
            };
            assert_eq!(said, want, "{url}");
        };
        check("https://example.org/a/b.csv", "Date,Price\n");
        check("https://example.org/a/q?year=2026", "{}");
        check("https://example.org/a/c.csv", "status_404");
        check("https://example.org/a/wall", "html_wall");
        check("https://example.com/a/b.csv", "redirect");
        check("https://example.org/a/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "status_404");
    }
}
