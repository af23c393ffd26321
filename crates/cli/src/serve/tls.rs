//! The options for HTTPS.

use anyhow::Context;
use castellan_server::{Tls, TlsFiles};

use super::ServeArgs;

/// Reads the certificate, if there is one.
pub(super) fn load(args: &ServeArgs) -> anyhow::Result<Option<Tls>> {
    let files = match (args.tls_cert.clone(), args.tls_key.clone()) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => TlsFiles { certificate, key },
        (Some(_), None) => anyhow::bail!("--tls-cert needs the key of the certificate: --tls-key"),
        (None, Some(_)) => anyhow::bail!("--tls-key needs a certificate: --tls-cert"),
    };
    if let Some(origin) = args.origin.iter().find(|origin| !origin.is_https()) {
        let origin = origin.as_str();
        anyhow::bail!("with --tls-cert, --origin begins with https://, and {origin} does not");
    }
    Ok(Some(Tls::load(files).context("cannot use --tls-cert and --tls-key")?))
}
