//! Makes connections from an address: hosts, timeouts, and encryption if the address requires it.
//!
//! `sslmode=require` and stricter modes have one meaning here: encrypted, and the server's certificate verified against
//! `sslrootcert` (a PEM file) or the system's authorities. Without `sslmode` nothing is encrypted, which is allowed for
//! sockets and the loopback interface; for another machine the address must contain `sslmode=disable`.

use crate::{Result, StoreError};
use postgres::config::{Host, SslMode, TargetSessionAttrs};
use postgres::{Client, Config, NoTls};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres_rustls::MakeRustlsConnect;

/// A server that does not answer within this time counts as down.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// If the server does not acknowledge sent bytes for this long, the network is down.
const UNACKNOWLEDGED: Duration = Duration::from_secs(8);
/// An idle connection is probed after this time, then at the interval; three lost probes end it.
const PROBE_AFTER: Duration = Duration::from_secs(5);
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
const PROBES: u32 = 3;

#[derive(Clone)]
pub struct PostgresConnector {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl PostgresConnector {
    /// A connector to the server that accepts writes. Of several hosts it uses the one that does, and so finds a promoted
    /// standby.
    pub fn to_primary(url: &str) -> Result<Self> {
        let mut connector = Self::parse(url)?;
        if connector.config.get_hosts().len() > 1 {
            connector.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        Ok(connector)
    }

    /// A connector to a server that may be a standby; of several hosts it uses the first that answers.
    pub fn to_any(url: &str) -> Result<Self> {
        Self::parse(url)
    }

    fn parse(url: &str) -> Result<Self> {
        let (plain, ours) = split_tls_options(url);
        // The parser's message may quote the address with its password.
        let mut config: Config = plain
            .parse()
            .map_err(|_| StoreError::Refused("the database address cannot be read".to_owned()))?;
        config.application_name("gsi");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.tcp_user_timeout(UNACKNOWLEDGED);
        config.keepalives_idle(PROBE_AFTER).keepalives_interval(PROBE_INTERVAL).keepalives_retries(PROBES);
        let tls = match ours.mode.as_deref() {
            None if !is_local(&config) => {
                let what = "the database is on another machine: add sslmode=verify-full (or require) to its address, or \
                            sslmode=disable if the network in between is trusted";
                return Err(StoreError::Refused(what.to_owned()));
            }
            None | Some("disable") => {
                config.ssl_mode(SslMode::Disable);
                None
            }
            Some("require" | "verify-ca" | "verify-full") => {
                config.ssl_mode(SslMode::Require);
                Some(MakeRustlsConnect::new(client_config(ours.roots.as_deref())?))
            }
            Some(_) => {
                return Err(StoreError::Refused(
                    "sslmode must be disable, require or verify-full".to_owned(),
                ));
            }
        };
        Ok(PostgresConnector { config, tls })
    }

    pub fn connect(&self) -> Result<Client> {
        Ok(match &self.tls {
            None => self.config.connect(NoTls)?,
            Some(tls) => self.config.connect(tls.clone())?,
        })
    }
}

/// Whether the server is reached by a socket file or over the loopback interface.
fn is_local(config: &Config) -> bool {
    let is_loopback = |name: &str| {
        name.eq_ignore_ascii_case("localhost")
            || name.parse::<IpAddr>().is_ok_and(|a| a.to_canonical().is_loopback())
    };
    let addresses = config.get_hostaddrs();
    match addresses.is_empty() {
        false => addresses.iter().all(|address| address.to_canonical().is_loopback()),
        true => config.get_hosts().iter().all(|host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => is_loopback(name),
        }),
    }
}

#[derive(Default)]
struct TlsOptions {
    mode: Option<String>,
    roots: Option<String>,
}

/// Removes the TLS options from the address, because the driver supports no file of authorities and no stricter modes.
fn split_tls_options(url: &str) -> (String, TlsOptions) {
    let mut ours = TlsOptions::default();
    let Some((address, query)) = url.split_once('?') else { return (url.to_owned(), ours) };
    let mut kept = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", mode)) => ours.mode = Some(mode.to_owned()),
            Some(("sslrootcert", path)) => ours.roots = Some(path.replace("%2F", "/").replace("%2f", "/")),
            _ => kept.push(pair),
        }
    }
    match kept.is_empty() {
        true => (address.to_owned(), ours),
        false => (format!("{address}?{}", kept.join("&")), ours),
    }
}

fn client_config(roots: Option<&str>) -> Result<ClientConfig> {
    let refused = |what: String| StoreError::Refused(what);
    let mut store = RootCertStore::empty();
    match roots {
        Some(path) => {
            let unreadable = |e: rustls::pki_types::pem::Error| refused(format!("sslrootcert {path}: {e}"));
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                store
                    .add(certificate.map_err(unreadable)?)
                    .map_err(|e| refused(format!("sslrootcert {path}: {e}")))?;
            }
        }
        None => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if store.is_empty() {
        return Err(refused("no certificate authority to verify the database".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| refused(e.to_string()))?
        .with_root_certificates(store)
        .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_options_are_taken_out_of_the_address() {
        let check = |url: &str, want: &str, mode: Option<&str>, roots: Option<&str>| {
            let (plain, ours) = split_tls_options(url);
            assert_eq!((plain.as_str(), ours.mode.as_deref(), ours.roots.as_deref()), (want, mode, roots));
        };
        check("postgres://h/db", "postgres://h/db", None, None);
        check("postgres://h/db?sslmode=require", "postgres://h/db", Some("require"), None);
        check(
            "postgres://h/db?connect_timeout=3&sslmode=verify-full&sslrootcert=/etc/ca.pem",
            "postgres://h/db?connect_timeout=3",
            Some("verify-full"),
            Some("/etc/ca.pem"),
        );
    }

    #[test]
    fn what_cannot_be_verified_is_refused() {
        let says =
            |url: &str| PostgresConnector::to_primary(url).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(says("postgres://h/db?sslmode=prefer").contains("sslmode"));
        assert!(says("postgres://h/db?sslmode=require&sslrootcert=/no/such/file").contains("sslrootcert"));
        assert!(says("postgres://u:hunter2@h:notaport/db").contains("cannot be read"));
        for elsewhere in [
            "postgres://db.example/gsi",
            "postgres://localhost,10.0.0.7/gsi",
            "postgres:///gsi?hostaddr=10.0.0.7",
        ] {
            assert!(says(elsewhere).contains("another machine"), "{elsewhere}");
            let joint = if elsewhere.contains('?') { '&' } else { '?' };
            assert_eq!(says(&format!("{elsewhere}{joint}sslmode=disable")), "");
        }
        for here in [
            "postgres://localhost/gsi",
            "postgres://127.0.0.1,[::1]/gsi",
            "postgres:///gsi?host=/run/postgresql",
        ] {
            assert_eq!(says(here), "", "{here}");
        }
    }
}
