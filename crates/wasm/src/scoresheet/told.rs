//! The meaning of the tags in a saved game, for reading and for writing.
//!
//! This module defines every tag beyond the required seven that the page writes. `docs/PAGE.md`
//! lists them. The server writes the same tags, so its games can be continued, too.

use castellan_game::{End, EndReason, Settings, TimeControl};
use castellan_pgn::{ClockTime, Game as Sheet, GameResult, Tags};
use castellan_rules::Color;

use crate::games::Program;

/// Why the game ended, for which PGN itself has no tag.
const ENDING: &str = "Ending";
/// Seconds that the clock waits before it runs on each turn.
const DELAY: &str = "Delay";
/// `1` if a touched piece must be moved.
const TOUCH_MOVE: &str = "TouchMove";
/// The squares touched this turn, separated by spaces.
const TOUCHED: &str = "Touched";
/// The color whose draw offer is still unanswered.
const DRAW_OFFER: &str = "DrawOffer";
/// Total time spent on the game.
const DURATION: &str = "GameDuration";

/// The name of the engine in files, in every language of the page.
pub(super) const COMPUTER: &str = "Computer";
const UNKNOWN: &str = "?";
/// Maximum length of a name that is shown.
const MAX_NAME_CHARS: usize = 40;

/// Returns the player's name; empty if it is unknown.
pub(super) fn name(sheet: &Sheet, color: Color) -> String {
    let value = sheet.tags.get(color.fold("White", "Black")).unwrap_or_default();
    let value = if value == UNKNOWN { "" } else { value };
    value.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect()
}

/// Sets a player's name unless the PGN already has it.
pub(super) fn set_name(sheet: &mut Sheet, color: Color, new: &str) {
    if name(sheet, color) != new || sheet.tags.get(color.fold("White", "Black")).is_none() {
        let value = if new.is_empty() { UNKNOWN } else { new };
        sheet.tags.set(color.fold("White", "Black"), value);
    }
}

/// Returns the engine that plays one side against a person; `None` for a game between two
/// engines.
pub(super) fn program(sheet: &Sheet) -> Option<Program> {
    let is_program =
        |color: Color| sheet.tags.get(color.fold("WhiteType", "BlackType")) == Some("program");
    let color = match (is_program(Color::White), is_program(Color::Black)) {
        (true, false) => Color::White,
        (false, true) => Color::Black,
        _ => return None,
    };
    let level = sheet.tags.get(color.fold("WhiteElo", "BlackElo")).and_then(|it| it.parse().ok());
    Some(Program { is_white: color == Color::White, level })
}

/// Sets which side the engine plays, and its level as the rating.
pub(super) fn set_program(sheet: &mut Sheet, new: Option<Program>) {
    let old = program(sheet);
    if old == new {
        return;
    }
    if let Some(old) = old {
        sheet.tags.remove(if old.is_white { "WhiteElo" } else { "BlackElo" });
    }
    for color in Color::ALL {
        let is_program = new.is_some_and(|it| it.is_white == (color == Color::White));
        let kind = if is_program { "program" } else { "human" };
        sheet.tags.set(color.fold("WhiteType", "BlackType"), kind);
    }
    if let Some(Program { is_white, level }) = new {
        let tag = if is_white { "WhiteElo" } else { "BlackElo" };
        match level {
            Some(level) => sheet.tags.set(tag, &level.to_string()),
            None => sheet.tags.remove(tag),
        }
    }
}

/// Returns the time control. Continuing with it requires clock times; without them the game is
/// continued without a clock.
pub(super) fn control(sheet: &Sheet) -> TimeControl {
    let has_final = Color::ALL.iter().any(|color| {
        sheet.tags.get(color.fold("WhiteClock", "BlackClock")).is_some_and(|it| !it.is_empty())
    });
    let has_clocks = has_final || sheet.main_line().any(|at| sheet.clock(at).is_some());
    let text = sheet.tags.get("TimeControl").unwrap_or_default();
    let ms = |text: &str| {
        let ms = text.parse::<f64>().ok()? * 1000.0;
        (0.0..=86_400_000.0).contains(&ms).then_some(ms.round() as u32)
    };
    let (initial, step) = text.split_once('+').unwrap_or((text, "0"));
    let delay_ms = sheet.tags.get(DELAY).and_then(ms);
    match (ms(initial), ms(step), delay_ms) {
        (Some(initial_ms), _, Some(delay_ms)) if has_clocks && initial_ms > 0 => {
            TimeControl::Delay { initial_ms, delay_ms }
        }
        (Some(initial_ms), Some(increment_ms), _) if has_clocks && initial_ms > 0 => {
            TimeControl::Increment { initial_ms, increment_ms }
        }
        _ if has_final && matches!(text, UNKNOWN | "-") => TimeControl::CountUp {},
        _ => TimeControl::Unlimited {},
    }
}

/// Sets the time control. Must be called before clock times are written into a new PGN.
pub(super) fn set_control(tags: &mut Tags, control: TimeControl) {
    let seconds = |ms: u32| f64::from(ms) / 1000.0;
    let text = match control {
        TimeControl::Unlimited {} => "-".into(),
        TimeControl::CountUp {} => UNKNOWN.into(),
        TimeControl::Increment { initial_ms, increment_ms: 0 } => seconds(initial_ms).to_string(),
        TimeControl::Increment { initial_ms, increment_ms } => {
            format!("{}+{}", seconds(initial_ms), seconds(increment_ms))
        }
        TimeControl::Delay { initial_ms, delay_ms } => {
            tags.set(DELAY, &seconds(delay_ms).to_string());
            seconds(initial_ms).to_string()
        }
    };
    tags.set("TimeControl", &text);
}

/// Returns `true` if the game is played with touch-move.
pub(super) fn is_touch_move(sheet: &Sheet) -> bool {
    sheet.tags.get(TOUCH_MOVE) == Some("1")
}

/// Sets the tags for rules that differ from the usual ones.
pub(super) fn set_rules(sheet: &mut Sheet, settings: &Settings) {
    if settings.is_touch_move && !is_touch_move(sheet) {
        sheet.tags.set(TOUCH_MOVE, "1");
    }
    if settings.is_chess960 && !sheet.is_chess960() {
        sheet.tags.set("Variant", "Chess960");
    }
}

/// Returns the squares touched this turn.
pub(super) fn touched(sheet: &Sheet) -> Vec<&str> {
    sheet.tags.get(TOUCHED).unwrap_or_default().split_ascii_whitespace().take(64).collect()
}

pub(super) fn set_touched(tags: &mut Tags, squares: &[castellan_rules::Square]) {
    let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
    if squares.is_empty() {
        tags.remove(TOUCHED);
    } else {
        tags.set(TOUCHED, &squares.join(" "));
    }
}

/// Returns the color whose draw offer is unanswered.
pub(super) fn draw_offer(sheet: &Sheet) -> Option<Color> {
    match sheet.tags.get(DRAW_OFFER)? {
        "White" => Some(Color::White),
        "Black" => Some(Color::Black),
        _ => None,
    }
}

pub(super) fn set_draw_offer(tags: &mut Tags, by: Option<Color>) {
    match by {
        Some(by) => tags.set(DRAW_OFFER, by.fold("White", "Black")),
        None => tags.remove(DRAW_OFFER),
    }
}

/// Returns the time spent on the game, if the tags give it.
pub(super) fn duration_ms(sheet: &Sheet) -> Option<u64> {
    let value = sheet.tags.get(DURATION)?;
    ClockTime::parse(value.trim()).map(ClockTime::milliseconds)
}

pub(super) fn set_duration_ms(tags: &mut Tags, ms: u64) {
    tags.set(DURATION, &ClockTime::from_milliseconds(ms).to_string());
}

/// Returns how the PGN says the game ended, for ends that do not follow from the board.
pub(super) fn end(sheet: &Sheet) -> Option<End> {
    let said = sheet.tags.get(ENDING).unwrap_or_default();
    let ends = EndReason::ALL.into_iter().flat_map(|reason| {
        let winners = [Some(Color::White), Some(Color::Black), None];
        winners.map(|winner| End { reason, winner })
    });
    let is_told = |end: &End| end.is_consistent() && end.score() == sheet.result.as_str();
    ends.filter(is_told).find(|end| end.to_string() == said).or_else(|| usual_end(sheet))
}

/// Returns the most likely end for a result if the tags say no more than that a player lost on
/// time.
fn usual_end(sheet: &Sheet) -> Option<End> {
    let termination = sheet.tags.get("Termination").unwrap_or_default().to_ascii_lowercase();
    let is_late = termination.contains("time forfeit");
    match sheet.result {
        GameResult::Win(winner) if is_late => Some(End::win(EndReason::Timeout, winner)),
        GameResult::Win(winner) => Some(End::win(EndReason::Resignation, winner)),
        GameResult::Draw if is_late => Some(End::without_winner(EndReason::TimeoutAgainstNoMate)),
        GameResult::Draw => Some(End::without_winner(EndReason::Agreement)),
        GameResult::Open => None,
    }
}

/// Sets the result and the reason for it, or marks the game as unfinished.
pub(super) fn set_end(sheet: &mut Sheet, end: Option<End>) {
    let Some(end) = end else {
        if sheet.result != GameResult::Open {
            sheet.tags.remove("Termination");
        }
        sheet.tags.remove(ENDING);
        sheet.result = GameResult::Open;
        return;
    };
    sheet.tags.set(ENDING, &end.to_string());
    if sheet.tags.get("Termination").is_some() {
        sheet.tags.set("Termination", termination(end.reason));
    }
    sheet.result = match end.winner {
        Some(winner) => GameResult::Win(winner),
        None if end.reason == EndReason::Aborted => GameResult::Open,
        None => GameResult::Draw,
    };
}

/// Returns the word of the PGN standard for an end reason.
fn termination(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Timeout | EndReason::TimeoutAgainstNoMate => "time forfeit",
        EndReason::Abandoned => "abandoned",
        EndReason::Aborted => "unterminated",
        EndReason::PlyLimit => "adjudication",
        _ => "normal",
    }
}
