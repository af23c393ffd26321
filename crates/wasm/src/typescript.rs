//! The requests and responses as TypeScript types, for the page.
//!
//! This module generates the text of `web/src/core/types.ts`; a test compares the file with it.
//! Types that the page also gets from the server are imported from `web/src/net/protocol.ts`.

use std::collections::BTreeMap;

use castellan_protocol::SearchMessage;
use ts_rs::{TS, TypeVisitor};

use crate::api::{signatures, visit_types};
use crate::error::ErrorCode;
use crate::puzzles::PuzzleProgress;

const HEAD: &str = "\
// Requests to the WebAssembly modules, and their responses. Written by the tests of castellan-wasm:
// change the types there, then run CASTELLAN_WRITE_TYPES=1 cargo nextest run -p castellan-wasm types
// in the workspace.

import type {
  EndReason,
  GameEvent,
  GameHappening,
  Proposal,
  RefusalCode,
  Settings,
  Snapshot,
  TimeControl,
} from \"../net/protocol\";

export type { EndReason, Proposal, RefusalCode, Settings, TimeControl };

/** The 64 squares from a1 to h8: a piece letter, or a dot for an empty square. */
export type BoardText = string;

/** An event with its place in the record of a game. */
export type Recorded = { version: number; at: number; event: GameHappening };
";

/// Returns the whole file.
pub fn file() -> String {
    let text = [HEAD.to_owned(), codes(), declarations(), api()].concat();
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// Returns the codes of errors.
fn codes() -> String {
    format!(
        "{}\n/** Why a request failed: a code for the page, a text for developers. */\n\
         export type ApiError = {{ code: ErrorCode | RefusalCode; text: string }};\n",
        declaration::<ErrorCode>()
    )
}

/// Returns one type that lists all requests by name, each with its parameters and its response.
fn api() -> String {
    let lines = signatures().into_iter().map(|[comment, name, request, response]| {
        format!("  /** {comment} */\n  {name}: {{ request: {request}; response: {response} }};\n")
    });
    let lines: String = lines.collect();
    format!("\n/** All requests by name. */\nexport interface Api {{\n{lines}}}\n")
}

/// Returns the declarations of all types that requests and responses consist of, by name.
fn declarations() -> String {
    let mut types = Types::default();
    visit_types(&mut types);
    // The engine sends reports while a request is running, and the server's engines send messages.
    types.visit::<SearchMessage>();
    types.visit::<PuzzleProgress>();
    types.declarations.into_values().collect()
}

/// The types found so far.
#[derive(Default)]
struct Types {
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only types that are declared have a file of their own.
        if T::output_path().is_none() || self.declarations.contains_key(&T::name()) {
            return;
        }
        self.declarations.insert(T::name(), declaration::<T>());
        T::visit_dependencies(self);
    }
}

/// Returns one declaration with its comment.
fn declaration<T: TS + ?Sized>() -> String {
    let comment = T::docs().unwrap_or_default();
    format!("\n{}\nexport {}\n", comment.trim_end(), T::decl())
}
