//! The page's copy of the types is the one that the crate writes.

use std::path::Path;
use std::{env, fs};

use castellan_wasm::typescript;

/// Writes the file instead of comparing it.
const WRITE: &str = "CASTELLAN_WRITE_TYPES";

#[test]
fn types_of_the_page_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/core/types.ts");
    let wanted = typescript::file();
    if env::var_os(WRITE).is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "web/src/core/types.ts is out of date; {WRITE}=1 cargo nextest run \
         -p castellan-wasm types writes it"
    );
}

#[test]
fn types_need_no_big_integers() {
    // JSON.parse gives numbers, so a bigint in the types would be a lie.
    assert!(!typescript::file().contains("bigint"));
}
