//! Opens a game of a PGN text as it stood when it was saved, or at any of its positions.
//!
//! Times are taken from the PGN: a clock that showed 4:58 shows 4:58 again, even if the time
//! control would have led to a different value.

use core::time::Duration;

use castellan_game::{
    Actor, ClockStart, Command, End, Event, Game, Moment, Proposal, Settings, TimeControl,
};
use castellan_pgn::{ClockTime, Command as PgnCommand, Game as Pgn, NodeId, Played};
use castellan_rules::{CastlingSpelling, Color, UciMove};

use super::{OpenPgn, Players, find, tags};
use crate::error::{ApiError, ErrorCode};
use crate::games::{OpenGame, player_id};
use crate::position::parse_move;

/// Opens a game as it stood when it was written: its clocks continue from there.
pub(crate) fn open(request: &OpenPgn) -> Result<OpenGame, ApiError> {
    let mut pgn = find(&request.text, request.index)?;
    let last = match &request.line {
        Some(line) => follow(&mut pgn, line)?,
        None => pgn.last(),
    };
    // The first replay measures how long the game took; the second places it so that it ends now.
    let took = replay(&pgn, last, Moment::from_millis(0), request)?.1;
    let begin = request.now.saturating_sub(took.as_millis());
    let mut open = replay(&pgn, last, Moment::from_millis(begin), request)?.0;
    let used_ms: u64 = open.game.played().iter().map(|played| played.spent_ms).sum();
    let is_whole = pgn.tree().next(last).is_none();
    let told_ms = tags::duration_ms(&pgn).filter(|_| is_whole);
    let earlier_ms = told_ms.unwrap_or(used_ms);
    open.continue_at(Moment::from_millis(request.now), earlier_ms);
    open.set_pgn(pgn);
    Ok(open)
}

/// Makes the moves to a position the main line of the PGN.
fn follow(pgn: &mut Pgn, line: &[String]) -> Result<NodeId, ApiError> {
    let mut at = NodeId::ROOT;
    for text in line {
        let position = pgn.position(at);
        let mv = parse_move(&position, text)?;
        at = pgn.play(at, mv).map_err(|error| ApiError::new(ErrorCode::NotThere, error))?;
    }
    pgn.make_main(at).map_err(|error| ApiError::new(ErrorCode::NotThere, error))?;
    Ok(at)
}

/// Replays a PGN up to a move, beginning at a given moment. Returns when the game was left.
fn replay(
    pgn: &Pgn,
    last: NodeId,
    begin: Moment,
    request: &OpenPgn,
) -> Result<(OpenGame, Moment), ApiError> {
    let settings = Settings {
        start: *pgn.start(),
        is_chess960: pgn.is_chess960(),
        time_control: TimeControl::of_pgn(pgn),
        clock_start: ClockStart::FirstMove,
        is_rated: false,
        is_touch_move: tags::is_touch_move(pgn),
        allows_takeback: true,
    };
    let mut open = OpenGame::new(settings, begin);
    seat(&mut open, pgn, request, begin)?;
    let mut now = begin;
    for at in pgn.tree().path(last) {
        if !open.game.is_running() {
            break;
        }
        now = make_move(&mut open, pgn, at, now)?;
    }
    if pgn.tree().next(last).is_none() {
        now = finish(&mut open, pgn, request, now)?;
    }
    Ok((open, now))
}

fn seat(open: &mut OpenGame, pgn: &Pgn, request: &OpenPgn, begin: Moment) -> Result<(), ApiError> {
    let before = tags::program(pgn);
    open.program = match &request.players {
        None => before,
        Some(Players::People {}) => None,
        Some(Players::Program { program }) => Some(*program),
    };
    for color in Color::ALL {
        let is_program = open.program.is_some_and(|it| it.color() == color);
        let was_program = before.is_some_and(|it| it.color() == color);
        let name = match (was_program, is_program) {
            (true, false) => String::new(),
            (false, true) => tags::COMPUTER.to_owned(),
            _ => tags::name(pgn, color),
        };
        open.seat(color, &name, begin)?;
    }
    Ok(())
}

/// Plays a move of the PGN with the time it took. Returns when it was made.
fn make_move(open: &mut OpenGame, pgn: &Pgn, at: NodeId, now: Moment) -> Result<Moment, ApiError> {
    let Some(Played::Move(mv)) = pgn.tree().played(at) else {
        return Err(ApiError::new(ErrorCode::NullMove, "a game with a null move cannot be played"));
    };
    let game = &open.game;
    let turn = game.line().turn();
    let command = Command::Move {
        ply: game.ply(),
        mv: UciMove::from_move(mv, CastlingSpelling::KingTakesRook),
        lag: Duration::ZERO,
    };
    // No time passes for the state machine: the PGN gives the clock time after the move.
    let decided = game.decide(Actor::Player(player_id(turn)), &command, now);
    let mut events = decided.map_err(ApiError::from)?;
    let times = times(game, pgn, at, turn, now);
    if let Some(Event::Moved { spent_ms, remaining_ms, .. }) = events.first_mut() {
        (*spent_ms, *remaining_ms) = times;
    }
    let made = now.plus_ms(times.0);
    open.record(events, made)?;
    Ok(made)
}

/// Returns the time that a move took, and the time left after it if the clock counts down.
fn times(game: &Game, pgn: &Pgn, at: NodeId, turn: Color, now: Moment) -> (u64, Option<u64>) {
    let before = game.clocks(now).of(turn);
    let told_ms = pgn.clock(at).map(ClockTime::milliseconds);
    let control = game.settings().time_control;
    let step_ms = u64::from(control.step_ms());
    match (control, before.remaining_ms) {
        (TimeControl::Unlimited {}, _) => (0, None),
        (TimeControl::Delay { .. }, Some(before_ms)) => {
            // A clock without time would have ended the game.
            let left_ms = told_ms.unwrap_or(before_ms).max(1);
            let deducted_ms = before_ms.saturating_sub(left_ms);
            let guess_ms = if deducted_ms > 0 { deducted_ms + step_ms } else { 0 };
            (elapsed_ms(pgn, at).unwrap_or(guess_ms), Some(left_ms))
        }
        (_, Some(before_ms)) => {
            let left_ms = told_ms.unwrap_or(before_ms).max(1);
            (told_ms.map_or(0, |_| (before_ms + step_ms).saturating_sub(left_ms)), Some(left_ms))
        }
        (_, None) => (told_ms.map_or(0, |ms| ms.saturating_sub(before.used_ms)), None),
    }
}

fn elapsed_ms(pgn: &Pgn, at: NodeId) -> Option<u64> {
    pgn.commands(at).find_map(|command| match command {
        PgnCommand::Elapsed(time) => Some(time.milliseconds()),
        _ => None,
    })
}

/// Restores what had happened since the last move. Returns when the game was left.
fn finish(
    open: &mut OpenGame,
    pgn: &Pgn,
    request: &OpenPgn,
    now: Moment,
) -> Result<Moment, ApiError> {
    let turn = open.game.line().turn();
    let now = now.plus_ms(waited_ms(&open.game, turn, pgn.final_clock(turn), now));
    if !open.game.is_running() {
        return Ok(now);
    }
    // If the user continues from a chosen position, the recorded result does not matter.
    if let Some(end) = End::of_pgn(pgn).filter(|_| request.line.is_none()) {
        open.record(vec![Event::Ended(end)], now)?;
        return Ok(now);
    }
    if let Some(by) = tags::draw_offer(pgn) {
        open.record(vec![Event::Offered { by, what: Proposal::Draw }], now)?;
    }
    for square in tags::touched(pgn).into_iter().filter_map(|text| text.parse().ok()) {
        let command = Command::Touch { ply: open.game.ply(), square };
        // A touch that the rules refuse is ignored.
        let _ = open.execute(Actor::Player(player_id(turn)), &command, now);
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
