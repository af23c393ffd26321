//! A certificate authority of a test's own, for servers that the program connects to.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// Files with a certificate for some names, its key, and the authority that signed it.
pub(crate) struct Certificate {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
    /// For `SSL_CERT_FILE`, which makes the program trust the authority.
    pub(crate) authority: PathBuf,
}

impl Certificate {
    /// Creates a new authority, and lets it sign a certificate for these names and addresses.
    pub(crate) fn create(folder: &Path, names: &[&str]) -> Certificate {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "Authority of a test");
        let authority =
            CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key"))
                .expect("an authority");
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(names).expect("names");
        let certificate = params.signed_by(&key, &authority).expect("a certificate");
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            fs::write(&path, text).expect("a file");
            path
        };
        Certificate {
            certificate: write("cert.pem", certificate.pem()),
            key: write("key.pem", key.serialize_pem()),
            authority: write("authority.pem", authority.pem()),
        }
    }
}
