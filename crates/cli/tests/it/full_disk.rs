//! A server whose disk is full: it says so, loses nothing, and goes on when there is space again.
//!
//! The disk is a small one in memory that only the server sees; the test reaches it through `/proc`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use castellan_protocol::ServerMessage;
use castellan_testkit::online::{Client, ClientError, OnlineGame, lasting_move};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::waiting::wait_until;

use crate::serve::Server;
use crate::shell::binary;

/// Mounts a disk of 4 MB on the first argument, and then becomes the program that follows.
const SCRIPT: &str = "mount -t tmpfs -o size=4m,mode=700 castellan \"$1\" && shift && exec \"$@\"";

/// Runs a program with a small disk.
fn on_small_disk(folder: &Path, program: &Command) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]).arg(folder);
    command.arg(program.get_program()).args(program.get_args());
    command
}

/// The small disk of a process, as seen from outside.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn of(process: u32, folder: &Path) -> SmallDisk {
        let inside = folder.strip_prefix("/").expect("the path is absolute");
        SmallDisk(Path::new("/proc").join(process.to_string()).join("root").join(inside))
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    /// Writes until nothing more can be written.
    fn fill(&self) {
        let mut filler = File::create(self.filler()).expect("a file");
        for size in [1 << 16, 1 << 12, 1] {
            while filler.write_all(&vec![0; size]).is_ok() {}
        }
    }

    fn free(&self) {
        fs::remove_file(self.filler()).expect("it was written");
    }
}

/// Waits for the refusal of the move that was just sent; `None` if it was accepted.
async fn refusal(mover: &mut Client) -> Result<Option<String>, ClientError> {
    loop {
        match mover.receive().await? {
            ServerMessage::Refused(refused) => return Ok(Some(refused.message)),
            ServerMessage::Event(event)
                if matches!(event.event, castellan_game::Event::Moved { .. }) =>
            {
                return Ok(None);
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_reported_and_games_go_on_when_there_is_space() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it exists");
    let trial = on_small_disk(&folder, &Command::new("true")).output();
    if !trial.is_ok_and(|trial| trial.status.success()) {
        eprintln!("\n*** NOT TESTED: this user may not mount a disk of their own ***\n");
        return;
    }
    let data = folder.to_str().expect("a plain name");
    let serve =
        binary(&["serve", "--listen", "127.0.0.1:0", "--data", data, "--unlimited", "127.0.0.1"]);
    let mut command = on_small_disk(&folder, &serve);
    command.stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let server = Server::run("serve", &mut command);
    let disk = SmallDisk::of(server.id(), &folder);
    let health = || server.ask("GET", "/healthz", "", "");

    let mut game = OnlineGame::start(server.address(), 1).await.expect("a game");
    let mut rng = SplitMix64::new(1);
    let mut play = async |game: &mut OnlineGame| -> Result<Option<String>, ClientError> {
        let mv = lasting_move(&mut game.line, &mut rng).expect("a move");
        game.send_move(mv).await?;
        let refused = refusal(game.mover()).await?;
        if refused.is_none() {
            game.wait_for_opponent().await?;
            game.line.play(mv).expect("it was legal");
        }
        Ok(refused)
    };
    for _ in 0..4 {
        assert_eq!(play(&mut game).await.expect("a move"), None);
    }
    assert!(health().starts_with("HTTP/1.1 200"), "{}", health());

    disk.fill();
    // The database's log may have some space left in it.
    let refused = loop {
        if let Some(refused) = play(&mut game).await.expect("an answer") {
            break refused;
        }
    };
    assert!(refused.contains("out of disk space"), "{refused}");
    let answer = health();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(
        answer.contains(r#""is_well":false"#) && answer.contains(r#""store":"fails""#),
        "{answer}"
    );
    let moves = game.ply();

    disk.free();
    wait_until("the server is well again", || health().starts_with("HTTP/1.1 200"));
    for _ in 0..4 {
        assert_eq!(play(&mut game).await.expect("a move"), None);
    }
    let stored = server.ask("GET", &format!("/api/games/{}", game.game), "", "");
    let plies = stored.matches(r#""uci":"#).count();
    assert_eq!(plies, moves as usize + 4, "{stored}");
    let (code, log) = server.end("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("disk"), "{log}");
}
