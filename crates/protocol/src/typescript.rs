//! The messages as TypeScript types, for the page.
//!
//! This module generates the text of `web/src/net/protocol.ts`; a test compares the file with it.
//! `castellan-wasm` generates its types in the same way and imports those of this file.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use castellan_game::Refusal;
use ts_rs::{TS, TypeVisitor};

use crate::{ClientMessage, PROTOCOL_VERSION, ServerCode, ServerMessage};

const HEAD: &str = "\
// What server and page say to each other. Written by the tests of castellan-protocol: change the
// types there, then run CASTELLAN_WRITE_TYPES=1 cargo nextest run -p castellan-protocol types
// in the workspace. docs/PROTOCOL.md explains the messages.
";

/// String types whose form TypeScript cannot express.
const TEXTS: &str = "
/** White or Black. */
export type Color = \"white\" | \"black\";

/** A square such as `e4`. */
export type Square = string;

/** A move as in UCI: `e2e4`, `e7e8q`, `e1g1`; in Chess960 castling is `e1h1`. */
export type UciMove = string;
";

/// Returns the whole file.
pub fn file() -> String {
    let version = format!(
        "\n/** The newest version of the protocol. */\n\
         export const PROTOCOL_VERSION = {PROTOCOL_VERSION};\n"
    );
    finished(&[
        HEAD,
        &version,
        TEXTS,
        &union("RefusalCode", "Why a game refuses an action.", Refusal::CODES),
        &declarations().text(),
    ])
}

/// Returns the declarations of all messages and of the types that they consist of.
pub fn declarations() -> Declarations {
    let mut declarations = Declarations::default();
    declarations.visit::<ClientMessage>();
    declarations.visit::<ServerMessage>();
    declarations.visit::<ServerCode>();
    declarations
}

/// Returns the declaration of a type whose values are some texts.
pub fn union(name: &str, comment: &str, texts: &[&str]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    format!("\n/** {comment} */\nexport type {name} = {};\n", quoted.join(" | "))
}

/// Returns the text of a file from its parts. `JSON.parse` returns numbers, however large they are,
/// so there are no big integers.
pub fn finished(parts: &[&str]) -> String {
    let text = parts.concat().replace("bigint", "number");
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// The declarations of the types that were visited and of those that they consist of, by name.
#[derive(Default)]
pub struct Declarations {
    declared: BTreeMap<String, String>,
    types: HashSet<TypeId>,
    /// The types that another file declares, and the names of those that were visited.
    elsewhere: HashSet<TypeId>,
    imported: BTreeSet<String>,
}

impl Declarations {
    /// Creates an empty set that imports the types of another file instead of declaring them.
    pub fn importing_from(other: Declarations) -> Declarations {
        Declarations { elsewhere: other.types, ..Declarations::default() }
    }

    /// Returns the text of all declarations.
    pub fn text(&self) -> String {
        self.declared.values().map(String::as_str).collect()
    }

    /// Returns the names of the types that are imported.
    pub fn imported(&self) -> impl Iterator<Item = &str> {
        self.imported.iter().map(String::as_str)
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only types that are declared have a file of their own.
        if T::output_path().is_none() {
            return;
        }
        let id = TypeId::of::<T>();
        if self.elsewhere.contains(&id) {
            self.imported.insert(T::name());
        } else if self.types.insert(id) {
            let comment = T::docs().unwrap_or_default();
            let text = format!("\n{}\nexport {}\n", comment.trim_end(), T::decl());
            self.declared.insert(T::name(), text);
            T::visit_dependencies(self);
        }
    }
}
