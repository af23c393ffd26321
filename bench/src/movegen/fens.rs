//! The FENs for the `fen` measurement.

use anyhow::{Result, ensure};

use super::library::ChessLibrary;

/// Returns the FENs that every library accepts. Rejecting a FEN is faster than accepting it, so this
/// keeps a library from gaining by it. If libraries find different numbers of legal moves in a
/// position, one of them has misread it, which is an error.
pub(super) fn agreed(
    fens: Vec<String>,
    libraries: &[Box<dyn ChessLibrary>],
) -> Result<Vec<String>> {
    let mut rejected = vec![0_usize; libraries.len()];
    let mut agreed = Vec::with_capacity(fens.len());
    for fen in fens {
        let mut accepted = Vec::new();
        for (library, rejected) in libraries.iter().zip(&mut rejected) {
            match library.count(&fen, 1) {
                Ok(moves) => accepted.push((library.name(), moves)),
                Err(_) => *rejected += 1,
            }
        }
        for pair in accepted.windows(2) {
            let [(first, moves), (other, other_moves)] = [pair[0], pair[1]];
            ensure!(
                moves == other_moves,
                "{fen}: {first} finds {moves} legal moves, {other} finds {other_moves}"
            );
        }
        if accepted.len() == libraries.len() {
            agreed.push(fen);
        }
    }
    for (library, rejected) in libraries.iter().zip(rejected).filter(|(_, count)| *count > 0) {
        let name = library.name();
        eprintln!("fen: {name} rejects {rejected} positions; they are skipped for all");
    }
    ensure!(!agreed.is_empty(), "fen: no position is accepted by all libraries");
    Ok(agreed)
}
