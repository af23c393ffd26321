//! The reader agrees with the crate `pgn-reader`: the same games, and in each the same moves on
//! the main line and the same result.
//!
//! The recorded trees are always compared. If the environment variable `CASTELLAN_PGN_DIR` names
//! a folder, so is every file `*.pgn` in it.

use std::io::Cursor;
use std::ops::{ControlFlow, Range};

use castellan_pgn::{Flow, GameResult, Played, Problem, Visitor, read, resolve, tag_value};
use castellan_rules::{CastlingSpelling, Position, UciMove};
use castellan_testkit::python_chess_trees;
use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Skip};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _, uci};

use crate::support;

/// A main line in UCI and the result at its end. It ends where a move is not understood.
#[derive(PartialEq, Eq, Debug, Default)]
struct MainLine {
    moves: Vec<String>,
    result: String,
}

/// Collects main lines as our reader tells them.
#[derive(Default)]
struct Ours {
    position: Option<Position>,
    line: MainLine,
    done: Vec<MainLine>,
}

impl Visitor for Ours {
    fn begin_game(&mut self, _: usize) -> Flow {
        self.position = Some(Position::start());
        Flow::Continue
    }

    fn tag(&mut self, name: &[u8], value: &[u8], _: usize) -> Flow {
        if name == b"FEN" {
            self.position = Position::from_fen(&tag_value(value)).ok();
        }
        Flow::Continue
    }

    fn begin_moves(&mut self, _: usize) -> Flow {
        Flow::Continue
    }

    fn move_number(&mut self, _: u32, _: usize) {}

    fn mv(&mut self, text: &[u8], _: usize) -> Flow {
        let Some(position) = self.position else { return Flow::Continue };
        let played = resolve(&position, text).ok().map(|resolved| resolved.played);
        self.position = played.and_then(|played| played.after(&position));
        self.line.moves.extend(played.map(|played| match played {
            Played::Move(mv) => UciMove::from_move(mv, CastlingSpelling::KingTakesRook).to_string(),
            Played::Null => "0000".to_owned(),
        }));
        Flow::Continue
    }

    fn nag(&mut self, _: u8, _: usize) {}

    fn comment(&mut self, _: &[u8], _: usize) {}

    fn begin_variation(&mut self, _: usize) -> Flow {
        Flow::Skip
    }

    fn end_variation(&mut self, _: usize) {}

    fn result(&mut self, result: GameResult, _: usize) {
        self.line.result = result.to_string();
    }

    fn problem(&mut self, _: Problem) {}

    fn end_game(&mut self, _: Range<usize>) -> Flow {
        self.done.push(std::mem::take(&mut self.line));
        Flow::Continue
    }
}

/// Collects main lines as `pgn-reader` tells them.
struct Theirs;

impl pgn_reader::Visitor for Theirs {
    type Tags = Option<Chess>;
    type Movetext = (Option<Chess>, MainLine);
    type Output = MainLine;

    fn begin_tags(&mut self) -> ControlFlow<MainLine, Option<Chess>> {
        ControlFlow::Continue(Some(Chess::default()))
    }

    fn tag(
        &mut self,
        start: &mut Option<Chess>,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<MainLine> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).ok();
            *start = fen.and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Option<Chess>) -> ControlFlow<MainLine, Self::Movetext> {
        ControlFlow::Continue((start, MainLine::default()))
    }

    fn san(&mut self, (at, line): &mut Self::Movetext, san: SanPlus) -> ControlFlow<MainLine> {
        *at = at.take().and_then(|position| {
            let mv = san.san.to_move(&position).ok()?;
            line.moves.push(uci::UciMove::from_move(mv, CastlingMode::Chess960).to_string());
            position.play(mv).ok()
        });
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<MainLine, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(
        &mut self,
        (_, line): &mut Self::Movetext,
        outcome: Outcome,
    ) -> ControlFlow<MainLine> {
        line.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, line): Self::Movetext) -> MainLine {
        line
    }
}

/// Compares all games of a file; gives the number of games and of moves.
fn agree(name: &str, source: &[u8]) -> (usize, usize) {
    let mut ours = Ours::default();
    read(source, &mut ours);
    let mut theirs = Reader::new(Cursor::new(source));
    let (mut games, mut moves) = (0, 0);
    while let Some(line) = theirs.read_game(&mut Theirs).expect("memory can be read") {
        assert_eq!(ours.done.get(games), Some(&line), "{name}, game {games} counted from 0");
        games += 1;
        moves += line.moves.len();
    }
    assert_eq!(ours.done.len(), games, "{name}");
    (games, moves)
}

#[test]
fn main_lines_are_the_same_in_the_recorded_trees() {
    let (games, moves) = agree("recorded trees", python_chess_trees::PGN.as_bytes());
    assert_eq!(games, 300);
    assert!(moves > 8_000, "only {moves} moves");
}

#[test]
fn main_lines_are_the_same_in_every_file_of_the_chosen_folder() {
    for (name, source) in support::chosen_files() {
        let (games, moves) = agree(&name, &source);
        println!("{name}: {games} games, {moves} moves on main lines agree");
    }
}
