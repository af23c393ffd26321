//! Checks that docs/OPERATIONS.md tells operators the truth: every command that can be tried is tried.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::certificate::Certificate;
use crate::serve::Server;
use crate::shell::{Ran, binary, castellan};

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/OPERATIONS.md");
    fs::read_to_string(path).expect("the guide")
}

/// Returns the words of a text that begin with a prefix, such as the names of variables.
fn names<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(prefix) && word.len() > prefix.len()).collect()
}

/// Returns the code blocks in a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[test]
fn every_variable_of_the_guide_exists() {
    let (guide, help) = (guide(), castellan(&["serve", "--help"], b"").out);
    let variables = names(&guide, "CASTELLAN_");
    assert!(variables.len() > 5, "{variables:?}");
    let known = names(&help, "CASTELLAN_");
    for name in variables {
        assert!(known.contains(&name), "{name} is not in:\n{help}");
    }
}

/// A place for the files that the guide names.
struct Sandbox {
    folder: tempfile::TempDir,
    /// The file with the settings of the guide.
    config: PathBuf,
}

impl Sandbox {
    fn new(guide: &str) -> Sandbox {
        let folder = tempfile::tempdir().expect("the sandbox is writable");
        let config = folder.path().join("castellan.toml");
        fs::write(&config, blocks(guide, "toml")[0]).expect("the sandbox is writable");
        Sandbox { folder, config }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("the folder has a plain name").to_owned()
    }

    /// Returns a text of the guide with the paths of this sandbox.
    fn localized(&self, text: &str) -> String {
        text.replace("/etc/castellan.toml", self.config.to_str().expect("a plain name"))
            .replace("/var/lib/castellan", &self.path("data"))
            .replace("/root/castellan-backup.db", &self.path("backup.db"))
            .replace("/var/backups/castellan", &self.path("backups"))
    }
}

/// Splits a command line into words. The guide has no quotes other than double ones.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('"').enumerate();
    pieces
        .flat_map(|(index, piece)| match index % 2 {
            0 => piece.split_ascii_whitespace().map(str::to_owned).collect(),
            _ => vec![piece.to_owned()],
        })
        .collect()
}

/// Returns the commands of our program in the guide, in order, without its name.
fn calls(guide: &str) -> Vec<Vec<String>> {
    let lines = blocks(guide, "sh").into_iter().flat_map(str::lines);
    let own = lines.filter_map(|line| {
        let line = line.strip_prefix("sudo -u castellan ").unwrap_or(line);
        line.strip_prefix("castellan ")
    });
    own.map(words).collect()
}

/// Returns what a command of the guide is expected to complain about, because what it names does not
/// exist in the sandbox.
fn expected_complaint(call: &[String]) -> Option<&'static str> {
    let has = |word: &str| call.iter().any(|it| it == word);
    match () {
        () if has("delete-game") => Some("does not exist or has not ended"),
        () if has("--close") => Some("no such open report"),
        () => None,
    }
}

#[cfg(unix)]
#[test]
fn every_command_of_the_guide_works() {
    let guide = guide();
    let sandbox = Sandbox::new(&guide);
    let data = PathBuf::from(sandbox.path("data"));
    fs::create_dir(sandbox.path("backups")).unwrap();
    let mut server = Some(Server::start("serve", &data));
    for name in ["Anna", "Boris"] {
        let body = format!(r#"{{"name": "{name}", "password": "correct horse battery"}}"#);
        let answer = server.as_ref().unwrap().ask("POST", "/api/register", "", &body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    let calls = calls(&guide);
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for call in &calls {
        let call: Vec<String> = call.iter().map(|word| sandbox.localized(word)).collect();
        if call[0] == "restore" {
            server.take().expect("it was not restored yet").end("-TERM");
        }
        let line: Vec<&str> = call.iter().map(String::as_str).collect();
        let Ran { code, out, err } = castellan(&line, b"");
        match expected_complaint(&call) {
            None => assert_eq!((code, err.as_str()), (0, ""), "castellan {call:?}: {out}"),
            Some(why) => assert!(code == 2 && err.contains(why), "castellan {call:?}: {err}"),
        }
        *tried.entry(call[0].clone()).or_default() += 1;
    }
    let names: Vec<&str> = tried.keys().map(String::as_str).collect();
    assert_eq!(names, ["admin", "backup", "migrate", "restore", "serve"], "{tried:?}");
    assert!(tried["admin"] > 15, "{tried:?}");
    // What was backed up before the commands of the other sections is there again.
    let server = Server::start("serve", &data);
    assert!(server.ask("GET", "/healthz", "", "").contains("\"is_well\":true"));
}

/// Every subcommand of `castellan admin` is explained.
#[test]
fn the_guide_has_every_command_of_admin() {
    let (guide, help) = (guide(), castellan(&["admin", "--help"], b"").out);
    let commands = help.split("Commands:\n").nth(1).expect("a list of commands");
    let commands = commands.split("\n\n").next().expect("its end");
    let commands = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = commands.filter(|it| !it.is_empty() && *it != "help").collect();
    assert!(commands.len() > 10, "{commands:?}");
    let calls: Vec<String> = calls(&guide).iter().map(|call| call.join(" ") + " ").collect();
    for command in commands {
        let is_shown = calls.iter().any(|call| call.contains(&format!(" {command} ")));
        assert!(is_shown, "castellan admin {command}");
    }
}

#[test]
fn the_configuration_file_of_the_guide_is_valid() {
    let guide = guide();
    let folder = tempfile::tempdir().unwrap();
    let files = blocks(&guide, "toml");
    assert!(!files.is_empty());
    for text in files {
        let path = folder.path().join("castellan.toml");
        fs::write(&path, text).unwrap();
        let words = ["serve", "--config", path.to_str().unwrap(), "--check-config"];
        let ran = castellan(&words, b"");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{text}");
    }
}

/// The settings that the guide shows are checked as a server would check them.
#[test]
fn the_settings_of_the_guide_are_valid() {
    let guide = guide();
    let sandbox = Sandbox::new(&guide);
    let tls = PathBuf::from(sandbox.path("data/tls"));
    fs::create_dir_all(&tls).unwrap();
    let made = Certificate::create(&tls, &["chess.example.org"]);
    fs::rename(made.certificate, tls.join("fullchain.pem")).unwrap();
    fs::rename(made.key, tls.join("privkey.pem")).unwrap();
    fs::write(sandbox.path("data/smtp-password"), "secret\n").unwrap();
    let mut checked = 0;
    for block in blocks(&guide, "sh") {
        let lines = block.lines().map(|line| line.split_once('='));
        let Some(settings) = lines.collect::<Option<Vec<_>>>() else { continue };
        if !settings.iter().all(|(name, _)| name.starts_with("CASTELLAN_")) {
            continue;
        }
        let mut command = binary(&["serve", "--check-config"]);
        for (name, value) in settings {
            command.env(name, sandbox.localized(value.trim_matches('"')));
        }
        let ran = command.output().expect("the binary was built for this test");
        let error = String::from_utf8_lossy(&ran.stderr);
        assert_eq!((ran.status.code(), &*error), (Some(0), ""), "{block}");
        checked += 1;
    }
    assert!(checked > 4, "{checked}");
}

/// Commands that need another system are at least shell commands.
#[cfg(unix)]
#[test]
fn the_shell_understands_the_guide() {
    for block in blocks(&guide(), "sh") {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script");
        fs::write(&path, block).unwrap();
        let checked = Command::new("sh").arg("-n").arg(&path).output().expect("there is a shell");
        assert!(checked.status.success(), "{block}\n{}", String::from_utf8_lossy(&checked.stderr));
    }
}

/// Parts of the page that the guide links to exist.
#[test]
fn the_links_within_the_guide_lead_somewhere() {
    let guide = guide();
    let anchor = |title: &str| title.to_lowercase().replace(' ', "-");
    let titles = guide.lines().filter_map(|line| Some(line.strip_prefix('#')?.trim_matches('#')));
    let anchors: Vec<String> = titles.map(|title| anchor(title.trim())).collect();
    let links = guide.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
    let links: Vec<&str> = links.collect();
    assert!(links.len() > 5, "{links:?}");
    for link in links {
        assert!(anchors.iter().any(|it| it == link), "{link} is not in {anchors:?}");
    }
}

#[test]
fn the_metrics_of_the_guide_are_measured() {
    let (guide, folder) = (guide(), tempfile::tempdir().unwrap());
    let server = Server::start("serve", folder.path());
    let metrics = server.ask("GET", "/metrics", "", "");
    let rows = guide.lines().filter(|line| line.starts_with("| `castellan_"));
    let named: Vec<&str> = rows.flat_map(|row| names(row, "castellan_")).collect();
    assert!(named.len() > 3, "{named:?}");
    for name in named {
        assert!(metrics.contains(&format!("# TYPE {name} ")), "{name} is not in:\n{metrics}");
    }
}
