//! TLS with a certificate and a key from files.
//!
//! This module reads the files, reads them again when they change, and decides whether a new
//! connection uses TLS. Limits on the time and the number of connections are in `listener`.
//!
//! Invariant: there is always a certificate to use. New files that cannot be used leave the old
//! one in place.

use core::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{Error as RustlsError, InconsistentKeys, ServerConfig};
use tokio_rustls::server::TlsStream;

/// Maximum size of a file with certificates or a key, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The only protocol that is spoken over TLS.
const HTTP_1_1: &[u8] = b"http/1.1";

/// The first byte of every TLS connection: a record with a part of the handshake.
const HANDSHAKE_RECORD: u8 = 0x16;

/// Files with a certificate and its private key, both in PEM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The certificate of the server, followed by the intermediate certificates.
    pub certificate: PathBuf,
    /// The private key of the first certificate, without a passphrase.
    pub key: PathBuf,
}

/// The server's end of TLS connections.
#[derive(Clone)]
pub struct Tls(Arc<TlsState>);

struct TlsState {
    files: TlsFiles,
    /// The files as they were when they were last read, successfully or not.
    seen: Mutex<FileStamps>,
    current: Arc<CurrentCertificate>,
    acceptor: TlsAcceptor,
}

/// The certificate for new connections.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {why}", .path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file system.
        why: io::Error,
    },
    /// A file is too large for a certificate or a key.
    #[error("{} is larger than {MAX_FILE_BYTES} bytes and cannot be a certificate or a key", .0.display())]
    TooLarge(PathBuf),
    /// A file contains damaged PEM.
    #[error("{} is damaged: {why}", .path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// What the PEM parser rejects.
        why: String,
    },
    /// A file contains no certificate.
    #[error("{} contains no certificate; it should have a line with BEGIN CERTIFICATE", .0.display())]
    NoCertificate(PathBuf),
    /// A file contains no private key.
    #[error("{} contains no private key; it should have a line with BEGIN PRIVATE KEY", .0.display())]
    NoKey(PathBuf),
    /// The key needs a passphrase, which the server cannot ask for.
    #[error(
        "the key in {path} is encrypted; write it without a passphrase with: \
         openssl pkey -in {path} -out NEW_FILE",
        path = .0.display()
    )]
    EncryptedKey(PathBuf),
    /// The key is of a kind that is not supported.
    #[error("the key in {} cannot be used: {why}", .path.display())]
    UnusableKey {
        /// The path of the file.
        path: PathBuf,
        /// What the TLS library rejects.
        why: RustlsError,
    },
    /// The certificate is not valid.
    #[error("the certificate in {} cannot be used: {why}", .path.display())]
    UnusableCertificate {
        /// The path of the file.
        path: PathBuf,
        /// What the TLS library rejects.
        why: RustlsError,
    },
    /// The key belongs to another certificate.
    #[error(
        "the key in {} does not match the first certificate in {}",
        .0.key.display(), .0.certificate.display()
    )]
    KeyMismatch(TlsFiles),
    /// TLS itself cannot be set up.
    #[error("cannot set up TLS: {0}")]
    Setup(RustlsError),
}

/// A new connection, once its first byte is known.
pub(crate) enum Opened {
    /// The handshake is complete.
    Encrypted(Box<TlsStream<TcpStream>>),
    /// The client speaks plain HTTP.
    Plain(TcpStream),
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or if the certificate and the key cannot be used.
    pub fn load(files: TlsFiles) -> Result<Tls, TlsError> {
        let provider = ring::default_provider();
        let seen = Mutex::new(FileStamps::of(&files));
        let first = read_files(&files, &provider)?;
        let current = Arc::new(CurrentCertificate(RwLock::new(Arc::new(first))));
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![HTTP_1_1.to_vec()];
        // Clients that come back, such as all of them after an outage, skip the expensive part.
        config.ticketer = ring::Ticketer::new().map_err(TlsError::Setup)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Tls(Arc::new(TlsState { files, seen, current, acceptor })))
    }

    /// Reads the files again if they have changed since they were last read. Returns `None` if they
    /// have not. If it fails, the certificate stays as it is.
    pub(crate) fn reload(&self) -> Option<Result<(), TlsError>> {
        let Tls(state) = self;
        let mut seen = state.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // The stamps are older than what is read, so a change in between leads to another reload.
        let stamps = FileStamps::of(&state.files);
        if stamps == *seen {
            return None;
        }
        *seen = stamps;
        Some(read_files(&state.files, &ring::default_provider()).map(|new| {
            let mut current = state.current.0.write().unwrap_or_else(PoisonError::into_inner);
            *current = Arc::new(new);
        }))
    }

    /// Performs the handshake, unless the client speaks plain HTTP. The caller limits the time.
    ///
    /// # Errors
    /// Fails if the client disconnects or the handshake fails.
    pub(crate) async fn open(&self, stream: TcpStream) -> io::Result<Opened> {
        let mut first = [0];
        match stream.peek(&mut first).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ if first != [HANDSHAKE_RECORD] && first[0].is_ascii_alphabetic() => {
                return Ok(Opened::Plain(stream));
            }
            _ => {}
        }
        Ok(Opened::Encrypted(Box::new(self.0.acceptor.accept(stream).await?)))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.0.files).finish_non_exhaustive()
    }
}

/// The modification time and the size of each file, which reveal whether it has changed; `None` if
/// it cannot be read.
#[derive(PartialEq, Eq, Debug)]
struct FileStamps([Option<(SystemTime, u64)>; 2]);

impl FileStamps {
    fn of(files: &TlsFiles) -> FileStamps {
        let stamp = |path: &Path| {
            let metadata = fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        FileStamps([stamp(&files.certificate), stamp(&files.key)])
    }
}

fn read_files(files: &TlsFiles, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let chain = read_certificates(&files.certificate)?;
    let key = read_key(&files.key)?;
    let key = provider.key_provider.load_private_key(key);
    let key = key.map_err(|why| TlsError::UnusableKey { path: files.key.clone(), why })?;
    let certified = CertifiedKey::new(chain, key);
    match certified.keys_match() {
        // Keys of every kind that we support know their public half.
        Ok(()) | Err(RustlsError::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(certified),
        Err(RustlsError::InconsistentKeys(_)) => Err(TlsError::KeyMismatch(files.clone())),
        Err(why) => Err(TlsError::UnusableCertificate { path: files.certificate.clone(), why }),
    }
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read_file(path)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match chain {
        Ok(chain) if chain.is_empty() => Err(TlsError::NoCertificate(path.to_owned())),
        Ok(chain) => Ok(chain),
        Err(error) => Err(damaged(path, &error)),
    }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes);
    // The second form is the older one, in which a header says so.
    if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("4,ENCRYPTED") {
        return Err(TlsError::EncryptedKey(path.to_owned()));
    }
    match PrivateKeyDer::from_pem_slice(&bytes) {
        Ok(key) => Ok(key),
        Err(pem::Error::NoItemsFound) => Err(TlsError::NoKey(path.to_owned())),
        Err(error) => Err(damaged(path, &error)),
    }
}

fn damaged(path: &Path, error: &pem::Error) -> TlsError {
    TlsError::Damaged { path: path.to_owned(), why: error.to_string() }
}

fn read_file(path: &Path) -> Result<Vec<u8>, TlsError> {
    let unreadable = |why| TlsError::Unreadable { path: path.to_owned(), why };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(TlsError::TooLarge(path.to_owned()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a new certificate and its key, or only one of them.
    fn write(files: &TlsFiles, has_certificate: bool, has_key: bool) {
        let new = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        if has_certificate {
            fs::write(&files.certificate, new.cert.pem()).unwrap();
        }
        if has_key {
            fs::write(&files.key, new.signing_key.serialize_pem()).unwrap();
        }
    }

    fn files(folder: &Path) -> TlsFiles {
        let files = TlsFiles { certificate: folder.join("cert.pem"), key: folder.join("key.pem") };
        write(&files, true, true);
        files
    }

    fn serial(tls: &Tls) -> Vec<u8> {
        tls.0.current.0.read().unwrap().cert[0].to_vec()
    }

    /// Marks a file as changed even if the clock of the file system has not advanced.
    fn touch(path: &Path) {
        let later = SystemTime::now() + core::time::Duration::from_secs(60);
        File::options().append(true).open(path).unwrap().set_modified(later).unwrap();
    }

    #[test]
    fn a_certificate_is_reloaded_when_its_files_change() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let tls = Tls::load(files.clone()).unwrap();
        let first = serial(&tls);
        assert!(tls.reload().is_none(), "nothing has changed");
        write(&files, true, false);
        touch(&files.certificate);
        let refused = tls.reload().unwrap().unwrap_err();
        assert!(matches!(refused, TlsError::KeyMismatch(_)), "{refused}");
        assert!(tls.reload().is_none(), "it was told once");
        assert_eq!(serial(&tls), first, "the old one stays");
        fs::remove_file(&files.key).unwrap();
        assert!(matches!(tls.reload(), Some(Err(TlsError::Unreadable { .. }))));
        write(&files, true, true);
        tls.reload().unwrap().unwrap();
        assert_ne!(serial(&tls), first);
    }

    #[track_caller]
    fn check(change: impl FnOnce(&TlsFiles), expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        change(&files);
        let error = Tls::load(files).expect_err("the files are wrong").to_string();
        let error = error.replace(&format!("{}/", folder.path().display()), "");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_the_reason() {
        let replace = |name: &str, text: &str| {
            let (name, text) = (name.to_owned(), text.to_owned());
            move |files: &TlsFiles| {
                fs::write(files.certificate.with_file_name(name), text).unwrap();
            }
        };
        check(|files| fs::remove_file(&files.certificate).unwrap(), "cannot read cert.pem: ");
        check(|files| fs::remove_file(&files.key).unwrap(), "cannot read key.pem: ");
        check(replace("cert.pem", ""), "cert.pem contains no certificate");
        check(replace("key.pem", "hello"), "key.pem contains no private key");
        check(
            |files| assert!(fs::copy(&files.key, &files.certificate).unwrap() > 0),
            "cert.pem contains no certificate",
        );
        let broken = "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n";
        check(replace("cert.pem", broken), "cert.pem is damaged");
        let empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        check(replace("cert.pem", empty), "the certificate in cert.pem cannot be used");
        let empty = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
        check(replace("key.pem", empty), "the key in key.pem cannot be used");
        let encrypted =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
        check(replace("key.pem", encrypted), "the key in key.pem is encrypted");
        let older = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n";
        check(replace("key.pem", older), "the key in key.pem is encrypted");
        check(
            |files| write(files, false, true),
            "the key in key.pem does not match the first certificate in cert.pem",
        );
        check(
            |files| fs::write(&files.key, " ".repeat(1 << 21)).unwrap(),
            "key.pem is larger than 1048576 bytes",
        );
    }
}
