//! Checks that the packaged files match the binary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::shell::castellan;

fn packaged(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of our environment variables in a text.
fn variables(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("CASTELLAN_")).collect()
}

#[test]
fn the_server_knows_every_variable_that_is_packaged() {
    let help = castellan(&["serve", "--help"], b"").out;
    let known = variables(&help);
    let env = packaged("castellan.env");
    assert!(variables(&env).len() > 5, "{env}");
    for name in ["castellan.env", "castellan.service", "Containerfile"] {
        let text = packaged(name);
        let unknown: Vec<_> = variables(&text).difference(&known).copied().collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?} are not in:\n{help}");
    }
}

/// A panel or an alert about a metric that does not exist would never show anything.
#[cfg(unix)]
#[test]
fn every_metric_that_is_watched_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let server = crate::serve::Server::start("serve", folder.path());
    let metrics = server.ask("GET", "/metrics", "", "");
    let measured: BTreeSet<&str> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    let dashboard = packaged("monitoring/grafana.json");
    let json: serde_json::Value = serde_json::from_str(&dashboard).expect("the dashboard is JSON");
    assert!(json["panels"].as_array().is_some_and(|panels| panels.len() > 10));
    for text in [&dashboard, &packaged("monitoring/alerts.yml")] {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let named = words.filter(|word| word.starts_with("castellan_"));
        let named: BTreeSet<&str> =
            named.map(|name| name.strip_suffix("_bucket").unwrap_or(name)).collect();
        assert!(named.len() > 5, "{named:?}");
        let unknown: Vec<_> = named.difference(&measured).collect();
        assert!(unknown.is_empty(), "{unknown:?} are not in:\n{metrics}");
    }
    // Whatever is measured is on the dashboard.
    let forgotten: Vec<_> = measured.iter().filter(|name| !dashboard.contains(**name)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?} are on no panel");
}

/// The check runs before `main` and is not called by anything, so the linker could drop it.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn the_check_of_the_processor_is_in_the_binary() {
    let bytes = fs::read(env!("CARGO_BIN_EXE_castellan")).expect("the binary is there");
    let message = b"castellan: this build needs a processor with x86-64-v";
    assert!(bytes.windows(message.len()).any(|window| window == message));
}

/// The server catches panics, so that a bug costs one request, one game or one search. That works
/// only if a panic unwinds.
#[test]
fn a_panic_does_not_end_the_released_server() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("the manifest of the workspace");
    let profile = manifest.split("[profile.release]").nth(1).expect("a profile");
    let profile = profile.split("\n[").next().expect("its lines");
    assert!(!profile.contains("panic ="), "{profile}");
}
