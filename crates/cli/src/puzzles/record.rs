//! Puzzles as text: PGN with the solution as moves, or a JSON object on one line.

use castellan_pgn::{Flow, Game, Mode, Tags, for_each_game};
use castellan_puzzles::Puzzle;
use castellan_rules::{CastlingSpelling, Line, Position, UciMove, san};
use serde::{Deserialize, Serialize};

use super::games::SourceGame;

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PuzzleFormat {
    Pgn,
    Json,
}

/// The tags that a puzzle takes over from its game.
const KEPT_TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

impl PuzzleFormat {
    /// Returns the name of the format.
    pub(super) const fn name(self) -> &'static str {
        match self {
            PuzzleFormat::Pgn => "pgn",
            PuzzleFormat::Json => "json",
        }
    }

    /// Writes a puzzle of a game.
    pub(super) fn write(self, puzzle: &Puzzle, source: &SourceGame) -> String {
        match self {
            PuzzleFormat::Pgn => to_pgn(puzzle, source).to_string(),
            PuzzleFormat::Json => {
                let object = PuzzleObject::new(puzzle, source);
                serde_json::to_string(&object).expect("strings and numbers are JSON") + "\n"
            }
        }
    }

    /// Returns the keys of the puzzles in a text that this format wrote.
    pub(super) fn keys(self, text: &[u8]) -> Vec<u64> {
        let mut keys = Vec::new();
        match self {
            PuzzleFormat::Pgn => for_each_game(text, Mode::Lenient, |game| {
                keys.push(game.start().hash());
                Flow::Continue
            }),
            PuzzleFormat::Json => {
                let lines = text.split(|byte| *byte == b'\n');
                let read = |line| serde_json::from_slice::<PuzzleFen>(line).ok();
                let positions = lines.filter_map(read);
                keys.extend(
                    positions.filter_map(|read| Some(Position::from_fen(&read.fen).ok()?.hash())),
                );
            }
        }
        keys
    }
}

/// The part of a JSON object that identifies the puzzle.
#[derive(Deserialize)]
struct PuzzleFen {
    fen: String,
}

/// A puzzle as JSON.
#[derive(Serialize)]
struct PuzzleObject<'a> {
    /// The position to solve.
    fen: String,
    /// The solution in UCI and in SAN.
    moves: Vec<String>,
    san: Vec<String>,
    themes: Vec<&'static str>,
    rating: u16,
    /// The mistake that leads to the position, in SAN.
    mistake: String,
    source: PuzzleSource<'a>,
}

/// The place of a puzzle in the games it was made from.
#[derive(Serialize)]
struct PuzzleSource<'a> {
    file: &'a str,
    /// The number of the game in the file, from 1.
    game: u64,
    /// The number of moves of the game before the position.
    ply: usize,
    event: Option<&'a str>,
    site: Option<&'a str>,
    date: Option<&'a str>,
    round: Option<&'a str>,
    white: Option<&'a str>,
    black: Option<&'a str>,
}

impl<'a> PuzzleObject<'a> {
    fn new(puzzle: &Puzzle, source: &'a SourceGame) -> PuzzleObject<'a> {
        let castling = CastlingSpelling::for_game(source.is_chess960);
        let uci = |mv: &_| UciMove::from_move(*mv, castling).to_string();
        let [event, site, date, round, white, black] =
            KEPT_TAGS.map(|tag| known(&source.tags, tag));
        PuzzleObject {
            fen: puzzle.start().to_fen(),
            moves: puzzle.moves.iter().map(uci).collect(),
            san: puzzle.solution(),
            themes: puzzle.themes.iter().map(|theme| theme.name()).collect(),
            rating: puzzle.rating,
            mistake: san::write(&puzzle.before, puzzle.mistake),
            source: PuzzleSource {
                file: &source.file,
                game: source.number_in_file,
                ply: puzzle.ply,
                event,
                site,
                date,
                round,
                white,
                black,
            },
        }
    }
}

/// Returns the value of a tag, or `None` if it is missing or unknown.
fn known<'a>(tags: &'a Tags, name: &str) -> Option<&'a str> {
    tags.get(name).filter(|value| !value.trim_matches(['?', '.', ' ']).is_empty())
}

fn to_pgn(puzzle: &Puzzle, source: &SourceGame) -> Game {
    let mut line = Line::new(puzzle.start());
    for &mv in &puzzle.moves {
        line.play(mv).expect("the moves of a solution are legal");
    }
    let mut game = Game::from_line(&line);
    for tag in KEPT_TAGS {
        if let Some(value) = source.tags.get(tag) {
            game.tags.set(tag, value);
        }
    }
    if source.is_chess960 {
        game.tags.set("Variant", "Chess960");
    }
    let themes: Vec<_> = puzzle.themes.iter().map(|theme| theme.name()).collect();
    for (tag, value) in [
        ("Themes", themes.join(" ")),
        ("PuzzleRating", puzzle.rating.to_string()),
        ("Mistake", san::write(&puzzle.before, puzzle.mistake)),
        ("SourceFile", source.file.to_string()),
        ("SourceGame", source.number_in_file.to_string()),
        ("SourcePly", puzzle.ply.to_string()),
    ] {
        game.tags.set(tag, &value);
    }
    game
}
