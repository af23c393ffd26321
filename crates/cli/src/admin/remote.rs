//! The way to a running server: a file with its address and key, and one HTTP request.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use castellan_server::{AdminKey, AdminReply, AdminRequest};
use serde::Deserialize;

/// How long to wait for a connection, and then for each part of the reply. Deleting an account with
/// many games takes a while.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum size of the file and of a reply, in bytes.
const MAX_FILE_BYTES: u64 = 1024;
const MAX_REPLY_BYTES: u64 = 16 << 20;

/// The file through which `castellan admin` finds a running server. It is removed when this value is
/// dropped.
#[derive(Debug)]
pub(crate) struct AdminFile(PathBuf);

impl AdminFile {
    /// Writes the address and the key of a server that starts, for this user only.
    pub(crate) fn create(
        path: PathBuf,
        listener: SocketAddr,
        key: &AdminKey,
    ) -> io::Result<AdminFile> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut new = path.clone().into_os_string();
        new.push(".new");
        // A server that was killed may have left it.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = options.open(&new)?;
        file.write_all(format!("{}\n{}\n", reachable(listener), key.reveal()).as_bytes())?;
        fs::rename(&new, &path)?;
        Ok(AdminFile(path))
    }
}

impl Drop for AdminFile {
    fn drop(&mut self) {
        // If it stays, it points to a server that does not answer, which counts as none.
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns the address at which this machine reaches a listener.
fn reachable(listener: SocketAddr) -> SocketAddr {
    let ip = match listener.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listener.port())
}

/// Sends a command to the server that wrote a file. Returns `None` if there is no file or no server.
pub(super) fn send(path: &Path, request: &AdminRequest) -> anyhow::Result<Option<AdminReply>> {
    let Some((address, key)) = read(path)? else { return Ok(None) };
    let mut stream = match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
        Ok(stream) => stream,
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot reach the server at {address}"));
        }
    };
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let body = serde_json::to_vec(request)?;
    let head = format!(
        "POST /api/admin HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        key.reveal(),
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat())?;
    let mut reply = Vec::new();
    let context = || format!("the server at {address} did not answer");
    stream.take(MAX_REPLY_BYTES).read_to_end(&mut reply).with_context(context)?;
    parse(&reply, path).map(Some)
}

fn read(path: &Path) -> anyhow::Result<Option<(SocketAddr, AdminKey)>> {
    let context = || format!("cannot read {}", path.display());
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(context),
    };
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).with_context(context)?;
    let mut lines = text.lines();
    let address = lines.next().and_then(|line| line.parse().ok());
    let key = lines.next().and_then(|line| line.parse().ok());
    match (address.zip(key), lines.next()) {
        (Some(found), None) => Ok(Some(found)),
        _ => bail!("{} is not a file of `castellan serve`", path.display()),
    }
}

/// The part of an error that is for people.
#[derive(Deserialize)]
struct Problem {
    code: String,
    message: String,
}

fn parse(reply: &[u8], path: &Path) -> anyhow::Result<AdminReply> {
    let text = String::from_utf8_lossy(reply);
    let (head, body) = text.split_once("\r\n\r\n").context("the reply is not HTTP")?;
    if head.split(' ').nth(1) == Some("200") {
        return serde_json::from_str(body).context("the reply is not from a Castellan server");
    }
    let problem: Problem =
        serde_json::from_str(body).context("the reply is not from a Castellan server")?;
    if problem.code == "forbidden" {
        bail!(
            "the server does not accept the key in {}; it belongs to another server",
            path.display()
        );
    }
    bail!("{}", problem.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_back_and_goes_with_its_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("castellan.admin");
        let key = AdminKey::new().expect("a key");
        let listener = "0.0.0.0:8080".parse().expect("an address");
        let file = AdminFile::create(path.clone(), listener, &key).expect("a file");
        let here = "127.0.0.1:8080".parse().expect("an address");
        assert_eq!(read(&path).expect("it is valid"), Some((here, key.clone())));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("the file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let again = AdminFile::create(path.clone(), listener, &key).expect("it is replaced");
        drop(file);
        drop(again);
        assert_eq!(read(&path).expect("no error"), None);
    }

    #[test]
    fn another_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("castellan.admin");
        let key = AdminKey::new().expect("a key").reveal();
        for text in ["", "x", "127.0.0.1:1\n", &format!("127.0.0.1:1\n{key}\nmore"), &key] {
            fs::write(&path, text).expect("a file");
            assert!(read(&path).is_err(), "{text}");
        }
    }

    #[test]
    fn replies_of_others_are_refused() {
        let path = Path::new("x");
        for reply in ["", "HTTP/1.1 200 OK\r\n\r\n<html>", "HTTP/1.1 500 X\r\n\r\n{}"] {
            assert!(parse(reply.as_bytes(), path).is_err(), "{reply}");
        }
        let refusal = parse(b"HTTP/1.1 404 X\r\n\r\n{\"code\":\"a\",\"message\":\"b\"}", path);
        assert_eq!(refusal.expect_err("an error").to_string(), "b");
    }
}
