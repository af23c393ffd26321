//! Reads the files of a built page from its folder. The build script uses this module to embed a
//! page in the binary, and the server uses it to serve a page from a folder.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A file of the page, as it is sent.
pub(crate) struct PageFile {
    /// Path within the folder, with slashes and without a leading one.
    pub(crate) path: String,
    /// Media type.
    pub(crate) kind: &'static str,
    pub(crate) etag: String,
    pub(crate) bytes: Vec<u8>,
    /// The compressed file, unless it is hardly smaller.
    pub(crate) gzip: Option<Vec<u8>>,
}

/// Reads all files below a folder, sorted by path. Fails if there is no `index.html`.
pub(crate) fn read(folder: &Path, level: Compression) -> io::Result<Vec<PageFile>> {
    if !folder.join("index.html").is_file() {
        let message = format!("there is no page in {}: index.html is missing", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    paths.iter().map(|path| read_file(folder, path, level)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

fn read_file(folder: &Path, path: &Path, level: Compression) -> io::Result<PageFile> {
    let bytes = fs::read(path)?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let etag = format!("\"{:016x}-{:x}\"", hasher.finish(), bytes.len());
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(&bytes)?;
    // Images and fonts are already compressed and gain next to nothing.
    let gzip = Some(encoder.finish()?).filter(|gzip| gzip.len() * 10 < bytes.len() * 9);
    let path = path.strip_prefix(folder).map_err(io::Error::other)?;
    let path = path.to_string_lossy().replace('\\', "/");
    Ok(PageFile { kind: kind(&path), path, etag, bytes, gzip })
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
