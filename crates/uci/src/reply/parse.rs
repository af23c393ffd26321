//! Parses a line into an [`EngineReply`].

use crate::words::{Words, read_move};
use crate::{BestMove, CheckState, EngineOption, EngineReply, Expected, Id, ParseUciError, Report};

/// Parses a line whose first word is a reply.
pub(super) fn reply(line: &str) -> Result<EngineReply, ParseUciError> {
    let mut words = Words::new(line);
    let unknown = words.expected(Expected::Reply);
    Ok(match words.next().map(|word| word.text) {
        Some("id") => EngineReply::Id(id(&mut words)?),
        Some("uciok") => EngineReply::UciOk,
        Some("readyok") => EngineReply::ReadyOk,
        Some("bestmove") => EngineReply::BestMove(best_move(&mut words)?),
        Some("copyprotection") => EngineReply::CopyProtection(check_state(&mut words)?),
        Some("registration") => EngineReply::Registration(check_state(&mut words)?),
        Some("info") => EngineReply::Info(Box::new(Report::parse(&mut words)?)),
        Some("option") => EngineReply::Option(EngineOption::parse(&mut words)?),
        _ => return Err(unknown),
    })
}

fn id(words: &mut Words<'_>) -> Result<Id, ParseUciError> {
    let kind = words.value(Expected::NameOrAuthor, |word| match word {
        "name" => Some(Id::Name as fn(String) -> Id),
        "author" => Some(Id::Author as fn(String) -> Id),
        _ => None,
    })?;
    Ok(kind(words.rest()))
}

fn best_move(words: &mut Words<'_>) -> Result<BestMove, ParseUciError> {
    let mv = words.value(Expected::Move, optional_move)?;
    // The ponder move is optional, so one that cannot be parsed is ignored.
    let ponder = if words.take("ponder") { words.mv().ok() } else { None };
    Ok(BestMove { mv, ponder })
}

/// Parses a move, or one of the words that engines use for no move.
fn optional_move(word: &str) -> Option<Option<castellan_rules::UciMove>> {
    match word {
        "(none)" | "none" | "NULL" | "null" => Some(None),
        _ => read_move(word).map(Some),
    }
}

fn check_state(words: &mut Words<'_>) -> Result<CheckState, ParseUciError> {
    words.value(Expected::CheckState, |word| match word {
        "checking" => Some(CheckState::Checking),
        "ok" => Some(CheckState::Ok),
        "error" => Some(CheckState::Error),
        _ => None,
    })
}
