//! External engines and quitting: only for the user who started the program, on this machine.

use core::num::NonZeroU32;
use std::fs;
use std::path::{Path, PathBuf};

use castellan_protocol::{SearchMessage, SearchScore};
use castellan_server::{Config, LaunchConfig, LocalConfig, LocalKey, OwnCommand};
use castellan_testkit::waiting::wait_until;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Client, Request, Response, Server, config};

/// A server for one person, the key, and a folder for engines.
struct Home {
    server: Server,
    key: LocalKey,
    folder: TempDir,
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// An engine that answers at once, logs its input, and writes its process ID to a file.
const ENGINE: &str = r#"#!/bin/sh
echo $$ > pid
while read -r word rest; do
  echo "$word $rest" >> heard
  case "$word" in
    uci) echo "id name Shell 1"; echo "id author Somebody"
      echo "option name Hash type spin default 16 min 1 max 32"
      echo "option name Threads type spin default 1 min 1 max 512"
      cat options 2>/dev/null; echo uciok;;
    isready) echo readyok;;
    go) echo "info depth 3 score cp 31 nodes 20 pv e7e5 g1f3"
      case "$rest" in *movetime\ 60000*) ;; *) echo "bestmove e7e5";; esac;;
    stop) echo "bestmove e7e5";;
    quit) exit 0;;
  esac
done
"#;

impl Home {
    async fn start() -> Home {
        Home::start_with(config()).await
    }

    async fn start_with(config: Config) -> Home {
        Home::start_for(config, None).await
    }

    /// Starts a server that gives its key to a browser with this code and user ID.
    async fn start_for(config: Config, launch: Option<LaunchConfig>) -> Home {
        Home::start_limited(config, launch, None).await
    }

    /// Starts a server whose engines may use this much memory.
    async fn start_limited(
        config: Config,
        launch: Option<LaunchConfig>,
        engine_memory_mb: Option<NonZeroU32>,
    ) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let key = LocalKey::new().unwrap();
        let engines = folder.path().join("engines.json");
        let local =
            LocalConfig { key: key.clone(), engines, own_engine: None, launch, engine_memory_mb };
        let local = Some(local);
        let server = Server::start_with(Config { local, ..config }).await;
        Home { server, key, folder }
    }

    fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, path).header("X-Castellan-Key", self.key.as_str())
    }

    async fn send(&self, request: Request) -> Response {
        Client::new(self.server.address).send(request).await
    }

    async fn add(&self, path: &str) -> Response {
        self.send(self.request("POST", "/api/local/engines").json(&json!({ "path": path }))).await
    }

    async fn add_engine(&self) {
        let path = self.program("engine", ENGINE, 0o755);
        self.add(path.to_str().unwrap()).await.expect(201);
    }

    fn program(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn search(&self, task: &Value) -> Request {
        self.request("POST", "/api/local/engines/1/search").json(task)
    }

    fn engine_id(&self) -> String {
        fs::read_to_string(self.folder.path().join("pid")).unwrap().trim().to_owned()
    }
}

fn is_running(id: &str) -> bool {
    Path::new("/proc").join(id).exists()
}

#[track_caller]
fn check(response: &Response, status: u16, code: &str) {
    assert_eq!(response.status, status, "{}", response.body);
    assert!(response.body.contains(&format!("\"code\":\"{code}\"")), "{}", response.body);
}

fn task() -> Value {
    json!({ "start": START, "moves": ["e2e4"], "move_time_ms": 100, "wants_reports": true })
}

#[tokio::test]
async fn an_engine_is_added_thinks_and_is_removed() {
    let home = Home::start().await;
    let look = || home.send(home.request("GET", "/api/local"));
    assert_eq!(look().await.body, r#"{"engines":[],"own":null}"#);
    home.add_engine().await;
    let listed = look().await.body;
    assert!(listed.contains(r#""name":"Shell 1","author":"Somebody""#), "{listed}");
    let response = home.send(home.search(&task())).await;
    assert_eq!(response.status, 200);
    // The lines between the messages are the lengths of the chunks.
    let lines = response.body.lines().filter(|line| line.starts_with('{'));
    let messages: Vec<SearchMessage> =
        lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let (SearchMessage::Report(report), SearchMessage::Result(result)) =
        (&messages[0], messages.last().unwrap())
    else {
        panic!("{messages:?}");
    };
    assert_eq!((report.line.depth, &*report.line.line), (3, &["e5".into(), "Nf3".into()][..]));
    // The engine's score is from Black's point of view; the response has it from White's.
    let (mv, san) = (result.mv.as_deref(), result.san.as_deref());
    assert_eq!((mv, san, result.nodes), (Some("e7e5"), Some("e5"), 20));
    assert_eq!((result.score, &result.lines[0]), (Some(SearchScore::Cp(-31)), &report.line));
    let heard = fs::read_to_string(home.folder.path().join("heard")).unwrap();
    assert!(heard.contains("setoption name Hash value 32\n"), "{heard}");
    assert!(heard.contains("position startpos moves e2e4\ngo movetime 100\n"), "{heard}");
    let id = home.engine_id();
    assert!(is_running(&id));
    home.send(home.request("DELETE", "/api/local/engines/1")).await.expect(204);
    assert!(!is_running(&id));
    assert_eq!(look().await.body, r#"{"engines":[],"own":null}"#);
    check(&home.send(home.search(&task())).await, 422, "engine_unknown");
}

#[tokio::test]
async fn an_engine_gets_its_arguments_memory_and_threads() {
    let home = Home::start().await;
    let program = ENGINE.replace("echo $$ > pid", "echo $$ > pid; echo \"$#:$1:$2\" > args");
    let path = home.program("engine", &program, 0o755);
    let add = |body: Value| home.send(home.request("POST", "/api/local/engines").json(&body));
    let open = add(json!({ "path": path, "args": "--net 'a b" })).await;
    check(&open, 200, "engine_bad_arguments");
    let long = add(json!({ "path": path, "args": "x".repeat(1001) })).await;
    check(&long, 200, "engine_bad_arguments");
    assert_eq!(add(json!({ "path": path, "threads": 0 })).await.status, 400);
    let whole = json!({ "path": path, "args": "--net 'a b'", "hash_mb": 24, "threads": 3 });
    add(whole.clone()).await.expect(201);
    check(&add(whole).await, 200, "engine_known");
    let read = |name: &str| fs::read_to_string(home.folder.path().join(name)).unwrap();
    assert_eq!(read("args"), "2:--net:a b\n");
    // The engine answers only after it has read its options.
    assert!(home.send(home.search(&task())).await.body.contains("\"result\""));
    let heard = read("heard");
    assert!(heard.contains("setoption name Hash value 24\n"), "{heard}");
    assert!(heard.contains("setoption name Threads value 3\n"), "{heard}");
    // Without arguments it is another engine.
    add(json!({ "path": path })).await.expect(201);
}

#[tokio::test]
async fn a_search_has_as_many_threads_as_it_asks_for() {
    let home = Home::start().await;
    let path = home.program("engine", ENGINE, 0o755);
    let body = json!({ "path": path, "threads": 2 });
    home.send(home.request("POST", "/api/local/engines").json(&body)).await.expect(201);
    for threads in [json!(4), json!(4), Value::Null, json!(200)] {
        let mut task = task();
        task["threads"] = threads;
        assert!(home.send(home.search(&task)).await.body.contains("\"result\""));
    }
    let mut none = task();
    none["threads"] = 0.into();
    check(&home.send(home.search(&none)).await, 400, "bad_body");
    // The engine is told only when the number changes, because it may forget what it has found.
    let heard = fs::read_to_string(home.folder.path().join("heard")).unwrap();
    let told = heard.lines().filter_map(|line| line.strip_prefix("setoption name Threads value "));
    assert_eq!(told.collect::<Vec<_>>(), ["2", "4", "2", "200"]);
}

#[tokio::test]
async fn the_program_is_an_engine_itself() {
    let folder = tempfile::tempdir().unwrap();
    let key = LocalKey::new().unwrap();
    let engines = folder.path().join("engines.json");
    let path = folder.path().join("castellan");
    fs::write(&path, ENGINE).unwrap();
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let own_engine = Some(OwnCommand { path, args: vec!["uci".to_owned()] });
    let local =
        LocalConfig { key: key.clone(), engines, own_engine, launch: None, engine_memory_mb: None };
    let local = Some(local);
    let server = Server::start_with(Config { local, ..config() }).await;
    let home = Home { server, key, folder };
    let features = home.send(home.request("GET", "/api/local")).await.body;
    let features: Value = serde_json::from_str(&features).unwrap();
    assert_eq!(features["engines"], json!([]), "it is not in the list");
    assert_eq!(features["own"]["id"], 0);
    assert!(features["own"]["processors"].as_u64() >= Some(1), "{features}");
    let mut task = task();
    task["threads"] = 3.into();
    let search = home.request("POST", "/api/local/engines/0/search").json(&task);
    assert!(home.send(search).await.body.contains("\"result\""));
    let heard = fs::read_to_string(home.folder.path().join("heard")).unwrap();
    assert!(heard.contains("setoption name Threads value 3\n"), "{heard}");
    // It cannot be removed.
    let removed = home.send(home.request("DELETE", "/api/local/engines/0")).await;
    check(&removed, 422, "engine_unknown");
}

#[tokio::test]
async fn an_engine_that_can_play_weaker_is_limited_in_games_and_not_in_analysis() {
    let home = Home::start().await;
    let options = "option name UCI_LimitStrength type check default false\n\
        option name UCI_Elo type spin default 1350 min 1350 max 2850\n";
    fs::write(home.folder.path().join("options"), options).unwrap();
    home.add_engine().await;
    let listed = home.send(home.request("GET", "/api/local")).await.body;
    assert!(listed.contains(r#""elo":{"min":1350,"max":2850}"#), "{listed}");
    let mut weak = task();
    weak["level"] = 900.into();
    for task in [weak, task()] {
        assert!(home.send(home.search(&task)).await.body.contains("\"result\""));
    }
    let heard = fs::read_to_string(home.folder.path().join("heard")).unwrap();
    let weak = heard.find("name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1350\n");
    let full = heard.find("name UCI_LimitStrength value false\n");
    assert!(weak.is_some() && weak < full, "{heard}");
}

#[tokio::test]
async fn castling_in_chess960_is_asked_and_told_as_the_king_takes_the_rook() {
    // The king castles to g1, where its rook is, so both notations write this move as f1g1.
    let castling =
        ENGINE.replace("e7e5 g1f3", "f1g1 a7a6").replace("bestmove e7e5", "bestmove f1g1");
    let start = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1";
    let task = json!({ "start": start, "moves": [], "move_time_ms": 100, "wants_reports": true });
    let home = Home::start().await;
    let path = home.program("engine", &castling, 0o755);
    home.add(path.to_str().unwrap()).await.expect(201);
    let refused = home.send(home.search(&task)).await.body;
    assert!(refused.contains(r#""code":"engine_no_chess960""#), "{refused}");
    // The engine reads its options when it starts.
    home.send(home.request("DELETE", "/api/local/engines/1")).await.expect(204);
    let options = "option name UCI_Chess960 type check default false\n";
    fs::write(home.folder.path().join("options"), options).unwrap();
    home.add(path.to_str().unwrap()).await.expect(201);
    // The engine has a new ID.
    let search = home.request("POST", "/api/local/engines/2/search").json(&task);
    let told = home.send(search).await.body;
    assert!(told.contains(r#""moves":["f1g1"]"#) && told.contains(r#""san":"O-O""#), "{told}");
    let heard = fs::read_to_string(home.folder.path().join("heard")).unwrap();
    assert!(heard.contains("setoption name UCI_Chess960 value true\n"), "{heard}");
}

#[tokio::test]
async fn a_program_that_is_not_an_engine_is_refused_with_the_reason() {
    let home = Home::start().await;
    let add = async |path: PathBuf| home.add(path.to_str().unwrap()).await;
    check(&home.add("engine").await, 200, "engine_not_absolute");
    check(&home.add("./engine").await, 200, "engine_not_absolute");
    check(&home.add("").await, 200, "engine_not_absolute");
    check(&home.add("/nowhere/engine").await, 200, "engine_no_file");
    check(&add(home.folder.path().to_owned()).await, 200, "engine_no_file");
    let plain = home.program("plain", ENGINE, 0o644);
    check(&add(plain).await, 200, "engine_not_executable");
    let ended = home.program("ended", "#!/bin/sh\nexit 3\n", 0o755);
    check(&add(ended).await, 200, "engine_not_uci");
    let garbage = home.program("garbage", "\u{7f}ELF nothing", 0o755);
    check(&add(garbage).await, 200, "engine_not_uci");
    let engine = home.program("engine", ENGINE, 0o755);
    add(engine.clone()).await.expect(201);
    check(&add(engine).await, 200, "engine_known");
    let wrong = |start: &str, moves: Value| json!({ "start": start, "moves": moves });
    for task in [wrong("nonsense", json!([])), wrong(START, json!(["e2e5"]))] {
        check(&home.send(home.search(&task)).await, 422, "engine_position");
    }
}

#[tokio::test]
async fn a_program_that_says_nothing_is_given_up_and_ended() {
    let home = Home::start().await;
    let silent = home.program("silent", "#!/bin/sh\necho $$ > pid\nexec sleep 1000\n", 0o755);
    let refused = home.add(silent.to_str().unwrap()).await;
    check(&refused, 200, "engine_not_uci");
    assert!(refused.body.contains("no uciok came in time"), "{}", refused.body);
    assert!(!is_running(&home.engine_id()));
}

/// The limit is in kilobytes, and the engine's own table comes on top of it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_memory_of_an_engine_is_limited() {
    let home = Home::start_limited(config(), None, NonZeroU32::new(100)).await;
    let program = ENGINE.replace("uci)", "uci) ulimit -d > limit;");
    let path = home.program("engine", &program, 0o755);
    let body = json!({ "path": path, "hash_mb": 24 });
    home.send(home.request("POST", "/api/local/engines").json(&body)).await.expect(201);
    let limit = fs::read_to_string(home.folder.path().join("limit")).unwrap();
    assert_eq!(limit.trim(), ((100 + 24) * 1024).to_string());
}

#[tokio::test]
async fn other_clients_are_refused() {
    let home = Home::start().await;
    let paths = [
        ("GET", "/api/local"),
        ("POST", "/api/local/engines"),
        ("DELETE", "/api/local/engines/1"),
        ("POST", "/api/local/engines/1/search"),
        ("POST", "/api/local/quit"),
    ];
    for (method, path) in paths {
        let with = |name: &str, value: &str| home.request(method, path).header(name, value);
        let body = |request: Request| request.json(&json!({ "path": "/bin/true" }));
        let keyless = Request::new(method, path);
        check(&home.send(body(keyless.clone())).await, 403, "forbidden");
        let wrong = keyless.header("X-Castellan-Key", "00000000000000000000000000000000");
        check(&home.send(body(wrong)).await, 403, "forbidden");
        let forwarded = with("X-Forwarded-For", "127.0.0.1");
        check(&home.send(body(forwarded)).await, 403, "forbidden");
        let foreign = with("Origin", "http://evil.example");
        check(&home.send(body(foreign)).await, 403, "foreign_origin");
        let renamed = with("Host", "evil.example").header("Origin", "http://evil.example");
        check(&home.send(body(renamed)).await, 403, "foreign_origin");
    }
    // The server is still running: no request has stopped it.
    home.send(home.request("GET", "/api/local")).await.expect(200);
}

#[tokio::test]
async fn a_server_for_others_has_none_of_it() {
    for home in [
        Home::start_with(Config { is_local: false, ..config() }).await,
        Home { server: Server::start().await, ..Home::start().await },
    ] {
        check(&home.send(home.request("GET", "/api/local")).await, 404, "not_found");
        check(&home.add("/bin/true").await, 404, "not_found");
        check(&home.send(home.request("POST", "/api/local/quit")).await, 404, "not_found");
    }
}

#[tokio::test]
async fn a_client_that_disconnects_ends_the_search() {
    let home = Home::start().await;
    home.add_engine().await;
    let long = json!({ "start": START, "moves": ["e2e4"], "move_time_ms": 60_000,
        "wants_reports": true });
    let begun = home.search(&long).header("Origin", &format!("http://{}", home.server.address));
    begun.send_head(home.server.address).await.expect(200);
    // After the client disconnects, the engine is told to stop, and it answers the next request.
    let heard = home.folder.path().join("heard");
    let is_stopped = move || fs::read_to_string(&heard).unwrap().contains("stop ");
    let waiting = move || wait_until("the engine is stopped", is_stopped);
    tokio::task::spawn_blocking(waiting).await.unwrap();
    assert!(home.send(home.search(&task())).await.body.contains("\"result\""));
}

#[tokio::test]
async fn quitting_ends_the_server_and_its_engines() {
    let home = Home::start().await;
    home.add_engine().await;
    let id = home.engine_id();
    assert!(is_running(&id));
    home.send(home.request("POST", "/api/local/quit")).await.expect(202);
    home.server.ended().await;
    assert!(!is_running(&id));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_code_that_opens_the_browser_works_once_and_for_its_user_alone() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let own_id = folder.path().metadata().unwrap().uid();
    for (user_id, is_own) in [(own_id, true), (own_id + 1, false)] {
        let code = LocalKey::new().unwrap();
        let launch = LaunchConfig { code: code.clone(), user_id };
        let home = Home::start_for(config(), Some(launch)).await;
        let path = format!("/api/local/open?code={}", code.as_str());
        let open = |path: &str| Request::new("GET", path);
        let place = async |request: Request| {
            let response = home.send(request).await;
            response.expect(303).header("location").unwrap().to_owned()
        };
        let wrong = LocalKey::new().unwrap();
        let wrong = format!("/api/local/open?code={}", wrong.as_str());
        assert_eq!(place(open(&wrong)).await, "/");
        assert_eq!(place(open(&path).header("X-Forwarded-For", "127.0.0.1")).await, "/");
        let foreign = open(&path).header("Sec-Fetch-Site", "cross-site");
        check(&home.send(foreign).await, 403, "foreign_origin");
        let rebound = open(&path).header("Host", "evil.example");
        check(&home.send(rebound).await, 403, "foreign_origin");
        check(&home.send(open("/api/local/open")).await, 400, "bad_query");
        let with_key = format!("/#key={}", home.key.as_str());
        assert_eq!(place(open(&path)).await, if is_own { &with_key } else { "/" });
        assert_eq!(place(open(&path)).await, "/", "the code has been used");
    }
}
