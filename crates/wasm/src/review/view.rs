//! Views of a study for the page.
//!
//! This module defines the form of trees and nodes. Nodes are numbers; the root, before the first
//! move, is 0. The list of moves contains no boards, only FENs to identify the positions; the
//! page requests the one node that it shows.

use castellan_game::End;
use castellan_pgn::{
    Arrow, Classifier, Command, Comment, CommentParts, Eval, Game, NodeId, Opening, Played,
    Score as PgnScore, Tag,
};
use castellan_rules::{CastlingSpelling, Color, Line, Position, UciMove, san};
use serde::Serialize;

use super::judge::Score;
use super::marks::marks;
use super::phase::Phase;
use crate::view::{EndView, PgnProblem, PositionView};

/// Maximum number of tags shown.
const MAX_TAGS_SHOWN: usize = 64;

/// A whole study, with the current node.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StudyView {
    study: u32,
    node: u32,
    /// Names and values of the tags.
    tags: Vec<(String, String)>,
    result: &'static str,
    /// How the game ended; `null` if it is not over.
    end: Option<EndView>,
    /// Whether castling moves are written as king to rook square.
    is_chess960: bool,
    starts_white: bool,
    /// All nodes by number, the root first.
    moves: Vec<TreeMove>,
    problems: Vec<PgnProblem>,
    /// Whether there is a change to undo, and one to redo.
    can_undo: bool,
    can_redo: bool,
}

/// A node of a study.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct TreeMove {
    parent: Option<u32>,
    /// Nodes that follow, the main move first.
    next: Vec<u32>,
    /// Empty for the root.
    san: String,
    /// `null` for the root and for a null move.
    uci: Option<String>,
    number: u32,
    is_white: bool,
    glyphs: Vec<u8>,
    /// Text of the comments before and after the move.
    before: String,
    comment: String,
    fen: String,
    /// Evaluation of the position that the game has in its comments.
    eval: Option<Score>,
    /// Result of a line that ends in checkmate or stalemate: 1 if White wins, -1 if Black wins, 0
    /// for a draw.
    ended: Option<i32>,
    /// Phase of the game in which the move was played.
    phase: Phase,
}

/// One node of a study: its board, the path to it, and the opening.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct NodeView {
    position: PositionView,
    path: Vec<u32>,
    /// Arrows from the comments: both squares and the letter of the color. Equal squares mean a
    /// circle.
    #[cfg_attr(
        feature = "typescript",
        ts(type = "[from: string, to: string, paint: \"G\" | \"R\" | \"Y\" | \"B\"][]")
    )]
    arrows: Vec<[String; 3]>,
    opening: Option<OpeningView>,
    clocks_ms: ClockTimes,
}

/// The name of an opening.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct OpeningView {
    eco: String,
    name: String,
}

impl OpeningView {
    /// Returns the opening that the moves of a line lead to; `None` if it has no name.
    pub(super) fn of(line: &Line) -> Option<OpeningView> {
        let mut names = Classifier::default();
        line.positions().iter().for_each(|position| names.follow(position));
        names.opening().map(OpeningView::from)
    }
}

impl From<Opening> for OpeningView {
    fn from(opening: Opening) -> OpeningView {
        OpeningView { eco: opening.eco.into(), name: opening.name.into() }
    }
}

/// The last clock times on the path to a node, in milliseconds; `null` if there is none.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ClockTimes {
    white: Option<u64>,
    black: Option<u64>,
}

impl StudyView {
    pub(super) fn new(
        number: u32,
        game: &Game,
        at: NodeId,
        problems: &[PgnProblem],
        (can_undo, can_redo): (bool, bool),
    ) -> StudyView {
        let tag = |tag: &Tag| (tag.name().to_owned(), tag.value().to_owned());
        StudyView {
            study: number,
            node: at.number(),
            tags: game.tags.iter().take(MAX_TAGS_SHOWN).map(tag).collect(),
            result: game.result.as_str(),
            end: end(game).map(EndView::from),
            is_chess960: game.is_chess960(),
            starts_white: game.start().turn() == Color::White,
            moves: moves(game),
            problems: problems.to_vec(),
            can_undo,
            can_redo,
        }
    }
}

/// Returns how the game ended: as its last position says, or else as its tags say.
fn end(game: &Game) -> Option<End> {
    let line = game.to_line();
    let is_whole = line.moves().len() == game.main_line().count();
    let on_board = line.outcome().filter(|_| is_whole).map(End::from);
    on_board.filter(|end| end.score() == game.result.as_str()).or_else(|| End::of_pgn(game))
}

/// Returns every node in numerical order, each with its children.
fn moves(game: &Game) -> Vec<TreeMove> {
    let tree = game.tree();
    let castling = castling(game);
    let mut positions: Vec<Position> = Vec::with_capacity(tree.move_count() + 1);
    let mut shown = Vec::with_capacity(tree.move_count() + 1);
    for at in tree.nodes() {
        let before = match tree.parent(at) {
            Some(parent) => positions[parent.number() as usize],
            None => *game.start(),
        };
        let played = tree.played(at);
        let after = played.and_then(|played| played.after(&before)).unwrap_or(before);
        positions.push(after);
        let notes = tree.notes(at);
        let (san, uci) = spelled(&before, played, castling);
        shown.push(TreeMove {
            parent: tree.parent(at).map(NodeId::number),
            next: tree.children(at).map(NodeId::number).collect(),
            san,
            uci,
            number: before.fullmove_number(),
            is_white: before.turn() == Color::White,
            glyphs: notes.nags.clone(),
            before: comment_text(&notes.before),
            comment: comment_text(&notes.after),
            fen: after.to_fen(),
            eval: eval(game, at).map(|eval| match eval.score {
                PgnScore::Centipawns(cp) => Score::Cp(cp),
                PgnScore::Mate(moves) => Score::Mate(moves),
            }),
            ended: if tree.next(at).is_none() { ended(&after) } else { None },
            phase: Phase::of(&before),
        });
    }
    shown
}

/// Returns the evaluation in the comments on a move.
pub(super) fn eval(game: &Game, at: NodeId) -> Option<Eval> {
    game.commands(at).find_map(|command| match command {
        Command::Eval(eval) => Some(eval),
        _ => None,
    })
}

/// Returns a move in SAN and in UCI; a null move has no UCI form.
fn spelled(
    before: &Position,
    played: Option<Played>,
    castling: CastlingSpelling,
) -> (String, Option<String>) {
    match played {
        Some(Played::Move(mv)) => {
            (san::write(before, mv), Some(UciMove::from_move(mv, castling).to_string()))
        }
        Some(Played::Null) => ("--".to_owned(), None),
        None => (String::new(), None),
    }
}

/// Returns how castling is written in a game.
fn castling(game: &Game) -> CastlingSpelling {
    CastlingSpelling::for_game(game.is_chess960())
}

/// Returns the text of comments, without the commands.
fn comment_text(comments: &[Comment]) -> String {
    let texts = comments.iter().map(|comment| CommentParts::parse(comment.as_str()).text);
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

impl NodeView {
    pub(crate) fn new(game: &Game, at: NodeId) -> NodeView {
        let path = game.tree().path(at);
        let mut state = PathState::new(*game.start());
        for &at in &path {
            state.step(game, at);
        }
        let position = state.position;
        let opening = state.names.opening();
        let [white, black] = clocks_ms(game, at, state.clocks_ms);
        NodeView {
            position: PositionView::new(&position, &position.legal_moves(), castling(game)),
            path: path.iter().map(|at| at.number()).collect(),
            arrows: arrows(game, at),
            opening: opening.map(OpeningView::from),
            clocks_ms: ClockTimes { white, black },
        }
    }
}

/// Returns the clock times at a node: at the end of the game, those at which it ended.
fn clocks_ms(game: &Game, at: NodeId, after_moves: [Option<u64>; 2]) -> [Option<u64>; 2] {
    let is_end = at == game.last();
    let last = |color| game.final_clock(color).filter(|_| is_end);
    Color::ALL
        .map(|color| last(color).map(|clock| clock.milliseconds()).or(after_moves[color.index()]))
}

/// Returns the arrows and circles of a move, each with both squares and the letter of its color.
fn arrows(game: &Game, at: NodeId) -> Vec<[String; 3]> {
    let arrow_text =
        |mark: Arrow| [mark.from.to_string(), mark.to.to_string(), mark.paint.letter().to_string()];
    marks(game, at).into_iter().map(arrow_text).collect()
}

/// Returns the result if the side to move has no legal move: 1 if White has won, -1 if Black has,
/// 0 for a draw.
fn ended(position: &Position) -> Option<i32> {
    let point = position.turn().fold(-1, 1);
    let mate = position.is_checkmate().then_some(point);
    mate.or_else(|| position.is_stalemate().then_some(0))
}

/// The position, the opening and the clocks along the path to a node.
struct PathState {
    position: Position,
    names: Classifier,
    clocks_ms: [Option<u64>; 2],
}

impl PathState {
    fn new(start: Position) -> PathState {
        let mut names = Classifier::default();
        names.follow(&start);
        PathState { position: start, names, clocks_ms: [None; 2] }
    }

    fn step(&mut self, game: &Game, at: NodeId) {
        let Some(played) = game.tree().played(at) else { return };
        let turn = self.position.turn();
        self.position = played.after(&self.position).unwrap_or(self.position);
        self.names.follow(&self.position);
        if let Some(clock) = game.clock(at) {
            self.clocks_ms[turn.index()] = Some(clock.milliseconds());
        }
    }
}
