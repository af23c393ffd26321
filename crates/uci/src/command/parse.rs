//! Parses a line into a [`GuiCommand`].

use crate::words::Words;
use crate::{Expected, Go, GuiCommand, ParseUciError, PositionCommand, Register, SetOption};

/// Parses a line, starting at the first word that is a command.
pub(super) fn command(
    line: &str,
    skipped: &mut dyn FnMut(usize, &str),
) -> Result<GuiCommand, ParseUciError> {
    let mut words = Words::new(line);
    let nothing = words.expected(Expected::Command);
    while let Some(word) = words.next() {
        return Ok(match word.text {
            "uci" => GuiCommand::Uci,
            "debug" => GuiCommand::Debug(words.value(Expected::OnOrOff, on_or_off)?),
            "isready" => GuiCommand::IsReady,
            "setoption" => GuiCommand::SetOption(set_option(&mut words)?),
            "register" => GuiCommand::Register(register(&mut words)?),
            "ucinewgame" => GuiCommand::UciNewGame,
            "position" => GuiCommand::Position(PositionCommand::parse(&mut words)?),
            "go" => GuiCommand::Go(Box::new(Go::parse(&mut words, skipped)?)),
            "stop" => GuiCommand::Stop,
            "ponderhit" => GuiCommand::PonderHit,
            "quit" => GuiCommand::Quit,
            unknown => {
                skipped(word.at, unknown);
                continue;
            }
        });
    }
    Err(nothing)
}

fn on_or_off(word: &str) -> Option<bool> {
    match word {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn set_option(words: &mut Words<'_>) -> Result<SetOption, ParseUciError> {
    if !words.take("name") {
        return Err(words.expected(Expected::Name));
    }
    let name = words.until(&["value"]);
    if name.is_empty() {
        return Err(words.expected(Expected::Name));
    }
    // The value keeps its spaces: it may be a path with two in a row.
    let value = words.take("value").then(|| words.rest());
    Ok(SetOption { name, value })
}

fn register(words: &mut Words<'_>) -> Result<Register, ParseUciError> {
    if words.take("later") {
        return Ok(Register::Later);
    }
    let name = words.take("name").then(|| words.until(&["code"])).filter(|text| !text.is_empty());
    let code = words.take("code").then(|| words.until(&[])).filter(|text| !text.is_empty());
    if words.peek().is_some() {
        return Err(words.expected(Expected::Registration));
    }
    Ok(Register::Now { name, code })
}
