//! Portable Game Notation.
//!
//! This crate reads games in any spelling without losing what can be read, represents them as
//! trees, and writes the export format. It does not handle files or threads and does not evaluate
//! games.
//!
//! Syntax and meaning are separate. [`read`] reports the text of a game to a [`Visitor`], without
//! copying it and without any knowledge of chess.

mod blocks;
mod branch;
mod builder;
mod checker;
mod clocks;
mod command;
mod comment;
mod date;
mod game;
mod lexer;
mod limits;
mod line_index;
mod movetext;
mod openings;
mod problem;
mod reader;
#[cfg(test)]
mod recorder;
mod result;
mod start;
mod tag;
mod tags;
mod tree;
mod visitor;
mod writer;

pub use blocks::{Block, Blocks, line_and_column};
pub use branch::Branch;
pub use builder::{Builder, Mode, for_each_game, nth_game, parse_games};
pub use checker::{CheckedGame, Checker, Watcher};
pub use command::{Arrow, ClockTime, Command, CommentParts, Eval, MarkedSquare, Paint, Score};
pub use comment::Comment;
pub use date::{pgn_date, pgn_time};
pub use game::{Game, PlayError};
pub use lexer::game_starts;
pub use limits::*;
pub use line_index::LineIndex;
pub use movetext::{Played, Resolved, resolve};
pub use openings::{Classifier, Opening, opening};
pub use problem::{Problem, ProblemKind, Severity};
pub use reader::read;
pub use result::GameResult;
pub use start::start_position;
pub use tag::{tag_value, text};
pub use tags::{SEVEN_TAGS, Tag, Tags};
pub use tree::{NodeId, Notes, Tree};
pub use visitor::{Flow, Visitor};
pub use writer::write_game;
