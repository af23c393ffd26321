//! Embeds the built web page, if there is one.
//!
//! The folder is `CASTELLAN_PAGE`, or else `web/dist`. Without it nothing is embedded and the
//! server shows a placeholder; a plain `cargo build` needs no Node.
//!
//! If a build script watches a folder that does not exist, Cargo runs it every time. So a missing
//! folder is not watched, and after building the page for the first time, set `CASTELLAN_PAGE` to
//! have it embedded.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CASTELLAN_PAGE");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = env::var_os("CASTELLAN_PAGE").filter(|folder| !folder.is_empty());
    let folder = root.join(given.clone().unwrap_or_else(|| "web/dist".into()));
    let mut files = Vec::new();
    if folder.join("index.html").is_file() {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files)?;
    } else if given.is_some() {
        println!("cargo::error=CASTELLAN_PAGE has no index.html: {}", folder.display());
    }
    files.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut code = String::from("static ASSETS: &[Asset] = &[\n");
    for (number, file) in files.iter().enumerate() {
        let path = file.strip_prefix(&folder).map_err(io::Error::other)?;
        code.push_str(&asset(number, path, &fs::canonicalize(file)?, &out)?);
    }
    code.push_str("];\n");
    fs::write(out.join("assets.rs"), code)
}

/// Collects all files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the code for one file.
fn asset(number: usize, path: &Path, file: &Path, out: &Path) -> io::Result<String> {
    let bytes = fs::read(file)?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let etag = format!("\"{:016x}-{:x}\"", hasher.finish(), bytes.len());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    let small = encoder.finish()?;
    let mut gzip = "None".to_owned();
    // Images and fonts are already compressed and gain next to nothing.
    if small.len() * 10 < bytes.len() * 9 {
        let place = out.join(format!("{number}.gz"));
        fs::write(&place, small)?;
        gzip = format!("Some(include_bytes!({place:?}))");
    }
    let path = path.to_string_lossy().replace('\\', "/");
    let kind = kind(&path);
    let mut code = String::new();
    let _ = writeln!(
        code,
        "    Asset {{ path: {path:?}, kind: {kind:?}, etag: {etag:?}, \
         bytes: include_bytes!({file:?}), gzip: {gzip} }},"
    );
    Ok(code)
}

/// Returns the media type of a file by its extension. Browsers do not execute unknown types.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
