//! A NATS server of a test's own.

use std::env;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use castellan_testkit::waiting::wait_until;

use crate::certificate::Certificate;

/// The environment variable with the path of the program; by default it is searched for.
const PROGRAM_VARIABLE: &str = "CASTELLAN_NATS_SERVER";

/// A NATS server that only this test uses, and that is killed with it.
pub(crate) struct Nats {
    program: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
    /// The folder in which it writes its port to a file.
    folder: tempfile::TempDir,
    /// Its certificate, if it accepts only encrypted connections.
    certificate: Option<Certificate>,
}

impl Nats {
    /// Starts a server on a free port. Returns `None` if the program is not installed, which is an
    /// error in CI.
    pub(crate) fn start() -> Option<Nats> {
        Nats::start_with(None)
    }

    /// Starts a server that accepts only encrypted connections, with a certificate for `localhost`.
    pub(crate) fn start_with_tls(folder: &Path) -> Option<Nats> {
        Nats::start_with(Some(Certificate::create(folder, &["localhost"])))
    }

    fn start_with(certificate: Option<Certificate>) -> Option<Nats> {
        let Some(program) = program() else {
            let words = "no NATS server was found: run `apt-get install nats-server`, or set \
                         CASTELLAN_NATS_SERVER to the path of the program";
            assert!(env::var_os("CI").is_none(), "{words}");
            eprintln!("\n*** NOT TESTED: {words} ***\n");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut nats = Nats { program, address, child: None, folder, certificate };
        nats.spawn("-1");
        wait_until("the NATS server says where it listens", || {
            nats.address = chosen_address(nats.folder.path()).unwrap_or(address);
            nats.address != address
        });
        nats.listens();
        Some(nats)
    }

    /// Returns the address for `--bus`.
    pub(crate) fn url(&self) -> String {
        match &self.certificate {
            None => format!("nats://castellan:s%40cret%2F@{}", self.address),
            Some(_) => format!("tls://castellan:s%40cret%2F@localhost:{}", self.address.port()),
        }
    }

    /// Returns the file with the authority that signed the certificate.
    pub(crate) fn authority(&self) -> Option<&Path> {
        self.certificate.as_ref().map(|certificate| certificate.authority.as_path())
    }

    fn spawn(&mut self, port: &str) {
        let mut command = Command::new(&self.program);
        command.args(["--user", "castellan", "--pass", "s@cret/"]);
        command.args(["--addr", "127.0.0.1", "--port", port, "--ports_file_dir"]);
        command.arg(self.folder.path());
        if let Some(Certificate { certificate, key, .. }) = &self.certificate {
            command.arg("--tls").arg("--tlscert").arg(certificate).arg("--tlskey").arg(key);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.spawn().expect("the NATS server starts"));
    }

    /// Restarts it on the same port. If another program has the port, waits until it is free.
    pub(crate) fn run(&mut self) {
        let port = self.address.port().to_string();
        self.spawn(&port);
        self.listens();
    }

    fn listens(&mut self) {
        let (address, port) = (self.address, self.address.port().to_string());
        wait_until("the NATS server listens", || {
            let child = self.child.as_mut().expect("it was started");
            if child.try_wait().expect("it can be waited for").is_some() {
                self.spawn(&port);
            }
            TcpStream::connect(address).is_ok()
        });
    }

    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the address from the file that a NATS server writes once it listens.
fn chosen_address(folder: &Path) -> Option<SocketAddr> {
    let file = std::fs::read_dir(folder).ok()?.find_map(Result::ok)?;
    let text = std::fs::read_to_string(file.path()).ok()?;
    // The scheme is `nats` or `tls`.
    let (_, rest) = text.split_once("://")?;
    rest.split_once('"')?.0.parse().ok()
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stop();
    }
}

fn program() -> Option<PathBuf> {
    if let Some(program) = env::var_os(PROGRAM_VARIABLE) {
        return Some(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("nats-server")).find(|program| program.is_file())
}
