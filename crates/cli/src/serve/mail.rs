//! The options for e-mail.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use castellan_server::{MailConfig, SmtpAddress};

use super::ServeArgs;

/// Largest password file that is read, in bytes.
const MAX_PASSWORD_BYTES: u64 = 1024;

/// Returns how mail is sent, if it is.
pub(super) fn config(args: &ServeArgs) -> anyhow::Result<Option<MailConfig>> {
    // The parser of the command line would repeat a wrong address, with the password in it.
    let server = args.smtp.as_deref().map(str::parse::<SmtpAddress>).transpose();
    let server = server.context("the value of --smtp is not valid")?;
    let (server, from) = match (server, args.mail_from.clone()) {
        (None, None) if args.smtp_password_file.is_none() => return Ok(None),
        (Some(server), Some(from)) => (server, from),
        (Some(_), None) => anyhow::bail!("--smtp needs the sender of mail: --mail-from"),
        (None, _) => anyhow::bail!("to send mail, specify the mail server with --smtp"),
    };
    let server = match &args.smtp_password_file {
        None => server,
        Some(path) => {
            let password = read_password(path)
                .with_context(|| format!("cannot read the password in {}", path.display()))?;
            server.with_password(password).context(
                "--smtp-password-file needs a user without a password: --smtp smtps://USER@HOST",
            )?
        }
    };
    Ok(Some(MailConfig::new(&server, from)?))
}

/// Reads the only line of a file.
fn read_password(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_PASSWORD_BYTES).read_to_string(&mut text)?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() || text.contains('\n') {
        anyhow::bail!("expected one line");
    }
    Ok(text.to_owned())
}
