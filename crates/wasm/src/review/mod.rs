//! Studies: game trees with comments, as in PGN.
//!
//! This module holds the open studies and makes all changes to them. A study is a
//! `castellan_pgn::Game`, so that the page shows exactly what is written. Evaluation is left to
//! the engine, and user-visible text to the page.

mod attempt;
mod history;
mod judge;
mod link;
mod marks;
mod phase;
mod view;

use std::collections::BTreeMap;

use castellan_pgn::{
    Command, Comment, CommentParts, Eval, Game, Mode, NodeId, Paint, Score as PgnScore, nth_game,
};
use castellan_rules::Square;
use serde::Deserialize;

use crate::error::{ApiError, ErrorCode};
use crate::position::{parse_line, parse_move};
use crate::view::PgnProblem;
use history::History;
use judge::Score;

pub(crate) use attempt::{Attempt, AttemptRatings, rate};
pub(crate) use judge::{Judgment, Scores, judge};
pub(crate) use view::{NodeView, OpeningView, StudyView};

/// Maximum number of open studies.
const MAX_STUDIES: usize = 8;
/// Maximum number of moves in a study, all variations included.
const MAX_STUDY_MOVES: usize = 10_000;
/// Maximum length of a comment.
const MAX_COMMENT_CHARS: usize = 4_000;
/// Maximum number of glyphs on a move.
const MAX_GLYPHS: usize = 8;

/// The open studies, by number.
#[derive(Default)]
pub(crate) struct Studies {
    open: BTreeMap<u32, Study>,
    last: u32,
}

struct Study {
    game: Game,
    /// Where the text could not be read.
    problems: Vec<PgnProblem>,
    history: History,
}

impl Study {
    fn new(game: Game, problems: Vec<PgnProblem>) -> Study {
        Study { game, problems, history: History::default() }
    }

    fn view(&self, number: u32, at: NodeId) -> StudyView {
        let steps = (self.history.can_undo(), self.history.can_redo());
        StudyView::new(number, &self.game, at, &self.problems, steps)
    }
}

/// A request to open a game of a PGN text as a study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StudyText {
    text: String,
    index: usize,
}

/// A request to open a game from a link.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StudyLink {
    link: String,
}

/// A node of a study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct NodeRef {
    study: u32,
    node: u32,
}

/// A request about a study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StudyRef {
    study: u32,
}

/// A request to write a study as PGN, with the evaluations of an engine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct WriteStudy {
    study: u32,
    #[serde(default)]
    evals: Vec<NodeEval>,
}

/// The evaluation of the position after a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct NodeEval {
    node: u32,
    score: Score,
    /// Search depth in plies; `null` if it is not known.
    depth: Option<u32>,
}

/// A game in progress, whose opening is to be named.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct GameMoves {
    start: String,
    /// The moves in UCI.
    moves: Vec<String>,
}

/// A request to write a study as a link.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct LinkRequest {
    study: u32,
    /// Whether to include only the main line, without comments.
    is_bare: bool,
}

/// A request to change a node.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Edit {
    study: u32,
    node: u32,
    change: Change,
    /// Whether this change is undone together with the one before it.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    is_joined: bool,
}

/// A change to a node.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) enum Change {
    /// Plays moves in UCI from the node; moves that are already in the tree are followed.
    Play { moves: Vec<String> },
    /// Sets the text of the comment on the move; clock times and other commands are kept.
    Comment { text: String },
    /// Sets the numeric annotation glyphs of the move.
    Glyphs { glyphs: Vec<u8> },
    /// Draws an arrow, or a circle if it ends where it begins; drawing it again removes it.
    Draw {
        from: String,
        to: String,
        /// Letter of the color.
        #[cfg_attr(feature = "typescript", ts(type = "\"G\" | \"R\" | \"Y\" | \"B\""))]
        paint: char,
    },
    /// Makes the move part of the main line.
    Promote {},
    /// Deletes the move with everything that follows it.
    Delete {},
}

impl Studies {
    pub(crate) fn read(&mut self, asked: &StudyText) -> Result<StudyView, ApiError> {
        let source = asked.text.as_bytes();
        let found = nth_game(source, Mode::Lenient, asked.index);
        let game = found.ok_or_else(|| {
            ApiError::new(ErrorCode::NoGame, "the text does not contain this game")
        })?;
        let problem = |problem| PgnProblem::new(source, problem);
        let problems = game.problems.iter().map(problem).collect();
        self.keep(Study::new(game, problems))
    }

    pub(crate) fn unpack(&mut self, asked: &StudyLink) -> Result<StudyView, ApiError> {
        let game =
            link::read(&asked.link).map_err(|error| ApiError::new(ErrorCode::BadLink, error))?;
        self.keep(Study::new(game, Vec::new()))
    }

    pub(crate) fn at(&self, place: &NodeRef) -> Result<NodeView, ApiError> {
        let game = &self.get(place.study)?.game;
        Ok(NodeView::new(game, node(game, place.node)?))
    }

    pub(crate) fn edit(&mut self, edit: &Edit) -> Result<StudyView, ApiError> {
        let study = self.open.get_mut(&edit.study).ok_or_else(|| unknown(edit.study))?;
        let at = node(&study.game, edit.node)?;
        let before = study.game.clone();
        let after = change(&mut study.game, at, &edit.change)?;
        let is_walk = matches!(edit.change, Change::Play { .. })
            && study.game.tree().move_count() == before.tree().move_count();
        if !is_walk && !edit.is_joined {
            study.history.add(before, at);
        }
        Ok(study.view(edit.study, after))
    }

    /// Undoes the last change, or redoes it.
    pub(crate) fn step(&mut self, chosen: &StudyRef, is_undo: bool) -> Result<StudyView, ApiError> {
        let study = self.open.get_mut(&chosen.study).ok_or_else(|| unknown(chosen.study))?;
        let at = study.history.step(&mut study.game, is_undo);
        Ok(study.view(chosen.study, at))
    }

    pub(crate) fn write(&self, asked: &WriteStudy) -> Result<String, ApiError> {
        let game = &self.get(asked.study)?.game;
        if asked.evals.is_empty() {
            return Ok(game.to_string());
        }
        let mut game = game.clone();
        for eval in &asked.evals {
            let at = node(&game, eval.node)?;
            set_eval(&mut game, at, eval);
        }
        Ok(game.to_string())
    }

    pub(crate) fn pack(&self, sending: &LinkRequest) -> Result<String, ApiError> {
        let game = &self.get(sending.study)?.game;
        let link = if sending.is_bare { link::write(&bare(game)) } else { link::write(game) };
        link.map_err(|error| ApiError::new(ErrorCode::TooLong, error))
    }

    pub(crate) fn close(&mut self, chosen: &StudyRef) -> bool {
        self.open.remove(&chosen.study).is_some()
    }

    fn get(&self, number: u32) -> Result<&Study, ApiError> {
        self.open.get(&number).ok_or_else(|| unknown(number))
    }

    fn keep(&mut self, study: Study) -> Result<StudyView, ApiError> {
        if self.open.len() >= MAX_STUDIES {
            return Err(ApiError::new(
                ErrorCode::TooManyStudies,
                "too many open studies; close one first",
            ));
        }
        if study.game.tree().move_count() > MAX_STUDY_MOVES {
            return Err(too_many_moves());
        }
        self.last += 1;
        let view = study.view(self.last, NodeId::ROOT);
        self.open.insert(self.last, study);
        Ok(view)
    }
}

/// Returns the opening of a game in progress.
pub(crate) fn opening(asked: &GameMoves) -> Result<Option<OpeningView>, ApiError> {
    let line = parse_line(&asked.start, &asked.moves)?;
    Ok(OpeningView::of(&line))
}

fn unknown(number: u32) -> ApiError {
    ApiError::new(ErrorCode::NoStudy, format!("study {number} is not open"))
}

fn too_many_moves() -> ApiError {
    ApiError::new(
        ErrorCode::TooManyMoves,
        format!("a study can have at most {MAX_STUDY_MOVES} moves"),
    )
}

fn node(game: &Game, number: u32) -> Result<NodeId, ApiError> {
    let unknown = || ApiError::new(ErrorCode::NoNode, format!("the study has no node {number}"));
    game.tree().at(number).ok_or_else(unknown)
}

/// Changes a game. Returns the node to show afterward.
fn change(game: &mut Game, at: NodeId, change: &Change) -> Result<NodeId, ApiError> {
    let refused = |error| ApiError::new(ErrorCode::NotThere, error);
    match change {
        Change::Play { moves } => play(game, at, moves),
        Change::Comment { text } => comment(game, at, text).map(|()| at),
        Change::Glyphs { glyphs } => {
            if glyphs.len() > MAX_GLYPHS {
                return Err(ApiError::new(
                    ErrorCode::TooManyGlyphs,
                    "a move can have at most 8 glyphs",
                ));
            }
            game.notes_mut(at).nags.clone_from(glyphs);
            Ok(at)
        }
        Change::Draw { from, to, paint } => {
            let paint = Paint::from_letter(*paint).ok_or_else(|| {
                ApiError::new(ErrorCode::BadRequest, format!("{paint:?} is not a color"))
            })?;
            marks::draw(game, at, square(from)?, square(to)?, paint).map(|()| at)
        }
        Change::Promote {} => game.make_main(at).map(|()| at).map_err(refused),
        Change::Delete {} => Ok(game.delete(at)),
    }
}

/// Writes an evaluation into the comment on a move, unless an annotator has given the same score.
fn set_eval(game: &mut Game, at: NodeId, eval: &NodeEval) {
    let score = match eval.score {
        Score::Cp(cp) => PgnScore::Centipawns(cp),
        Score::Mate(moves) => PgnScore::Mate(moves),
        // The moves say this themselves.
        Score::Over(_) => return,
    };
    if view::eval(game, at).is_none_or(|old| old.score != score) {
        game.set_command(at, Command::Eval(Eval { score, depth: eval.depth }));
    }
}

fn square(text: &str) -> Result<Square, ApiError> {
    text.parse()
        .map_err(|_| ApiError::new(ErrorCode::BadSquare, format!("{text:?} is not a square")))
}

fn play(game: &mut Game, at: NodeId, moves: &[String]) -> Result<NodeId, ApiError> {
    if game.tree().move_count() + moves.len() > MAX_STUDY_MOVES {
        return Err(too_many_moves());
    }
    let mut read = Vec::new();
    let mut position = game.position(at);
    for text in moves {
        let mv = parse_move(&position, text)?;
        position = position.play_unchecked(mv);
        read.push(mv);
    }
    read.into_iter().try_fold(at, |at, mv| {
        game.play(at, mv).map_err(|error| ApiError::new(ErrorCode::NotThere, error))
    })
}

/// Replaces the text of the comment on a move. The commands of all its comments are kept and
/// merged into one.
fn comment(game: &mut Game, at: NodeId, text: &str) -> Result<(), ApiError> {
    if text.chars().count() > MAX_COMMENT_CHARS {
        let limit = format!("a comment can have at most {MAX_COMMENT_CHARS} characters");
        return Err(ApiError::new(ErrorCode::TooLong, limit));
    }
    let commands = game.commands(at).collect();
    let parts = CommentParts { commands, text: text.trim().to_owned() };
    game.notes_mut(at).after = Comment::new(&parts.to_string()).into_iter().collect();
    Ok(())
}

/// Returns the main line alone, with its tags and result.
fn bare(game: &Game) -> Game {
    let mut bare = Game::new(*game.start());
    bare.tags = game.tags.clone();
    bare.result = game.result;
    let mut at = NodeId::ROOT;
    for played in game.main_line().filter_map(|at| game.tree().played(at)) {
        let Ok(added) = bare.add(at, played) else { break };
        at = added;
    }
    bare
}
