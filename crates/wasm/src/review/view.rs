//! Views of a study for the page.
//!
//! This module defines the form of trees and nodes. Nodes are numbers; the root, before the first
//! move, is 0. The list of moves contains no boards, only FENs to identify the positions; the
//! page requests the one node that it shows.

use castellan_pgn::{Arrow, Classifier, CommentParts, Game, NodeId, Notes, Played};
use castellan_rules::{CastlingSpelling, Color, Move, Position, UciMove, san};
use serde_json::{Value, json};

use super::marks::marks;
use crate::view::PositionView;

/// Maximum number of tags shown.
const MAX_TAGS_SHOWN: usize = 64;

/// Returns the view of a whole study, with the current node.
pub(crate) fn study(number: u32, game: &Game, at: NodeId, problems: &[Value]) -> Value {
    let tags: Vec<_> =
        game.tags.iter().take(MAX_TAGS_SHOWN).map(|tag| [tag.name(), tag.value()]).collect();
    json!({
        "study": number,
        "node": at.number(),
        "tags": tags,
        "result": game.result.as_str(),
        "is_chess960": game.is_chess960(),
        "starts_white": game.start().turn() == Color::White,
        "moves": moves(game),
        "problems": problems,
    })
}

/// Returns every node in numerical order, each with its children.
fn moves(game: &Game) -> Vec<Value> {
    let tree = game.tree();
    let castling = castling(game);
    let mut positions: Vec<Position> = Vec::with_capacity(tree.move_count() + 1);
    let mut shown = Vec::with_capacity(tree.move_count() + 1);
    for at in tree.places() {
        let before = match tree.parent(at) {
            Some(parent) => positions[parent.number() as usize],
            None => *game.start(),
        };
        let played = tree.played(at);
        let after = played.and_then(|played| played.after(&before)).unwrap_or(before);
        positions.push(after);
        let notes = tree.notes(at);
        let (san, uci) = spelled(&before, played, castling);
        shown.push(json!({
            "parent": tree.parent(at).map(NodeId::number),
            "next": tree.children(at).map(NodeId::number).collect::<Vec<_>>(),
            "san": san,
            "uci": uci,
            "number": before.fullmove_number(),
            "is_white": before.turn() == Color::White,
            "glyphs": notes.nags,
            "before": words(notes, true),
            "comment": words(notes, false),
            "fen": after.to_fen(),
            "ended": if tree.next(at).is_none() { ended(&after) } else { None },
        }));
    }
    shown
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
    CastlingSpelling::of_chess960(game.is_chess960())
}

/// Returns the text of the comments before or after a move, without the commands.
fn words(notes: &Notes, is_before: bool) -> String {
    let comments = if is_before { &notes.before } else { &notes.after };
    let texts = comments.iter().map(|comment| CommentParts::parse(comment.as_str()).text);
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns the view of one node: its board, the path to it, and the opening.
pub(crate) fn position(game: &Game, at: NodeId) -> Value {
    let path = game.tree().path(at);
    let mut walk = Walk::new(*game.start());
    for &at in &path {
        walk.step(game, at);
    }
    let position = walk.position;
    let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
    json!({
        "position": PositionView::new(&position, &legal, castling(game)),
        "path": path.iter().map(|at| at.number()).collect::<Vec<_>>(),
        "arrows": arrows(game, at),
        "opening": walk.names.opening().map(|it| json!({ "eco": it.eco, "name": it.name })),
        "clocks_ms": { "white": walk.clocks_ms[0], "black": walk.clocks_ms[1] },
    })
}

/// Returns the arrows and circles of a move, each with both squares and the letter of its color.
fn arrows(game: &Game, at: NodeId) -> Vec<[String; 3]> {
    let told =
        |mark: Arrow| [mark.from.to_string(), mark.to.to_string(), mark.paint.letter().to_string()];
    marks(game, at).into_iter().map(told).collect()
}

/// Returns the result if the side to move has no legal move: 1 if White has won, -1 if Black has,
/// 0 for a draw.
fn ended(position: &Position) -> Option<i32> {
    let point = position.turn().fold(-1, 1);
    let mate = position.is_checkmate().then_some(point);
    mate.or_else(|| position.is_stalemate().then_some(0))
}

/// The data collected on the path to a node.
struct Walk {
    position: Position,
    names: Classifier,
    clocks_ms: [Option<u64>; 2],
}

impl Walk {
    fn new(start: Position) -> Walk {
        let mut names = Classifier::default();
        names.follow(&start);
        Walk { position: start, names, clocks_ms: [None; 2] }
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
