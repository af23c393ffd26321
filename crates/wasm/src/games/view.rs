//! Views of a game for the page: the whole game, and what a command or an event changes.
//!
//! A view consists of the plies, of which only new ones are rendered, and of the state, whose size
//! does not depend on the length of the game. So a change costs the same early and late in a game.
//! Invariant: a view to which all changes are applied equals the view of the game as it stands.

use castellan_game::{Clock, Game, Moment, Obligation, Proposal, Settings};
use castellan_rules::{CastlingSpelling, Color, Move, Position, UciMove, san};
use serde::{Deserialize, Serialize};

use super::open_game::OpenGame;
use crate::view::{self, ColorView, EndView, PositionView};

/// A game with all its plies.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct GameView {
    /// Number of the game while it is open.
    game: u32,
    program: Option<Program>,
    settings: Settings,
    start: PositionView,
    /// Number of the first move, as in FEN.
    first_number: u32,
    plies: Vec<PlyView>,
    #[serde(flatten)]
    state: GameState,
}

/// What a command or an event changes.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct GameChange {
    /// Number of plies that stay; the others are gone.
    kept: usize,
    /// The plies that follow them.
    added: Vec<PlyView>,
    state: GameState,
}

/// Everything that can change in a game, except its plies.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct GameState {
    /// Number of events so far.
    version: u32,
    /// The ply to be played next. A move that waits for the server is not counted.
    ply: u32,
    /// Names of the players; empty if unknown.
    white: String,
    black: String,
    ratings: Ratings,
    /// When the game started, in milliseconds since 1970; `null` if it has not.
    started_at: Option<Moment>,
    is_running: bool,
    can_abort: bool,
    can_take_back: CanTakeBack,
    turn: ColorView,
    end: Option<EndView>,
    claims: ClaimsView,
    offers: OffersView,
    position: PositionView,
    /// Squares of the pieces touched this turn.
    touched: Vec<String>,
    obligation: Option<ObligationView>,
    clocks: ClocksView,
    /// Time spent on the game so far.
    duration_ms: u64,
    /// The user's move that is shown although the server has not acknowledged it.
    pending: Option<PendingMove>,
}

/// The engine that plays one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Program {
    pub(crate) is_white: bool,
    /// Level of the engine; `null` for full strength.
    pub(crate) level: Option<u16>,
}

impl Program {
    pub(crate) fn color(self) -> Color {
        if self.is_white { Color::White } else { Color::Black }
    }
}

/// Ratings of the players when they took their seats; `null` if they had none.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Ratings {
    white: Option<u16>,
    black: Option<u16>,
}

/// Whether a player has a move that the rules of this game allow to take back.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct CanTakeBack {
    white: bool,
    black: bool,
}

/// The draws that the player to move can claim.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ClaimsView {
    repetition: bool,
    fifty: bool,
    /// Moves that would allow a claim if they were announced, in UCI.
    moves: Vec<String>,
}

/// For each proposal, the player who has made it and is waiting for a reply.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct OffersView {
    draw: Option<ColorView>,
    takeback: Option<ColorView>,
    rematch: Option<ColorView>,
}

/// What touched pieces demand: to move the player's own piece on `from`, to capture the opponent's
/// piece on `victim`, or to castle with `rook`.
#[derive(Serialize, Default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ObligationView {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    victim: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    rook: Option<String>,
}

/// The times that both clocks show.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ClocksView {
    white: ClockFace,
    black: ClockFace,
    running: Option<ColorView>,
    /// Whether the player to move has run out of time. Always false for a game on a server, which
    /// decides that itself.
    is_up: bool,
}

/// The times that one clock shows, in milliseconds.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ClockFace {
    /// Time left; `null` if the clock does not count down.
    remaining_ms: Option<u64>,
    used_ms: u64,
}

/// A move that waits for the server.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PendingMove {
    pub(super) ply: u32,
    pub(super) uci: String,
    #[serde(skip)]
    pub(super) mv: Move,
    /// When the user made it, by the server's clock. The user's clock stands still from then on.
    #[serde(skip)]
    pub(super) at: Moment,
}

/// A move, with the board after it.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlyView {
    from: String,
    to: String,
    uci: String,
    san: String,
    /// Letter of the captured piece.
    captured: Option<char>,
    fen: String,
    #[cfg_attr(feature = "typescript", ts(type = "BoardText"))]
    board: String,
    turn: ColorView,
    /// Square of the king if it is in check.
    check: Option<String>,
    /// White's material advantage in pawns.
    difference: i32,
}

impl PlyView {
    pub(crate) fn new(mv: Move, before: &Position, castling: CastlingSpelling) -> PlyView {
        let after = before.play_unchecked(mv);
        let uci = UciMove::from_move(mv, castling).to_string();
        let pieces = after.to_setup().pieces;
        PlyView {
            from: uci[..2].to_owned(),
            to: uci[2..4].to_owned(),
            san: san::write(before, mv),
            captured: before.captured(mv).map(|(piece, _)| piece.letter()),
            fen: after.to_fen(),
            board: view::board(&pieces),
            turn: after.turn().into(),
            check: view::check(&after),
            difference: view::difference(&pieces),
            uci,
        }
    }
}

impl GameView {
    pub(crate) fn new(number: u32, open: &OpenGame, now: Moment) -> GameView {
        let game = &open.game;
        let castling = game.settings().castling();
        let start = game.line().start();
        GameView {
            game: number,
            program: open.program,
            settings: game.settings().clone(),
            start: PositionView::new(start, &[], castling),
            first_number: start.fullmove_number(),
            plies: plies(open, 0),
            state: GameState::new(open, now),
        }
    }
}

impl GameChange {
    /// Returns the change that leaves the first `kept` plies as they were.
    pub(crate) fn new(open: &OpenGame, kept: usize, now: Moment) -> GameChange {
        GameChange { kept, added: plies(open, kept), state: GameState::new(open, now) }
    }
}

impl GameState {
    fn new(open: &OpenGame, now: Moment) -> GameState {
        let game = &open.game;
        let player = |color| game.seats().get(color);
        let name = |color| player(color).map_or(String::new(), |player| player.name.clone());
        let rating = |color| player(color).and_then(|player| player.rating);
        let offer = |what| game.offer(what).map(ColorView::from);
        let pending = open.pending();
        let position = position(game, pending);
        GameState {
            version: game.version(),
            ply: game.ply(),
            white: name(Color::White),
            black: name(Color::Black),
            ratings: Ratings { white: rating(Color::White), black: rating(Color::Black) },
            started_at: game.started_at(),
            is_running: game.is_running(),
            can_abort: game.can_abort(),
            can_take_back: CanTakeBack {
                white: game.can_take_back(Color::White),
                black: game.can_take_back(Color::Black),
            },
            turn: position.turn,
            end: game.end().map(EndView::from),
            claims: if pending.is_some() { ClaimsView::default() } else { claims(game) },
            offers: OffersView {
                draw: offer(Proposal::Draw),
                takeback: offer(Proposal::Takeback),
                rematch: offer(Proposal::Rematch),
            },
            position,
            touched: match pending {
                Some(_) => Vec::new(),
                None => game.touched().iter().map(ToString::to_string).collect(),
            },
            obligation: game
                .obligation()
                .filter(|_| game.is_running() && pending.is_none())
                .and_then(obligation),
            clocks: clocks(open, now),
            duration_ms: open.duration_ms(now),
            pending: pending.cloned(),
        }
    }
}

/// Returns the plies from an index on, with the move that waits for the server.
fn plies(open: &OpenGame, from: usize) -> Vec<PlyView> {
    let line = open.game.line();
    let castling = open.game.settings().castling();
    let pending = open.pending().map(|pending| pending.mv);
    let moves = line.moves().iter().copied().chain(pending).skip(from);
    let positions = line.positions().get(from..).unwrap_or_default();
    moves.zip(positions).map(|(mv, before)| PlyView::new(mv, before, castling)).collect()
}

/// Returns the position on the board, with the moves that are possible there.
fn position(game: &Game, pending: Option<&PendingMove>) -> PositionView {
    let castling = game.settings().castling();
    let position = game.line().position();
    match pending {
        Some(pending) => {
            let after = position.play_unchecked(pending.mv);
            PositionView::new(&after, &after.legal_moves(), castling)
        }
        None => PositionView::new(position, &game.allowed_moves(), castling),
    }
}

/// Returns the draws that can be claimed, also by announcing a move (FIDE 9.2.1, 9.3.1).
fn claims(game: &Game) -> ClaimsView {
    let line = game.line();
    let castling = game.settings().castling();
    let can_claim = |mv: &&Move| {
        let claims = line.claims_after(**mv);
        claims.threefold_repetition || claims.fifty_moves
    };
    let uci = |mv: &Move| UciMove::from_move(*mv, castling).to_string();
    let claims = game.claims();
    ClaimsView {
        repetition: claims.threefold_repetition,
        fifty: claims.fifty_moves,
        moves: game.allowed_moves().iter().filter(can_claim).map(uci).collect(),
    }
}

fn obligation(obligation: Obligation) -> Option<ObligationView> {
    let none = ObligationView::default();
    Some(match obligation {
        Obligation::Move(from) => ObligationView { from: Some(from.to_string()), ..none },
        Obligation::Capture(victim) => ObligationView { victim: Some(victim.to_string()), ..none },
        Obligation::CaptureWith { from, victim } => ObligationView {
            from: Some(from.to_string()),
            victim: Some(victim.to_string()),
            ..none
        },
        Obligation::Castle(rook) => ObligationView { rook: Some(rook.to_string()), ..none },
        // A rule that forbids one move is not shown as a duty.
        Obligation::NoCastling(_) => return None,
    })
}

/// Returns the clocks. While a move waits for the server, the user's clock stands still and the
/// opponent's counts as running.
pub(super) fn clocks(open: &OpenGame, now: Moment) -> ClocksView {
    let game = &open.game;
    let pending = open.pending().filter(|_| game.is_running());
    let shown = game.clocks(pending.map_or(now, |pending| pending.at.min(now)));
    let face =
        |clock: Clock| ClockFace { remaining_ms: clock.remaining_ms, used_ms: clock.used_ms };
    let running = match pending {
        Some(_) => Some(!game.line().turn()),
        None => shown.running,
    };
    ClocksView {
        white: face(shown.white),
        black: face(shown.black),
        running: running.map(Into::into),
        is_up: !open.is_remote() && game.deadline().is_some_and(|deadline| deadline <= now),
    }
}
