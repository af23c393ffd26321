//! Games as PGN: written with their clocks, and opened again just as they stood.
//!
//! Owns: which tags the page's games carry, and how a game is played again from its text. Times
//! are told by `%clk`: what is left where a clock counts down, what was used where it counts up.

use core::time::Duration;

use castellan_game::{
    Actor, ClockStart, Command, End, EndReason, Event, Game, Moment, Settings, TimeControl,
};
use castellan_pgn::{
    ClockTime, Flow, Game as Sheet, GameResult, Mode, for_each_game, line_and_column,
};
use castellan_rules::{CastlingSpelling, Color, UciMove};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::desk::{Answer, Failure, told};
use crate::games::{OpenGame, id};

/// How many games of a text are listed.
const MAX_LISTED: usize = 10_000;

/// The tag that says why a game ended, which PGN itself has no word for.
const ENDING: &str = "Ending";

/// A game to be written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Export {
    pub(crate) game: u32,
    event: String,
    /// As PGN writes it, `2026.11.15`.
    date: String,
    now: u64,
}

/// A text to be listed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Import {
    text: String,
}

/// A game of a text to be opened.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opening {
    text: String,
    index: usize,
    pub(crate) now: u64,
}

pub(crate) fn write(open: &OpenGame, export: &Export) -> Answer {
    let game = &open.game;
    let mut sheet = Sheet::from_line(game.line());
    let name = |color| game.seats().get(color).map_or("?", |player| player.name.as_str());
    for (tag, value) in [
        ("Event", export.event.as_str()),
        ("Site", "?"),
        ("Date", &export.date),
        ("Round", "-"),
        ("White", name(Color::White)),
        ("Black", name(Color::Black)),
        ("TimeControl", &control_text(game.settings().time_control)),
    ] {
        sheet.tags.set(tag, value);
    }
    if game.settings().is_chess960 {
        sheet.tags.set("Variant", "Chess960");
    }
    if let Some(end) = game.end() {
        sheet.tags.set(ENDING, &end.to_string());
        sheet.result = match end.winner {
            Some(winner) => GameResult::Win(winner),
            None if end.reason == EndReason::Aborted => GameResult::Open,
            None => GameResult::Draw,
        };
    }
    add_clocks(&mut sheet, game, Moment::from_millis(export.now));
    told(sheet.to_string())
}

fn add_clocks(sheet: &mut Sheet, game: &Game, now: Moment) {
    let control = game.settings().time_control;
    if control == (TimeControl::Unlimited {}) {
        return;
    }
    let nodes: Vec<_> = sheet.main_line().collect();
    let mut used_ms = [0; 2];
    let mut turn = game.line().start().turn();
    for (at, played) in nodes.into_iter().zip(game.played()) {
        used_ms[turn.index()] += played.spent_ms;
        let shown_ms = played.remaining_ms.unwrap_or(used_ms[turn.index()]);
        sheet.set_clock(at, ClockTime::from_milliseconds(shown_ms));
        turn = !turn;
    }
    let shown = game.clocks(now);
    for color in Color::ALL {
        let clock = shown.of(color);
        let shown_ms = clock.remaining_ms.unwrap_or(clock.used_ms);
        sheet.set_final_clock(color, ClockTime::from_milliseconds(shown_ms));
    }
}

fn control_text(control: TimeControl) -> String {
    let seconds = |ms: u32| f64::from(ms) / 1000.0;
    match control {
        TimeControl::Unlimited {} => "-".into(),
        TimeControl::CountUp {} => "?".into(),
        TimeControl::Increment { initial_ms, increment_ms: 0 } => seconds(initial_ms).to_string(),
        TimeControl::Increment { initial_ms, increment_ms: step_ms }
        | TimeControl::Delay { initial_ms, delay_ms: step_ms } => {
            format!("{}+{}", seconds(initial_ms), seconds(step_ms))
        }
    }
}

/// The time control that a tag tells of. Without one, clocks on the moves are taken to count up.
fn read_control(sheet: &Sheet) -> TimeControl {
    let has_clocks = sheet.main_line().any(|at| sheet.clock(at).is_some());
    let text = sheet.tags.get("TimeControl").unwrap_or("-");
    let ms = |text: &str| {
        let ms = text.parse::<f64>().ok()? * 1000.0;
        (0.0..=86_400_000.0).contains(&ms).then_some(ms.round() as u32)
    };
    let (initial, step) = text.split_once('+').unwrap_or((text, "0"));
    match (ms(initial), ms(step)) {
        (Some(initial_ms), Some(increment_ms)) if has_clocks && initial_ms > 0 => {
            TimeControl::Increment { initial_ms, increment_ms }
        }
        _ if has_clocks && text == "?" => TimeControl::CountUp {},
        _ => TimeControl::Unlimited {},
    }
}

pub(crate) fn read(import: &Import) -> Answer {
    let mut games = Vec::new();
    for_each_game(import.text.as_bytes(), Mode::Lenient, |sheet| {
        games.push(summary(&sheet, import.text.as_bytes()));
        if games.len() < MAX_LISTED { Flow::Continue } else { Flow::Stop }
    });
    told(games)
}

fn summary(sheet: &Sheet, source: &[u8]) -> Value {
    let tag = |name: &str| sheet.tags.get(name).unwrap_or("?").to_owned();
    let problems: Vec<Value> = sheet
        .problems
        .iter()
        .map(|problem| {
            let (line, column) = line_and_column(source, problem.at);
            json!({ "line": line, "column": column, "token": problem.token,
                "text": problem.kind.to_string() })
        })
        .collect();
    json!({
        "white": tag("White"), "black": tag("Black"), "event": tag("Event"), "date": tag("Date"),
        "result": sheet.result.as_str(),
        "plies": sheet.main_line().count(),
        "problems": problems,
    })
}

/// The game as it stood when it was written: its clocks go on from there.
pub(crate) fn open(opening: &Opening) -> Result<OpenGame, Failure> {
    let mut index = 0;
    let mut found = None;
    for_each_game(opening.text.as_bytes(), Mode::Lenient, |sheet| {
        if index == opening.index {
            found = Some(sheet);
            return Flow::Stop;
        }
        index += 1;
        Flow::Continue
    });
    let sheet =
        found.ok_or_else(|| Failure::new("no_game", "there is no such game in the text"))?;
    // Once to learn how long it took, and once more so that it has just been left.
    let took = replay(&sheet, Moment::from_millis(0))?.1;
    let begin = opening.now.saturating_sub(took.as_millis());
    Ok(replay(&sheet, Moment::from_millis(begin))?.0)
}

/// Plays a sheet from a moment on; says when it was left.
fn replay(sheet: &Sheet, begin: Moment) -> Result<(OpenGame, Moment), Failure> {
    let settings = Settings {
        start: *sheet.start(),
        is_chess960: sheet.is_chess960(),
        time_control: read_control(sheet),
        clock_start: ClockStart::FirstMove,
        is_rated: false,
        is_touch_move: false,
        allows_takeback: true,
    };
    let mut open = OpenGame::new(settings, begin);
    for (color, tag) in [(Color::White, "White"), (Color::Black, "Black")] {
        open.seat(color, sheet.tags.get(tag).unwrap_or("?"), begin)?;
    }
    let mut now = begin;
    let line = sheet.to_line();
    for (at, &mv) in sheet.main_line().zip(line.moves()) {
        if !open.game.is_running() {
            break;
        }
        let turn = open.game.line().turn();
        now = now.plus_ms(spent_ms(&open.game, turn, sheet.clock(at), now));
        let (ply, lag) = (open.game.ply(), Duration::ZERO);
        let mv = UciMove::from_move(mv, CastlingSpelling::KingTakesRook);
        let actor = Actor::Player(id(turn == Color::White));
        open.obey(actor, &Command::Move { ply, mv, lag }, now)?;
    }
    let turn = open.game.line().turn();
    now = now.plus_ms(waited_ms(&open.game, turn, sheet.final_clock(turn), now));
    if let Some(end) = told_end(sheet).filter(|_| open.game.is_running()) {
        open.happen(vec![Event::Ended(end)], now)?;
    }
    Ok((open, now))
}

/// How long the mover thought, told from the clock after the move.
fn spent_ms(game: &Game, turn: Color, after: Option<ClockTime>, now: Moment) -> u64 {
    let clocks = game.clocks(now);
    let Some(after_ms) = after.map(ClockTime::milliseconds).filter(|_| clocks.running.is_some())
    else {
        return 0;
    };
    let clock = clocks.of(turn);
    match clock.remaining_ms {
        // A clock that went down to nothing would have ended the game.
        Some(before_ms) => (before_ms + u64::from(game.settings().time_control.step_ms()))
            .saturating_sub(after_ms)
            .min(before_ms.saturating_sub(1)),
        None => after_ms.saturating_sub(clock.used_ms),
    }
}

/// How long the one to move had thought when the game was left.
fn waited_ms(game: &Game, turn: Color, left: Option<ClockTime>, now: Moment) -> u64 {
    let clocks = game.clocks(now);
    let Some(left_ms) = left.map(ClockTime::milliseconds).filter(|_| clocks.running.is_some())
    else {
        return 0;
    };
    let clock = clocks.of(turn);
    match clock.remaining_ms {
        Some(before_ms) => before_ms.saturating_sub(left_ms),
        None => left_ms.saturating_sub(clock.used_ms),
    }
}

/// How the sheet says the game ended, where the board does not.
fn told_end(sheet: &Sheet) -> Option<End> {
    let said = sheet.tags.get(ENDING).unwrap_or_default();
    let ends = EndReason::ALL.into_iter().flat_map(|reason| {
        let winners = [Some(Color::White), Some(Color::Black), None];
        winners.map(|winner| End { reason, winner })
    });
    let is_told = |end: &End| end.is_consistent() && end.score() == sheet.result.as_str();
    ends.filter(is_told).find(|end| end.to_string() == said).or_else(|| usual_end(sheet))
}

/// How a game with such a result has ended, where nothing is said but perhaps of the clock.
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
