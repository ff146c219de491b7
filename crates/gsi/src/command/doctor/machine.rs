//! The machine: folders, disk, limits, files of the service, and the address it listens on.

use super::Finding;
use crate::config::Config;
use crate::service::fit_connections;
use gsi_feeds::DiskSpace;
use gsi_model::{Clock, DAY, SystemClock, Timestamp};
use rustix::fs::{Access, access};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

const GIGABYTE: u64 = 1_000_000_000;
/// A few months of news need this space.
const DOUBTFUL_FREE_BYTES: u64 = 5 * GIGABYTE;
const LEAST_FREE_BYTES: u64 = GIGABYTE;
/// Automatic renewal happens a month before the end.
const CERTIFICATE_DAYS_LEFT: i64 = 20;
/// Time for a program on this machine to answer.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(2);

pub fn findings(config: &Config) -> Vec<Finding> {
    let mut findings = vec![data_folder(&config.data)];
    findings.extend(free_space(&config.data));
    findings.push(open_files(config.http.max_connections));
    findings.extend(operator_key(config));
    findings.extend(certificates(config));
    findings.extend(request_log(config));
    findings.push(address(config));
    findings
}

fn data_folder(folder: &Path) -> Finding {
    const WHAT: &str = "data folder";
    let shown = folder.display();
    let metadata = match std::fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let parent =
                folder.ancestors().skip(1).find(|parent| parent.as_os_str().is_empty() || parent.exists());
            let parent = parent.filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            return match access(parent, Access::WRITE_OK | Access::EXEC_OK) {
                Ok(()) => Finding::sound(WHAT, format!("{shown} does not exist yet; `gsi serve` creates it")),
                Err(_) => {
                    let fix = format!(
                        "create it for the user that runs gsi, or name another one with --data: {shown}"
                    );
                    Finding::bad(WHAT, format!("{shown} does not exist and cannot be created"), fix)
                }
            };
        }
        Err(error) => {
            return Finding::bad(
                WHAT,
                format!("{shown}: {error}"),
                "let the user that runs gsi read and write it",
            );
        }
    };
    if !metadata.is_dir() {
        return Finding::bad(WHAT, format!("{shown} is not a folder"), "name a folder with --data");
    }
    if access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let fix = format!("chown it to the user that runs gsi: chown -R gsi {shown}");
        return Finding::bad(WHAT, format!("cannot write into {shown}"), fix);
    }
    if metadata.permissions().mode() & 0o007 != 0 {
        let fix = format!("chmod o= {shown}");
        return Finding::doubtful(WHAT, format!("every user of this machine can open {shown}"), fix);
    }
    Finding::sound(WHAT, shown.to_string())
}

fn free_space(folder: &Path) -> Option<Finding> {
    const WHAT: &str = "disk";
    let free = DiskSpace::of(folder).ok()?.free;
    let found = format!("{:.1} GB free", free as f64 / GIGABYTE as f64);
    let fix =
        "free space, keep less with [retention] and `gsi store prune`, or move the data folder (--data)";
    Some(match free {
        0..LEAST_FREE_BYTES => Finding::bad(WHAT, found, fix),
        LEAST_FREE_BYTES..DOUBTFUL_FREE_BYTES => Finding::doubtful(WHAT, found, fix),
        _ => Finding::sound(WHAT, found),
    })
}

fn open_files(max_connections: usize) -> Finding {
    const WHAT: &str = "open files";
    let fitting = fit_connections(max_connections);
    if fitting < max_connections {
        let fix = "raise the limit (LimitNOFILE= in the unit, ulimit -n), or lower http.max_connections";
        let found = format!("the limit allows {fitting} of {max_connections} connections");
        return Finding::doubtful(WHAT, found, fix);
    }
    Finding::sound(WHAT, format!("enough for {max_connections} connections"))
}

fn operator_key(config: &Config) -> Option<Finding> {
    const WHAT: &str = "operator's key";
    match config.operator_key() {
        Err(error) => {
            let fix =
                "put at least 16 visible characters into api_key_file, readable for the user that runs gsi";
            Some(Finding::bad(WHAT, error.to_string(), fix))
        }
        Ok(None) => None,
        Ok(Some(_)) if config.api_key_file.is_empty() => {
            Some(Finding::sound(WHAT, "set in the configuration"))
        }
        Ok(Some(_)) => Some(secret_file(WHAT, &config.api_key_file)),
    }
}

/// Checks a file that only the service's user should be able to read.
fn secret_file(what: &'static str, path: &str) -> Finding {
    exposed(what, Path::new(path)).unwrap_or_else(|| Finding::sound(what, path))
}

/// Returns a warning about a file that every user of this machine can read.
pub fn exposed(what: &'static str, path: &Path) -> Option<Finding> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    let shown = path.display();
    (mode & 0o007 != 0).then(|| {
        let found = format!("every user of this machine can read {shown}");
        Finding::doubtful(what, found, format!("chmod o= {shown}"))
    })
}

fn certificates(config: &Config) -> Vec<Finding> {
    const WHAT: &str = "certificate";
    let (certificate, key) = (&config.tls.certificate, &config.tls.private_key);
    if certificate.is_empty() && key.is_empty() {
        return Vec::new();
    }
    let settings = gsi_api::TlsSettings { certificate: certificate.into(), key: key.into() };
    match gsi_api::check_tls(settings) {
        Err(error) => {
            let fix = "name a certificate and its key as PEM files that the user that runs gsi can read";
            vec![Finding::bad(WHAT, error.to_string(), fix)]
        }
        Ok(ends) => vec![term(WHAT, certificate, ends), secret_file("private key", key)],
    }
}

/// Checks when a certificate ends. The service reads the files again when they change, so a renewal needs no restart.
fn term(what: &'static str, path: &str, ends: Timestamp) -> Finding {
    const RENEW: &str = "renew it; the service reads the new files without a restart";
    match ends.since(SystemClock.now()).div_euclid(DAY) {
        ..0 => Finding::bad(what, format!("{path} ended on {}", ends.day()), RENEW),
        days @ ..CERTIFICATE_DAYS_LEFT => {
            Finding::doubtful(what, format!("{path} ends on {}, in {days} days", ends.day()), RENEW)
        }
        _ => Finding::sound(what, format!("{path}, until {}", ends.day())),
    }
}

fn request_log(config: &Config) -> Option<Finding> {
    const WHAT: &str = "request log";
    let path = Some(Path::new(&config.log.requests))
        .filter(|path| path.is_absolute() || path.components().count() > 1)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    let target = if path.exists() { path } else { folder };
    Some(match access(target, Access::WRITE_OK) {
        Ok(()) => exposed(WHAT, path).unwrap_or_else(|| Finding::sound(WHAT, path.display().to_string())),
        Err(error) => {
            let fix = format!(
                "create {} for the user that runs gsi, or name another file in log.requests",
                folder.display()
            );
            Finding::bad(WHAT, format!("cannot write {}: {error}", target.display()), fix)
        }
    })
}

fn address(config: &Config) -> Finding {
    const WHAT: &str = "address";
    let listen = &config.listen;
    match std::net::TcpListener::bind(listen) {
        Ok(_) => Finding::sound(WHAT, format!("{listen} is free")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            match is_this_service(listen, config) {
                true => Finding::sound(WHAT, format!("the service answers on {listen}")),
                false => {
                    let fix = "stop that program, or use another address with --listen";
                    Finding::bad(WHAT, format!("another program uses {listen}"), fix)
                }
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            let fix = "ports below 1024 need CAP_NET_BIND_SERVICE: use the unit in deploy/systemd, or a higher port";
            Finding::bad(WHAT, format!("{listen}: {error}"), fix)
        }
        Err(error) => {
            Finding::bad(WHAT, format!("{listen}: {error}"), "name an address of this machine with --listen")
        }
    }
}

/// Whether this service answers on the address. Over TLS it sends no request and assumes so.
fn is_this_service(listen: &str, config: &Config) -> bool {
    if !config.tls.certificate.is_empty() {
        return true;
    }
    let asked = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(listen)?;
        stream.set_read_timeout(Some(LOCAL_TIMEOUT))?;
        stream.write_all(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.take(200_000).read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    asked().is_ok_and(|answer| answer.contains("/v1/global-stability"))
}
