//! `castellan serve`, and `castellan play` without its browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command};

use castellan_testkit::waiting::wait_until;

use crate::shell::{binary, castellan};

/// A server that is killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    /// The secret part of the URL that `play` prints for the user who started it.
    key: Option<String>,
}

impl Server {
    /// Starts a server on a free port and waits until it prints its address.
    #[track_caller]
    pub(crate) fn start(command: &str, folder: &Path) -> Server {
        let folder = folder.to_str().expect("the folder has a plain name");
        let mut words = vec![command, "--listen", "127.0.0.1:0", "--data", folder];
        words.extend((command == "play").then_some("--no-open"));
        Server::run(command, &mut binary(&words))
    }

    /// Starts a server and waits until it prints its address.
    #[track_caller]
    pub(crate) fn run(command: &str, program: &mut Command) -> Server {
        let mut child = program.spawn().expect("the binary was built for this test");
        let mut line = String::new();
        let out = child.stdout.take().expect("the output is a pipe");
        let mut out = BufReader::new(out);
        out.read_line(&mut line).expect("the output can be read");
        let mut door = String::new();
        if command == "play" {
            out.read_line(&mut door).expect("the output can be read");
        }
        let key = door.trim().split_once("/#key=").map(|(_, key)| key.to_owned());
        let address =
            line.trim().strip_prefix("listening on ").and_then(|url| url.split("://").nth(1));
        let address = address.unwrap_or_else(|| panic!("{line:?}: {}", complaint(&mut child)));
        Server { address: address.parse().expect("it is an address"), child, key }
    }

    /// Returns the number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a request and returns the whole response.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        answer
    }

    /// Asks the server to stop. Returns its exit code and its log.
    pub(crate) fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args([signal, &id]).status().expect("there is kill");
        assert!(killed.success());
        let status = self.child.wait().expect("the child can be waited for");
        (status.code(), complaint(&mut self.child))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the standard error output of a process that has ended.
fn complaint(child: &mut Child) -> String {
    let _ = child.kill();
    let mut text = String::new();
    let mut err = child.stderr.take().expect("standard error is a pipe");
    err.read_to_string(&mut text).expect("the log is UTF-8");
    text
}

#[test]
fn it_serves_until_it_is_asked_to_end() {
    let folder = tempfile::tempdir().unwrap();
    for (command, signal) in [("serve", "-TERM"), ("serve", "-INT"), ("play", "-TERM")] {
        let server = Server::start(command, &folder.path().join("new/folder"));
        let answer = server.ask("GET", "/healthz", "", "");
        assert!(answer.contains("\"store\":\"works\""), "{answer}");
        assert!(server.ask("GET", "/", "", "").contains("Castellan"));
        let (code, log) = server.end(signal);
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("shutting down"), "{log}");
        assert!(!log.contains("panicked"), "{log}");
    }
}

#[test]
fn a_session_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path());
    let answer = server.ask("POST", "/api/guest", "", r#"{"name": "Anna"}"#);
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).expect("a cookie is set");
    let headers = format!("Cookie: {cookie}\r\n");
    assert!(server.ask("GET", "/api/me", &headers, "").contains("\"name\":\"Anna\""));
    server.end("-KILL");
    let server = Server::start("serve", folder.path());
    let answer = server.ask("GET", "/api/me", &headers, "");
    assert!(answer.contains("\"name\":\"Anna\""), "{answer}");
}

#[test]
fn two_servers_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let _first = Server::start("serve", folder.path());
    let path = folder.path().to_str().unwrap();
    let second = castellan(&["serve", "--listen", "127.0.0.1:0", "--data", path], b"");
    assert_eq!((second.code, second.out.as_str()), (2, ""));
    assert!(second.err.contains("is in use by"), "{}", second.err);
}

#[test]
fn a_taken_port_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start("serve", folder.path());
    let listen = first.address.to_string();
    let other = folder.path().join("other");
    for command in ["serve", "play"] {
        let words = [command, "--listen", &listen, "--data", other.to_str().unwrap()];
        let second = castellan(&words, b"");
        assert_eq!((second.code, second.out.as_str()), (2, ""));
        assert!(second.err.contains(&format!("cannot listen on {listen}")), "{}", second.err);
    }
}

#[test]
fn a_password_in_the_address_of_the_database_is_not_repeated() {
    let url = "postgres://castellan:hunter2@127.0.0.1:1/castellan";
    let mut command = binary(&["serve", "--listen", "127.0.0.1:0"]);
    let ran = command.env("CASTELLAN_DATABASE", url).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("cannot open the database"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
    let help = binary(&["serve", "--help"]).env("CASTELLAN_DATABASE", url).output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("hunter2"));
}

#[test]
fn only_play_can_be_ended_from_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path());
    assert_eq!(server.key, None);
    let answer = server.ask("POST", "/api/local/quit", "X-Castellan-Key: 0\r\n", "");
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    drop(server);
    let mut server = Server::start("play", folder.path());
    let answer = server.ask("POST", "/api/local/quit", "X-Castellan-Key: 0\r\n", "");
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let key = format!("X-Castellan-Key: {}\r\n", server.key.as_deref().expect("it tells a key"));
    assert!(server.ask("GET", "/api/local", &key, "").contains("\"engines\":[]"));
    let answer = server.ask("POST", "/api/local/quit", &key, "");
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    let status = server.child.wait().expect("the child can be waited for");
    assert_eq!(status.code(), Some(0));
}

/// A user of the machine who lists the processes sees the address that the browser is opened with.
#[cfg(target_os = "linux")]
#[test]
fn the_key_is_in_no_process_list() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (tools, data) = (folder.path().join("tools"), folder.path().join("data"));
    std::fs::create_dir(&tools).unwrap();
    let browser = tools.join("xdg-open");
    let script = "#!/bin/sh\necho \"$@\" > \"$0.new\" && mv \"$0.new\" \"$0.arguments\"\n";
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let words = ["play", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let server = Server::run("play", binary(&words).env("PATH", path));
    let seen = tools.join("xdg-open.arguments");
    wait_until("the browser is started", || seen.exists());
    let seen = std::fs::read_to_string(seen).unwrap();
    let key = server.key.as_deref().expect("it tells a key");
    assert!(!seen.contains(key), "{seen}");
    let (_, path) = seen.trim().split_once(&server.address.to_string()).expect("an address");
    let answer = server.ask("GET", path, "", "");
    assert!(answer.contains(&format!("location: /#key={key}\r\n")), "{answer}");
    let again = server.ask("GET", path, "", "");
    assert!(again.contains("location: /\r\n"), "{again}");
}

/// Password hashes, session digests and chat are in these files.
#[cfg(unix)]
#[test]
fn other_users_of_the_machine_cannot_read_the_data() {
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let check = |folder: &Path| {
        let files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
        assert!(files.len() >= 4, "{files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new/data");
    let server = Server::start("serve", &data);
    server.ask("POST", "/api/guest", "", r#"{"name": "Anna"}"#);
    assert_eq!(mode(&data), 0o700);
    check(&data);
    let (_, log) = server.end("-KILL");
    assert!(!log.contains("other users"), "{log}");
    // An earlier version has created these.
    let loosen = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    loosen(&data, 0o755);
    for file in data.read_dir().unwrap() {
        loosen(&file.unwrap().path(), 0o644);
    }
    let server = Server::start("serve", &data);
    check(&data);
    let (_, log) = server.end("-TERM");
    assert!(log.contains(&format!("chmod 700 {}", data.display())), "{log}");
    assert!(log.contains("castellan.db; now they cannot"), "{log}");
}

#[test]
fn a_configuration_file_is_checked_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("castellan.toml"), folder.path().join("data"));
    let good = format!(
        "listen = \"127.0.0.1:0\"\ndata = {data:?}\nengine-threads = 0\nsimple-clock = \"3+2\"\n"
    );
    std::fs::write(&file, &good).unwrap();
    let path = file.to_str().unwrap();
    let checked = castellan(&["serve", "--config", path, "--check-config"], b"");
    assert_eq!((checked.code, checked.err.as_str()), (0, ""));
    assert_eq!(checked.out, "the configuration is valid\n");
    assert!(!data.exists(), "a check changes nothing");
    let server = Server::run("serve", &mut binary(&["serve", "--config", path]));
    assert!(server.ask("GET", "/healthz", "", "").contains("\"store\":\"works\""));
    assert!(data.join("castellan.db").exists());
    drop(server);
    std::fs::write(&file, format!("{good}colour = \"blue\"\n")).unwrap();
    for words in [&["serve", "--config", path, "--check-config"][..], &["serve", "--config", path]]
    {
        let ran = castellan(words, b"");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(ran.err.contains("there is no option \"colour\""), "{}", ran.err);
    }
    std::fs::write(&file, good.replace("3+2", "three")).unwrap();
    let ran = castellan(&["serve", "--config", path, "--check-config"], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--simple-clock"), "{}", ran.err);
    assert!(ran.err.contains("such as 10+5"), "{}", ran.err);
    let both = format!("{good}database = \"postgres://a:hunter2@127.0.0.1/b\"\n");
    std::fs::write(&file, both).unwrap();
    let ran = castellan(&["serve", "--config", path, "--check-config"], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("use either --data or --database"), "{}", ran.err);
    assert!(!ran.err.contains("hunter2"), "{}", ran.err);
}

/// The log of requests contains neither secrets nor what people search for.
#[test]
fn requests_are_logged_on_demand_and_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    for (format, expected) in [
        ("text", "method=POST path=\"/api/register\" status=200 took_ms="),
        ("json", "\"method\":\"POST\",\"path\":\"/api/register\",\"status\":200,\"took_ms\":"),
    ] {
        let words = ["serve", "--listen", "127.0.0.1:0", "--data", data, "--log-format", format];
        let words = [&words[..], &["--access-log"]].concat();
        let server = Server::run("serve", binary(&words).env("NO_COLOR", "1"));
        let body = format!(r#"{{"name": "Anna {format}", "password": "tulip hunter2 anvil"}}"#);
        let answer = server.ask("POST", "/api/register", "", &body);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|cookie| cookie.split([';', '=']).nth(1)).unwrap().to_owned();
        server.ask(
            "GET",
            "/api/games?name=hunter4",
            &format!("Cookie: castellan={cookie}\r\n"),
            "",
        );
        let (_, log) = server.end("-TERM");
        assert!(log.contains(expected), "{log}");
        assert!(log.contains("127.0.0.1") && log.contains("/api/games"), "{log}");
        assert!(!log.contains("hunter") && !log.contains(&cookie), "{log}");
    }
    let server = Server::start("serve", folder.path());
    server.ask("GET", "/healthz", "", "");
    assert!(!server.end("-TERM").1.contains("/healthz"));
}

/// Writes a certificate for this machine and its key. Returns the options that name them.
fn write_certificate(folder: &Path) -> [String; 4] {
    let new = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&cert, new.cert.pem()).expect("a file");
    std::fs::write(&key, new.signing_key.serialize_pem()).expect("a file");
    let path = |path: &Path| path.to_str().expect("a plain name").to_owned();
    ["--tls-cert".to_owned(), path(&cert), "--tls-key".to_owned(), path(&key)]
}

#[test]
fn the_files_of_a_certificate_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let [cert, cert_file, key, key_file] = &write_certificate(folder.path());
    let check = |words: &[&str], expected: &str| {
        let words = [&["serve", "--check-config"], words].concat();
        let ran = castellan(&words, b"");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}");
        assert!(ran.err.contains(expected), "{}", ran.err);
    };
    let both: [&str; 4] = [cert, cert_file, key, key_file];
    let ran = castellan(&[&["serve", "--check-config"], &both[..]].concat(), b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    check(&[cert, cert_file], "--tls-cert needs the key of the certificate: --tls-key");
    check(&[key, key_file], "--tls-key needs a certificate: --tls-cert");
    check(&[cert, "/nowhere", key, key_file], "cannot read /nowhere");
    check(&[cert, key_file, key, key_file], "contains no certificate");
    check(&[cert, cert_file, key, cert_file], "contains no private key");
    let http = [&both[..], &["--origin", "http://chess.example"]].concat();
    check(&http, "--origin begins with https://, and http://chess.example does not");
    let other = tempfile::tempdir().unwrap();
    let [.., other_key] = &write_certificate(other.path());
    check(&[cert, cert_file, key, other_key], "does not match the first certificate");
}

/// The certificate is for the public name, which `castellan admin` does not use.
#[test]
fn a_server_with_a_certificate_obeys_its_operator() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let certificate = write_certificate(folder.path());
    let data = data.to_str().unwrap();
    let mut command = binary(&["serve", "--listen", "127.0.0.1:0", "--data", data]);
    let server = Server::run("serve", command.args(certificate));
    let answer = server.ask("GET", "/healthz", "", "");
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("https://"), "{answer}");
    let ran = castellan(&["admin", "--data", data, "--json", "status"], b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let status: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(status.to_string().contains("\"is_running\":true"), "{status}");
}

#[test]
fn the_options_for_mail_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let file = file.to_str().unwrap();
    std::fs::write(file, "hunter2\n").unwrap();
    let check = |words: &[&str], expected: &str| {
        let ran = castellan(&[&["serve", "--check-config"], words].concat(), b"");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}");
        assert!(ran.err.contains(expected), "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("hunter"), "{}", ran.err);
    };
    let from = ["--mail-from", "Castellan <chess@example.org>"];
    let good = ["--smtp", "smtps://chess@mail.example.org", "--smtp-password-file", file];
    let ran = castellan(&[&["serve", "--check-config"], &good[..], &from].concat(), b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    check(&good, "--smtp needs the sender of mail: --mail-from");
    check(&from, "specify the mail server with --smtp");
    check(
        &[&["--smtp", "smtps://mail.example.org"], &from[..], &good[2..]].concat(),
        "needs a user",
    );
    let both = ["--smtp", "smtps://chess:hunter1@mail.example.org"];
    check(&[&both[..], &from, &good[2..]].concat(), "needs a user without a password");
    check(&[&good[..3], &["/nowhere"], &from].concat(), "cannot read the password in /nowhere");
    std::fs::write(file, "hunter2\nhunter3\n").unwrap();
    check(&[&good[..], &from].concat(), "expected one line");
    check(&["--mail-from", "chess", "--smtp", "smtps://mail.example.org"], "--mail-from");
}

/// Passwords stay out of error messages and of the help.
#[test]
fn the_passwords_of_other_servers_are_not_repeated() {
    let servers = [
        ("CASTELLAN_SMTP", "smtps://chess:hunter2@", "SMTP server"),
        ("CASTELLAN_BUS", "nats://chess:hunter2@:x", "NATS server"),
    ];
    for (variable, value, expected) in servers {
        let mut command = binary(&["serve", "--check-config", "--mail-from", "chess@example.org"]);
        let ran = command.env(variable, value).output().unwrap();
        assert_eq!(ran.status.code(), Some(2));
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(told.contains(expected) && !told.contains("hunter2"), "{told}");
    }
    let help = binary(&["serve", "--help"]).env("CASTELLAN_SMTP", "smtps://a:hunter2@b").output();
    assert!(!String::from_utf8_lossy(&help.unwrap().stdout).contains("hunter2"));
}
