//! Checks that the generated TypeScript types in `web/src/net/protocol.ts` are up to date.

use std::path::Path;
use std::{env, fs};

use castellan_protocol::typescript;

/// The environment variable that makes the test write the file before it compares it.
const WRITE: &str = "CASTELLAN_WRITE_TYPES";

#[test]
fn types_of_the_page_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/net/protocol.ts");
    let wanted = typescript::file();
    if env::var_os(WRITE).is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "web/src/net/protocol.ts is out of date; {WRITE}=1 cargo nextest run \
         -p castellan-protocol types writes it"
    );
}
