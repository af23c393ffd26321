//! Arrows and circles on the board of a move, as its comments keep them (`[%cal …]`, `[%csl …]`).
//!
//! Owns: how one is drawn and taken away again. A circle is an arrow to where it began. What else
//! the comments say stays, and every mark keeps its paint.

use castellan_pgn::{
    Arrow, Command, Comment, CommentParts, Game, MAX_COMMENT_BYTES, MarkedSquare, NodeId, Paint,
};
use castellan_rules::Square;

use crate::desk::Failure;

/// How many marks a move may have.
const MAX_MARKS: usize = 64;
/// What one more mark takes up at most, with a command of its own.
const MARK_BYTES: usize = 16;
/// What new marks are painted with.
const NEW: Paint = Paint::Green;

/// The marks on a move, in the order in which they are written; those over the limit are left out.
pub(super) fn marks(game: &Game, at: NodeId) -> Vec<Arrow> {
    let drawn = game.commands(at).flat_map(|command| match command {
        Command::Arrows(arrows) => arrows,
        Command::Squares(squares) => squares.into_iter().map(circle).collect(),
        _ => Vec::new(),
    });
    drawn.take(MAX_MARKS).collect()
}

fn circle(mark: MarkedSquare) -> Arrow {
    Arrow { paint: mark.paint, from: mark.square, to: mark.square }
}

/// Draws a mark; takes it away if it is there already, in whichever paint.
pub(super) fn draw(game: &mut Game, at: NodeId, from: Square, to: Square) -> Result<(), Failure> {
    if erase(&mut game.notes_mut(at).after, from, to) { Ok(()) } else { add(game, at, from, to) }
}

/// Takes a mark out of all comments; says whether it was there.
fn erase(comments: &mut Vec<Comment>, from: Square, to: Square) -> bool {
    let is_it = |mark: &Arrow| (mark.from, mark.to) == (from, to);
    let without = |command: Command| match command {
        Command::Arrows(mut arrows) => {
            arrows.retain(|arrow| !is_it(arrow));
            (!arrows.is_empty()).then_some(Command::Arrows(arrows))
        }
        Command::Squares(mut squares) => {
            squares.retain(|mark| !is_it(&circle(*mark)));
            (!squares.is_empty()).then_some(Command::Squares(squares))
        }
        other => Some(other),
    };
    let mut is_erased = false;
    let rest = comments.drain(..).filter_map(|comment| {
        let old = CommentParts::parse(comment.as_str());
        let commands: Vec<Command> = old.commands.iter().cloned().filter_map(without).collect();
        if commands == old.commands {
            return Some(comment);
        }
        is_erased = true;
        Comment::new(&CommentParts { commands, text: old.text }.to_string())
    });
    *comments = rest.collect();
    is_erased
}

fn add(game: &mut Game, at: NodeId, from: Square, to: Square) -> Result<(), Failure> {
    if marks(game, at).len() >= MAX_MARKS {
        let limit = format!("a move has no more than {MAX_MARKS} arrows and circles");
        return Err(Failure::new("too_many_marks", limit));
    }
    let comments = &game.tree().notes(at).after;
    if comments.iter().any(|comment| comment.as_str().len() + MARK_BYTES > MAX_COMMENT_BYTES) {
        return Err(Failure::new("too_long", "the comment has no room for an arrow"));
    }
    let command = if from == to {
        let mut squares = first_of(comments, |command| match command {
            Command::Squares(squares) => Some(squares),
            _ => None,
        });
        squares.push(MarkedSquare { paint: NEW, square: from });
        Command::Squares(squares)
    } else {
        let mut arrows = first_of(comments, |command| match command {
            Command::Arrows(arrows) => Some(arrows),
            _ => None,
        });
        arrows.push(Arrow { paint: NEW, from, to });
        Command::Arrows(arrows)
    };
    game.set_command(at, command);
    Ok(())
}

/// The marks of one kind in the first comment that has any; those that are set take their place.
fn first_of<T>(comments: &[Comment], pick: fn(Command) -> Option<Vec<T>>) -> Vec<T> {
    let of = |comment: &Comment| -> Vec<T> {
        let commands = CommentParts::parse(comment.as_str()).commands;
        commands.into_iter().filter_map(pick).flatten().collect()
    };
    comments.iter().map(of).find(|marks| !marks.is_empty()).unwrap_or_default()
}
