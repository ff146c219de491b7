//! TLS from two PEM files, which are read again when they change. Open connections keep the certificate that they began
//! with.

use arc_swap::ArcSwap;
use gsi_model::Timestamp;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_rustls::TlsAcceptor;
use x509_cert::der::Decode;

/// Certificate chain and private key, PEM; read again when either file changes.
#[derive(Clone, Debug)]
pub struct TlsSettings {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{path} cannot be read as PEM: {reason}")]
    File { path: String, reason: String },
    #[error("certificate and key do not work together: {0}")]
    Mismatch(#[from] rustls::Error),
}

/// Checks that a service can start with these files, and returns when its certificate expires.
pub fn check_tls(settings: TlsSettings) -> Result<Timestamp, TlsError> {
    let path = settings.certificate.clone();
    Certificates::load(settings)?;
    let unreadable = |reason: String| TlsError::File { path: path.display().to_string(), reason };
    let leaf = CertificateDer::from_pem_file(&path).map_err(|e| unreadable(e.to_string()))?;
    let leaf = x509_cert::Certificate::from_der(&leaf).map_err(|e| unreadable(e.to_string()))?;
    let ends = leaf.tbs_certificate.validity.not_after.to_unix_duration();
    Ok(Timestamp::from_unix(i64::try_from(ends.as_secs()).unwrap_or(i64::MAX)))
}

/// The name of HTTP/2 in the handshake.
pub const HTTP2: &[u8] = b"h2";

pub struct Certificates {
    settings: TlsSettings,
    config: ArcSwap<ServerConfig>,
}

/// When the two files last changed.
type CertificateStamp = (Option<SystemTime>, Option<SystemTime>);

impl Certificates {
    pub fn load(settings: TlsSettings) -> Result<Arc<Self>, TlsError> {
        let config = read(&settings)?;
        Ok(Arc::new(Certificates { settings, config: ArcSwap::from_pointee(config) }))
    }

    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.load_full())
    }

    fn stamp(&self) -> CertificateStamp {
        let modified = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
        (modified(&self.settings.certificate), modified(&self.settings.key))
    }

    /// Checks the files after each `pause`, and reads them again when they have changed. A pair that does not work
    /// leaves the previous one in use.
    pub async fn watch(self: Arc<Self>, pause: Duration) {
        let mut known = self.stamp();
        loop {
            tokio::time::sleep(pause).await;
            let seen = self.stamp();
            if seen == known {
                continue;
            }
            match self.reload() {
                Ok(()) => {
                    known = seen;
                    tracing::info!("a new certificate is in use");
                }
                Err(error) => {
                    tracing::warn!(%error, "the new certificate cannot be used; the previous one stays")
                }
            }
        }
    }

    pub fn reload(&self) -> Result<(), TlsError> {
        self.config.store(Arc::new(read(&self.settings)?));
        Ok(())
    }
}

fn read(settings: &TlsSettings) -> Result<ServerConfig, TlsError> {
    let file_error =
        |path: &Path, reason: String| TlsError::File { path: path.display().to_string(), reason };
    let chain = CertificateDer::pem_file_iter(&settings.certificate)
        .and_then(|certificates| certificates.collect::<Result<Vec<_>, _>>())
        .map_err(|e| file_error(&settings.certificate, e.to_string()))?;
    let key =
        PrivateKeyDer::from_pem_file(&settings.key).map_err(|e| file_error(&settings.key, e.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
