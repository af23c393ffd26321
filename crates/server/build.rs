//! Embeds the built web page in the binary if `CASTELLAN_EMBED_PAGE` names its folder, relative to
//! the root of the workspace. Otherwise nothing is embedded, so a plain `cargo build` needs no
//! Node.js and is not affected by changes to the page.

#[path = "src/pages/files.rs"]
mod files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;

const FOLDER: &str = "CASTELLAN_EMBED_PAGE";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/pages/files.rs");
    println!("cargo::rerun-if-env-changed={FOLDER}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut code = String::from("fn embedded() -> Vec<Asset> {\n    vec![\n");
    if let Some(folder) = env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        match files::read(&folder, Compression::best()) {
            Ok(files) => embed(&files, &out, &mut code)?,
            Err(error) => println!("cargo::error={FOLDER}: {error}"),
        }
    }
    code.push_str("    ]\n}\n");
    fs::write(out.join("assets.rs"), code)
}

/// Copies the files to `out` and appends the code that includes them.
fn embed(files: &[files::PageFile], out: &Path, code: &mut String) -> io::Result<()> {
    for (number, file) in files.iter().enumerate() {
        let files::PageFile { path, kind, etag, bytes, gzip } = file;
        let include = |extension: &str, bytes: &[u8]| {
            let copy = out.join(format!("{number}.{extension}"));
            fs::write(&copy, bytes)?;
            io::Result::Ok(format!("Bytes::from_static(include_bytes!({copy:?}))"))
        };
        let bytes = include("raw", bytes)?;
        let gzip = gzip.as_ref().map(|gzip| include("gz", gzip)).transpose()?;
        let gzip = gzip.map_or("None".to_owned(), |gzip| format!("Some({gzip})"));
        let _ = writeln!(
            code,
            "        Asset {{ path: {path:?}.into(), kind: {kind:?}, \
             etag: HeaderValue::from_static({etag:?}), bytes: {bytes}, gzip: {gzip} }},"
        );
    }
    Ok(())
}
