//! Arrows and circles on the board, stored in the comments of a move (`[%cal …]`, `[%csl …]`).
//!
//! This module adds and removes them. A circle is represented as an arrow that ends where it
//! begins. The rest of the comments is preserved, and every mark keeps its color.

use castellan_pgn::{
    Arrow, Command, Comment, CommentParts, Game, MAX_COMMENT_BYTES, MarkedSquare, NodeId, Paint,
};
use castellan_rules::Square;

use crate::error::{ApiError, ErrorCode};

/// Maximum number of marks on a move.
const MAX_MARKS: usize = 64;
/// Maximum number of bytes that one more mark adds, with a command of its own.
const MARK_BYTES: usize = 16;

/// Returns the marks on a move in the order they are written, up to the limit.
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

/// Adds a mark, or removes it if it is already there in any color.
pub(super) fn draw(
    game: &mut Game,
    at: NodeId,
    from: Square,
    to: Square,
    paint: Paint,
) -> Result<(), ApiError> {
    let is_erased = erase(&mut game.notes_mut(at).after, from, to);
    if is_erased { Ok(()) } else { add(game, at, Arrow { paint, from, to }) }
}

/// Removes a mark from all comments. Returns whether it was there.
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

fn add(game: &mut Game, at: NodeId, mark: Arrow) -> Result<(), ApiError> {
    if marks(game, at).len() >= MAX_MARKS {
        let limit = format!("a move can have at most {MAX_MARKS} arrows and circles");
        return Err(ApiError::new(ErrorCode::TooManyMarks, limit));
    }
    let comments = &game.tree().notes(at).after;
    if comments.iter().any(|comment| comment.as_str().len() + MARK_BYTES > MAX_COMMENT_BYTES) {
        return Err(ApiError::new(
            ErrorCode::TooLong,
            "the comment is too long to add an arrow or circle",
        ));
    }
    let command = if mark.from == mark.to {
        let mut squares = first_of(comments, |command| match command {
            Command::Squares(squares) => Some(squares),
            _ => None,
        });
        squares.push(MarkedSquare { paint: mark.paint, square: mark.from });
        Command::Squares(squares)
    } else {
        let mut arrows = first_of(comments, |command| match command {
            Command::Arrows(arrows) => Some(arrows),
            _ => None,
        });
        arrows.push(mark);
        Command::Arrows(arrows)
    };
    game.set_command(at, command);
    Ok(())
}

/// Returns the marks of one kind in the first comment that has any; newly set marks replace them.
fn first_of<T>(comments: &[Comment], pick: fn(Command) -> Option<Vec<T>>) -> Vec<T> {
    let of = |comment: &Comment| -> Vec<T> {
        let commands = CommentParts::parse(comment.as_str()).commands;
        commands.into_iter().filter_map(pick).flatten().collect()
    };
    comments.iter().map(of).find(|marks| !marks.is_empty()).unwrap_or_default()
}
