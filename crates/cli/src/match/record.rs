//! The games of a match as a PGN file: written as they are played, and read to continue the
//! match.
//!
//! A match is continued from its file. Each game has its number in the tag `Round`, all settings
//! that determine the match in the tag `Match`, and how it ended in the tag `Ending`, so the file
//! alone says which games are left. An incomplete game, as after a power failure, is cut off and
//! played again.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};
use castellan_pgn::{
    ClockTime, Command, Comment, CommentParts, Eval, Flow, Game, GameResult, Mode, Score,
    for_each_game, pgn_date,
};
use castellan_rules::{Color, Position};
use castellan_uci::ScoreValue;

use super::ending::{Fault, MatchEnding};
use super::game::{MoveNote, PlayedGame, color_of_a};
use super::settings::MatchSettings;

/// A game that is already in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RecordedGame {
    pub(super) number: u32,
    pub(super) result: GameResult,
    pub(super) fault: Option<Fault>,
}

/// The PGN file of a match.
#[derive(Debug)]
pub(super) struct Record {
    file: File,
    path: PathBuf,
    settings: String,
}

impl Record {
    /// Opens or creates the file and returns the games in it. Fails, without changing the file,
    /// if it belongs to another match.
    pub(super) fn open(
        path: &Path,
        settings: &MatchSettings,
    ) -> anyhow::Result<(Record, Vec<RecordedGame>)> {
        let settings = settings.to_string();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let (games, end) = read_games(&bytes, &settings)
            .with_context(|| format!("cannot continue the match in {}", path.display()))?;
        let cannot_write = || format!("cannot write {}", path.display());
        let file =
            OpenOptions::new().append(true).create(true).open(path).with_context(cannot_write)?;
        if end < bytes.len() {
            file.set_len(end as u64).with_context(cannot_write)?;
        }
        Ok((Record { file, path: path.to_owned(), settings }, games))
    }

    /// Appends a game.
    pub(super) fn write(
        &mut self,
        game: &PlayedGame,
        settings: &MatchSettings,
    ) -> anyhow::Result<()> {
        let text = to_pgn(game, settings, &self.settings).to_string();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The first line of every game of a match.
const BEGINNING: &[u8] = b"[Event \"castellan match\"]\n";

/// Reads the games of a file, and returns them with the offset where the complete ones end.
fn read_games(bytes: &[u8], settings: &str) -> anyhow::Result<(Vec<RecordedGame>, usize)> {
    let end = end_of_whole_games(bytes);
    let (whole, rest) = bytes.split_at(end);
    // The rest is the beginning of a game that was cut off, perhaps within its first line.
    let len = rest.len().min(BEGINNING.len());
    ensure!(rest[..len] == BEGINNING[..len], "the data at byte {end} is not from a match");
    let mut games = Vec::new();
    let mut failure = None;
    for_each_game(whole, Mode::Lenient, |game| {
        match (game.tags.get("Match"), recorded(&game)) {
            (Some(recorded_settings), Some(recorded)) if recorded_settings == settings => {
                games.push(recorded);
                return Flow::Continue;
            }
            (Some(recorded_settings), Some(_)) => {
                failure = Some(format!("it was played with other settings: {recorded_settings}"));
            }
            _ => {
                let at = game.range.start;
                failure = Some(format!("the game at byte {at} is not from a match"));
            }
        }
        Flow::Stop
    });
    failure.map_or(Ok((games, end)), |failure| bail!(failure))
}

/// Returns the offset where the last complete game ends. A game's tags and its moves each end
/// with an empty line and contain none.
fn end_of_whole_games(bytes: &[u8]) -> usize {
    let ends = bytes.windows(2).enumerate().filter(|(_, pair)| pair == b"\n\n");
    ends.map(|(at, _)| at + 2).skip(1).step_by(2).last().unwrap_or(0)
}

/// Extracts the data of a game in the file, if the game is complete.
fn recorded(game: &Game) -> Option<RecordedGame> {
    let number = game.tags.get("Round")?.parse().ok().filter(|number| *number > 0)?;
    let ending = game.tags.get("Ending")?;
    let fault = Fault::ALL.into_iter().find(|fault| fault.as_str() == ending);
    let is_whole = game.result != GameResult::Open && game.problems.is_empty();
    is_whole.then_some(RecordedGame { number, result: game.result, fault })
}

/// Converts a game, with everything known about it, to PGN.
fn to_pgn(played: &PlayedGame, settings: &MatchSettings, settings_description: &str) -> Game {
    let mut game = Game::from_line(&played.line);
    let [a, b] = &settings.engines;
    let (white, black) = color_of_a(played.number).fold((a, b), (b, a));
    let plies = played.line.moves().len().to_string();
    for (tag, value) in [
        ("Event", "castellan match"),
        ("Date", &date(SystemTime::now())),
        ("Round", &played.number.to_string()),
        ("White", &white.name),
        ("Black", &black.name),
        ("TimeControl", &settings.search_limit.to_string()),
        ("PlyCount", &plies),
        ("Termination", termination(&played.ending)),
        ("Ending", &played.ending.to_string()),
        ("Match", settings_description),
    ] {
        game.tags.set(tag, value);
    }
    if a.is_chess960 {
        game.tags.set("Variant", "Chess960");
    }
    game.result = played.result;
    let nodes: Vec<_> = game.main_line().collect();
    let start = played.line.positions().get(played.opening_plies);
    let mut turn = start.map_or(Color::White, Position::turn);
    for (node, note) in nodes.iter().skip(played.opening_plies).zip(&played.notes) {
        game.notes_mut(*node).after.extend(comment(note, turn));
        turn = !turn;
    }
    if let MatchEnding::Fault(fault, description) = &played.ending {
        let last = game.last();
        let text = format!("{}: {description}", fault.as_str());
        game.notes_mut(last).after.extend(Comment::new(&text));
    }
    game
}

/// Returns the PGN `Termination` value for an ending.
fn termination(ending: &MatchEnding) -> &'static str {
    match ending {
        MatchEnding::Rules(reason) => reason.termination().unwrap_or("normal"),
        MatchEnding::Adjudicated => "adjudication",
        MatchEnding::Fault(Fault::TimeLoss, _) => "time forfeit",
        MatchEnding::Fault(Fault::IllegalMove, _) => "rules infraction",
        MatchEnding::Fault(Fault::Crash, _) => "abandoned",
    }
}

/// Formats the score, clock and time of a move. PGN scores are from White's point of view.
fn comment(note: &MoveNote, mover: Color) -> Option<Comment> {
    let time = |time: Duration| {
        ClockTime::from_milliseconds(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    };
    let mut parts = CommentParts::default();
    parts.commands.extend(note.score.map(|score| {
        let for_white = |value: i32| mover.fold(value, value.saturating_neg());
        let score = match score.value {
            ScoreValue::Centipawns(value) => Score::Centipawns(for_white(value)),
            ScoreValue::Mate(moves) => Score::Mate(for_white(moves)),
        };
        Command::Eval(Eval { score, depth: note.depth })
    }));
    parts.commands.extend(note.left.map(|left| Command::Clock(time(left))));
    parts.commands.push(Command::Elapsed(time(note.time)));
    Comment::new(&parts.to_string())
}

/// Formats the current date for PGN.
fn date(now: SystemTime) -> String {
    pgn_date(now.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Event \"castellan match\"]\n[Round \"3\"]\n[Ending \"time loss\"]\n\
        [Match \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";

    #[test]
    fn whole_games_are_read_and_a_broken_end_is_cut_off() {
        let third = RecordedGame {
            number: 3,
            result: GameResult::Win(Color::White),
            fault: Some(Fault::TimeLoss),
        };
        let whole = read_games(GAME.as_bytes(), "x").expect("it is fine");
        assert_eq!(whole, (vec![third], GAME.len()));
        for cut in 1..GAME.len() {
            let text = format!("{GAME}{}", &GAME[..cut]);
            let (games, end) = read_games(text.as_bytes(), "x").expect("the end is cut off");
            assert_eq!(games, [third], "{cut}");
            assert_eq!(end, GAME.len(), "{cut}");
        }
        assert_eq!(read_games(b"", "x").expect("nothing is fine"), (vec![], 0));
    }

    #[test]
    fn other_matches_and_other_games_are_left_alone() {
        let error = read_games(GAME.as_bytes(), "y").expect_err("it is another match");
        assert_eq!(error.to_string(), "it was played with other settings: x");
        let other = "[Event \"World Championship\"]\n\n1. e4 e5 1-0\n\n";
        assert!(read_games(other.as_bytes(), "x").is_err());
        assert!(read_games(format!("{other}{GAME}").as_bytes(), "x").is_err());
        assert!(read_games(b"my diary", "x").is_err());
    }
}
