//! A server whose machine loses power while it holds the lock on its PostgreSQL database.
//!
//! Nobody tells the database: no packet of the dead machine arrives any more. For this the database
//! and the server have a network of their own, which is switched off. The next server reaches the
//! database through its Unix socket.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use castellan_testkit::online::{Process, ProcessError};
use castellan_testkit::waiting::{LIMIT, wait_until};

use crate::crash::cluster::Cluster;

/// A network namespace with a loopback interface. It lasts as long as the process that holds it.
struct Network {
    holder: Child,
}

impl Network {
    /// Returns `None` if the tests may not create one, as only root may.
    fn create() -> Option<Network> {
        let mut unshare = Command::new("unshare");
        unshare.args(["--net", "sleep", "infinity"]);
        let holder = unshare.stdin(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        let mut network = Network { holder };
        let own = std::fs::read_link("/proc/self/ns/net").ok()?;
        wait_until("the network exists or is refused", || {
            network.has_ended() || std::fs::read_link(network.path()).is_ok_and(|it| it != own)
        });
        (!network.has_ended() && network.switch("up")).then_some(network)
    }

    fn has_ended(&mut self) -> bool {
        self.holder.try_wait().expect("it is our child").is_some()
    }

    fn path(&self) -> PathBuf {
        format!("/proc/{}/ns/net", self.holder.id()).into()
    }

    /// Returns a command that runs a program in this network.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.path().display())).arg(program);
        command
    }

    /// Switches the interface `up` or `down`, and returns `true` if that worked.
    fn switch(&self, state: &str) -> bool {
        let mut ip = self.command(Path::new("ip"));
        ip.args(["link", "set", "lo", state]).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lock_of_a_server_that_lost_power_is_free_soon() {
    let Some(network) = Network::create() else {
        eprintln!("\n*** NOT TESTED: only root may create networks ***\n");
        return;
    };
    let Some(cluster) = Cluster::start_in(Some(network.path())).await else { return };
    let socket = cluster.create_schema("power_loss").await;
    let port = cluster.port();
    let tcp =
        format!("postgres://castellan@127.0.0.1:{port}/postgres?options[search_path]=power_loss");
    let program = Path::new(env!("CARGO_BIN_EXE_castellan"));
    let serve = |mut command: Command, database: &str| {
        command.args(["serve", "--listen", "127.0.0.1:0", "--database", database]);
        Process::start(&mut command)
    };
    let dead = serve(network.command(program), &tcp).expect("the first server starts");
    let refused = serve(Command::new(program), &socket).err().expect("the database is in use");
    assert!(refused.to_string().contains("another Castellan server"), "{refused}");

    assert!(network.switch("down"));
    let lost = Instant::now();
    // A supervisor would start the second server again and again. Without keepalive, the database
    // would notice after two hours.
    let next = loop {
        match serve(Command::new(program), &socket) {
            Ok(next) => break next,
            Err(error @ ProcessError::Silent(_)) => {
                assert!(error.to_string().contains("another Castellan server"), "{error}");
                assert!(lost.elapsed() < LIMIT, "the lock is still held: {error}");
            }
            Err(error) => panic!("{error}"),
        }
    };
    println!("another server could start after {:?}", lost.elapsed());
    next.stop().expect("it stops gracefully");
    dead.kill().expect("it is our process");
}
