//! A PostgreSQL server for the tests, run from the programs that are installed on this machine.
//!
//! It lives in a temporary folder, listens on a socket there and nowhere else, and ends with the
//! test, however the test ends. PostgreSQL refuses to run as root, so root starts it as another
//! user.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use castellan_testkit::waiting::LIMIT;
use sqlx::Connection;
use sqlx::postgres::PgConnection;

/// Variable with the folder of PostgreSQL's programs, if they are not found otherwise.
const FOLDER_VARIABLE: &str = "CASTELLAN_POSTGRES_BIN";

/// The user that the server runs as if the tests run as root; Debian's package creates it.
const USER: &str = "postgres";

pub(crate) struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    server: Option<Child>,
    port: u16,
    /// Further arguments of the server.
    settings: Vec<String>,
    /// The network namespace that the server runs in, if it is not the one of the tests.
    network: Option<PathBuf>,
}

impl Cluster {
    /// A new server that answers; none if there is no PostgreSQL here, which is an error in CI.
    pub(crate) async fn start() -> Option<Cluster> {
        Cluster::start_in(None).await
    }

    /// A new server in a network namespace, on whose loopback interface it listens as well.
    pub(crate) async fn start_in(network: Option<PathBuf>) -> Option<Cluster> {
        let Some(programs) = programs() else {
            let words = "no PostgreSQL on this machine: `apt-get install postgresql` gets it, or \
                         name the folder of its programs in CASTELLAN_POSTGRES_BIN";
            assert!(env::var_os("CI").is_none(), "{words}");
            eprintln!("\n*** NOT TESTED: {words} ***\n");
            return None;
        };
        let mut cluster = Cluster {
            programs,
            folder: make_folder(),
            server: None,
            port: 5432,
            settings: Vec::new(),
            network,
        };
        let addresses = if cluster.network.is_some() { "127.0.0.1" } else { "" };
        cluster.settings = vec!["-c".to_owned(), format!("listen_addresses={addresses}")];
        let data = cluster.folder.join("data");
        let mut initdb = cluster.command("initdb");
        // Nothing of the making of a cluster that is thrown away needs to be synced.
        initdb.args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C"]);
        finish(initdb.arg("--username=castellan").arg("--pgdata").arg(data));
        cluster.run().await;
        Some(cluster)
    }

    /// Starts the server in its folder and waits until it answers.
    pub(crate) async fn run(&mut self) {
        let log = fs::File::options().create(true).append(true).open(self.folder.join("log"));
        let log = log.expect("a log");
        let mut postgres = self.command("postgres");
        postgres.arg("-D").arg(self.folder.join("data")).arg("-k").arg(&self.folder);
        postgres.args(["-c", "max_connections=60", "-p"]).arg(self.port.to_string());
        postgres.args(&self.settings);
        let server = postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.server = Some(server.expect("the server starts"));
        let start = Instant::now();
        while let Err(error) = PgConnection::connect(&self.url("postgres")).await {
            let words = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(start.elapsed() < LIMIT, "{error}\n{words}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends the server at once, as a loss of power would.
    pub(crate) fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = Command::new("kill").arg("-QUIT").arg(server.id().to_string()).status();
            let _ = server.wait();
        }
    }

    /// A new schema, which is as good as a database and made more quickly; the address of it.
    pub(crate) async fn create_schema(&self, name: &str) -> String {
        self.say(&format!("CREATE SCHEMA {name}")).await;
        format!("{}&options[search_path]={name}", self.url("postgres"))
    }

    /// Says something to the server, as its administrator.
    pub(crate) async fn say(&self, sql: &str) {
        let url = self.url("postgres");
        let mut connection = PgConnection::connect(&url).await.expect("the server answers");
        sqlx::query(sql).execute(&mut connection).await.expect(sql);
    }

    /// Says something to the server, about the tables of a schema.
    pub(crate) async fn say_in(&self, schema: &str, sql: &str) {
        let url = format!("{}&options[search_path]={schema}", self.url("postgres"));
        let mut connection = PgConnection::connect(&url).await.expect("the server answers");
        sqlx::query(sql).execute(&mut connection).await.expect(sql);
    }

    pub(crate) fn url(&self, database: &str) -> String {
        let (port, folder) = (self.port, self.folder.display());
        format!("postgres://castellan@localhost:{port}/{database}?host={folder}")
    }

    /// Restarts the server so that it also listens on a port of this machine, with a certificate.
    /// Returns the address over TCP, and the path of the authority's certificate.
    pub(crate) async fn restart_with_tls(&mut self) -> (String, PathBuf) {
        self.stop();
        let [authority_key, authority, key, certificate] =
            ["ca-key.pem", "ca.pem", "key.pem", "cert.pem"].map(|name| self.folder.join(name));
        let certify = |name: &str, key: &Path, certificate: &Path| {
            let mut openssl = as_db_user(Path::new("openssl"));
            openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]);
            openssl.args(["-subj", name, "-keyout"]).arg(key).arg("-out").arg(certificate);
            openssl
        };
        finish(&mut certify("/CN=Authority", &authority_key, &authority));
        let mut openssl = certify("/CN=localhost", &key, &certificate);
        openssl.arg("-CA").arg(&authority).arg("-CAkey").arg(&authority_key);
        openssl.args(["-addext", "subjectAltName=DNS:localhost"]);
        finish(openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]));
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        self.port = free.local_addr().expect("its address").port();
        drop(free);
        let settings = [
            "listen_addresses=localhost".to_owned(),
            "ssl=on".to_owned(),
            format!("ssl_key_file={}", key.display()),
            format!("ssl_cert_file={}", certificate.display()),
        ];
        self.settings = settings.into_iter().flat_map(|it| ["-c".to_owned(), it]).collect();
        self.run().await;
        (format!("postgres://castellan@localhost:{}/postgres", self.port), authority)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Adds a user with a password. From now on, connections over TCP need one and are encrypted.
    pub(crate) async fn add_user(&self, name: &str, password: &str) {
        let rules = "local all all trust\nhostssl all all all scram-sha-256\n";
        fs::write(self.folder.join("data/pg_hba.conf"), rules).expect("the rules are written");
        self.say(&format!("CREATE USER {name} PASSWORD '{password}'")).await;
        self.say("SELECT pg_reload_conf()").await;
    }

    fn command(&self, program: &str) -> Command {
        let command = as_db_user(&self.programs.join(program));
        let Some(network) = &self.network else { return command };
        let mut entering = Command::new("nsenter");
        entering.arg(format!("--net={}", network.display())).current_dir("/");
        entering.arg(command.get_program()).args(command.get_args());
        entering
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns a command that does not run as root and, on Linux, ends with this program.
fn as_db_user(program: &Path) -> Command {
    if cfg!(not(target_os = "linux")) {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid", USER, "--regid", USER, "--init-groups"]);
    }
    // The working folder may be one that the other user cannot enter.
    command.args(["--pdeathsig", "KILL"]).arg(program).current_dir("/");
    command
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("the id of the user");
    id.stdout == b"0\n"
}

/// Creates a folder that belongs to the user of the server. Its path is short, because the server
/// creates a socket in it.
fn make_folder() -> PathBuf {
    let mut make = as_db_user(Path::new("mktemp"));
    let made = make.args(["-d", "/tmp/castellan-XXXXXX"]).output().expect("mktemp runs");
    assert!(made.status.success(), "mktemp: {}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("a path").trim().into()
}

/// The folder of the newest PostgreSQL there is.
fn programs() -> Option<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE) {
        return Some(folder.into());
    }
    let has_both = |folder: &PathBuf| {
        ["postgres", "initdb"].iter().all(|program| folder.join(program).exists())
    };
    let mut debian: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    debian.sort();
    let path = env::var_os("PATH").unwrap_or_default();
    debian.into_iter().rev().chain(env::split_paths(&path)).find(has_both)
}

fn finish(command: &mut Command) {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
