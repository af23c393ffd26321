//! Opens a game of a PGN text as it stood when it was saved, or at any of its positions.
//!
//! Times are taken from the PGN: a clock that showed 4:58 shows 4:58 again, even if the time
//! control would have led to a different value.

use core::time::Duration;

use castellan_game::{
    Actor, ClockStart, Command as Deed, Event, Game, Moment, Proposal, Settings, TimeControl,
};
use castellan_pgn::{ClockTime, Command, Game as Sheet, NodeId, Played};
use castellan_rules::{CastlingSpelling, Color, UciMove};

use super::{Opening, Players, find, told};
use crate::desk::Failure;
use crate::games::{OpenGame, id};
use crate::position::parse_move;

/// Opens a game as it stood when it was written: its clocks continue from there.
pub(crate) fn open(opening: &Opening) -> Result<OpenGame, Failure> {
    let mut sheet = find(&opening.text, opening.index)?;
    let last = match &opening.line {
        Some(line) => follow(&mut sheet, line)?,
        None => sheet.last(),
    };
    // The first replay measures how long the game took; the second places it so that it ends now.
    let took = replay(&sheet, last, Moment::from_millis(0), opening)?.1;
    let begin = opening.now.saturating_sub(took.as_millis());
    let mut open = replay(&sheet, last, Moment::from_millis(begin), opening)?.0;
    let used_ms: u64 = open.game.played().iter().map(|played| played.spent_ms).sum();
    let is_whole = sheet.tree().next(last).is_none();
    let told_ms = told::duration_ms(&sheet).filter(|_| is_whole);
    let earlier_ms = told_ms.unwrap_or(used_ms);
    open.continue_at(Moment::from_millis(opening.now), earlier_ms);
    open.take_sheet(sheet);
    Ok(open)
}

/// Makes the moves to a position the main line of the PGN.
fn follow(sheet: &mut Sheet, line: &[String]) -> Result<NodeId, Failure> {
    let mut at = NodeId::ROOT;
    for text in line {
        let position = sheet.position(at);
        let mv = parse_move(&position, text)?;
        at = sheet.play(at, mv).map_err(|error| Failure::new("not_there", error))?;
    }
    sheet.make_main(at).map_err(|error| Failure::new("not_there", error))?;
    Ok(at)
}

/// Replays a PGN up to a move, beginning at a given moment. Returns when the game was left.
fn replay(
    sheet: &Sheet,
    last: NodeId,
    begin: Moment,
    opening: &Opening,
) -> Result<(OpenGame, Moment), Failure> {
    let settings = Settings {
        start: *sheet.start(),
        is_chess960: sheet.is_chess960(),
        time_control: told::control(sheet),
        clock_start: ClockStart::FirstMove,
        is_rated: false,
        is_touch_move: told::is_touch_move(sheet),
        allows_takeback: true,
    };
    let mut open = OpenGame::new(settings, begin);
    seat(&mut open, sheet, opening, begin)?;
    let mut now = begin;
    for at in sheet.tree().path(last) {
        if !open.game.is_running() {
            break;
        }
        now = make_move(&mut open, sheet, at, now)?;
    }
    if sheet.tree().next(last).is_none() {
        now = finish(&mut open, sheet, opening, now)?;
    }
    Ok((open, now))
}

fn seat(
    open: &mut OpenGame,
    sheet: &Sheet,
    opening: &Opening,
    begin: Moment,
) -> Result<(), Failure> {
    let before = told::program(sheet);
    open.program = match &opening.players {
        None => before,
        Some(Players::People {}) => None,
        Some(Players::Program { program }) => Some(*program),
    };
    for color in Color::ALL {
        let is_program = open.program.is_some_and(|it| it.color() == color);
        let was_program = before.is_some_and(|it| it.color() == color);
        let name = match (was_program, is_program) {
            (true, false) => String::new(),
            (false, true) => told::COMPUTER.to_owned(),
            _ => told::name(sheet, color),
        };
        open.seat(color, &name, begin)?;
    }
    Ok(())
}

/// Plays a move of the PGN with the time it took. Returns when it was made.
fn make_move(
    open: &mut OpenGame,
    sheet: &Sheet,
    at: NodeId,
    now: Moment,
) -> Result<Moment, Failure> {
    let Some(Played::Move(mv)) = sheet.tree().played(at) else {
        return Err(Failure::new("null_move", "a game with a null move cannot be played"));
    };
    let game = &open.game;
    let turn = game.line().turn();
    let deed = Deed::Move {
        ply: game.ply(),
        mv: UciMove::from_move(mv, CastlingSpelling::KingTakesRook),
        lag: Duration::ZERO,
    };
    // No time passes for the state machine: the PGN gives the clock time after the move.
    let decided = game.decide(Actor::Player(id(turn == Color::White)), &deed, now);
    let mut events = decided.map_err(|refusal| Failure::new(refusal.code(), refusal))?;
    let times = times(game, sheet, at, turn, now);
    if let Some(Event::Moved { spent_ms, remaining_ms, .. }) = events.first_mut() {
        (*spent_ms, *remaining_ms) = times;
    }
    let made = now.plus_ms(times.0);
    open.happen(events, made)?;
    Ok(made)
}

/// Returns the time that a move took, and the time left after it if the clock counts down.
fn times(game: &Game, sheet: &Sheet, at: NodeId, turn: Color, now: Moment) -> (u64, Option<u64>) {
    let before = game.clocks(now).of(turn);
    let told_ms = sheet.clock(at).map(ClockTime::milliseconds);
    let control = game.settings().time_control;
    let step_ms = u64::from(control.step_ms());
    match (control, before.remaining_ms) {
        (TimeControl::Unlimited {}, _) => (0, None),
        (TimeControl::Delay { .. }, Some(before_ms)) => {
            // A clock without time would have ended the game.
            let left_ms = told_ms.unwrap_or(before_ms).max(1);
            let deducted_ms = before_ms.saturating_sub(left_ms);
            let guess_ms = if deducted_ms > 0 { deducted_ms + step_ms } else { 0 };
            (elapsed_ms(sheet, at).unwrap_or(guess_ms), Some(left_ms))
        }
        (_, Some(before_ms)) => {
            let left_ms = told_ms.unwrap_or(before_ms).max(1);
            (told_ms.map_or(0, |_| (before_ms + step_ms).saturating_sub(left_ms)), Some(left_ms))
        }
        (_, None) => (told_ms.map_or(0, |ms| ms.saturating_sub(before.used_ms)), None),
    }
}

fn elapsed_ms(sheet: &Sheet, at: NodeId) -> Option<u64> {
    sheet.commands(at).find_map(|command| match command {
        Command::Elapsed(time) => Some(time.milliseconds()),
        _ => None,
    })
}

/// Restores what had happened since the last move. Returns when the game was left.
fn finish(
    open: &mut OpenGame,
    sheet: &Sheet,
    opening: &Opening,
    now: Moment,
) -> Result<Moment, Failure> {
    let turn = open.game.line().turn();
    let now = now.plus_ms(waited_ms(&open.game, turn, sheet.final_clock(turn), now));
    if !open.game.is_running() {
        return Ok(now);
    }
    // If the user continues from a chosen position, the recorded result does not matter.
    if let Some(end) = told::end(sheet).filter(|_| opening.line.is_none()) {
        open.happen(vec![Event::Ended(end)], now)?;
        return Ok(now);
    }
    if let Some(by) = told::draw_offer(sheet) {
        open.happen(vec![Event::Offered { by, what: Proposal::Draw }], now)?;
    }
    for square in told::touched(sheet).into_iter().filter_map(|text| text.parse().ok()) {
        let deed = Deed::Touch { ply: open.game.ply(), square };
        // A touch that the rules refuse is ignored.
        let _ = open.obey(Actor::Player(id(turn == Color::White)), &deed, now);
    }
    Ok(now)
}

/// Returns how long the player to move had been thinking when the game was left.
fn waited_ms(game: &Game, turn: Color, left: Option<ClockTime>, now: Moment) -> u64 {
    let clocks = game.clocks(now);
    let Some(left_ms) = left.map(ClockTime::milliseconds).filter(|_| clocks.running.is_some())
    else {
        return 0;
    };
    let clock = clocks.of(turn);
    match clock.remaining_ms {
        Some(before_ms) => {
            let deducted_ms = before_ms.saturating_sub(left_ms);
            let delay_ms = match game.settings().time_control {
                TimeControl::Delay { delay_ms, .. } if deducted_ms > 0 => delay_ms,
                _ => 0,
            };
            deducted_ms + u64::from(delay_ms)
        }
        None => left_ms.saturating_sub(clock.used_ms),
    }
}
