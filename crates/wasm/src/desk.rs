//! Answers requests.
//!
//! This module defines the list of requests and holds the open games and studies, the engine and
//! the library. A response is `{"ok": …}` or `{"error": {"code", "text"}}`; the code is for the
//! page, the English text for developers.

use serde::Deserialize;
#[cfg(any(feature = "table", feature = "doctor", feature = "engine", feature = "review"))]
use serde::Serialize;
use serde_json::{Value, json};

#[cfg(any(feature = "table", feature = "doctor"))]
use crate::board;
#[cfg(feature = "library")]
use crate::library;
#[cfg(feature = "review")]
use crate::review;
#[cfg(feature = "engine")]
use crate::thinking;
#[cfg(feature = "table")]
use crate::{anticipation, following, games, notation, scoresheet};
#[cfg(feature = "doctor")]
use crate::{composition, doctor};

/// Maximum length of a request; a PGN file up to this size is read in one piece.
pub const MAX_QUESTION_BYTES: usize = 64 << 20;

/// Access to the outside world.
pub trait World: Sync {
    /// Returns the milliseconds on a monotonic clock.
    fn now_ms(&self) -> f64;
    /// Sends a message while a request is still being processed.
    fn tell(&self, text: &str);
}

/// The state of the module: open games and studies, the engine and the library.
#[derive(Default)]
pub struct Desk {
    #[cfg(feature = "table")]
    games: games::Games,
    #[cfg(feature = "engine")]
    thinker: thinking::Thinker,
    #[cfg(feature = "review")]
    studies: review::Studies,
    #[cfg(feature = "library")]
    library: library::Library,
}

/// All requests.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Question {
    /// Returns the five languages with their piece letters.
    #[cfg(feature = "table")]
    Languages {},
    /// Returns the legal moves of a position.
    #[cfg(any(feature = "table", feature = "doctor"))]
    Position(board::PositionQuestion),
    /// Returns a Chess960 starting position.
    #[cfg(feature = "table")]
    Chess960(board::StartNumber),
    /// Builds a FEN from the contents of an editor's board.
    #[cfg(feature = "doctor")]
    Compose(composition::Composition),
    /// Finds the move that a text denotes.
    #[cfg(feature = "table")]
    ReadMove(notation::MoveText),
    /// Diagnoses a FEN.
    #[cfg(feature = "doctor")]
    Examine(doctor::Examination),
    /// Starts a game.
    #[cfg(feature = "table")]
    NewGame(games::NewGame),
    /// Opens a game from its record.
    #[cfg(feature = "table")]
    LoadGame(games::StoredGame),
    /// Carries out an action in a game.
    #[cfg(feature = "table")]
    Act(games::Action),
    /// Returns the view of a game.
    #[cfg(feature = "table")]
    Look(games::Glance),
    /// Returns the clocks of a game.
    #[cfg(feature = "table")]
    Clocks(games::Glance),
    /// Returns the record of a game, for storage.
    #[cfg(feature = "table")]
    Record(games::Glance),
    /// Closes a game.
    #[cfg(feature = "table")]
    Close(games::Glance),
    /// Returns the view of a game that is played on a server.
    #[cfg(feature = "table")]
    Follow(following::Record),
    /// Writes a game that is played on a server as PGN.
    #[cfg(feature = "table")]
    WriteFollowed(following::Sheet),
    /// Returns the board after a move that has not been made yet.
    #[cfg(feature = "table")]
    TryMove(anticipation::Trial),
    /// Returns the possible premoves while the opponent is thinking.
    #[cfg(feature = "table")]
    Premoves(anticipation::Wait),
    /// Writes a game as PGN.
    #[cfg(feature = "table")]
    WritePgn(scoresheet::Export),
    /// Lists the games in a PGN text.
    #[cfg(feature = "table")]
    ReadPgn(scoresheet::Import),
    /// Opens one game of a PGN text, with its clocks.
    #[cfg(feature = "table")]
    OpenPgn(scoresheet::Opening),
    /// Finds the best move, at a level or at full strength.
    #[cfg(feature = "engine")]
    Think(thinking::Task),
    /// Decides whether the computer accepts a draw.
    #[cfg(feature = "engine")]
    ConsiderDraw(thinking::DrawOffer),
    /// Opens a game of a PGN text as a study.
    #[cfg(feature = "review")]
    OpenStudy(review::StudyText),
    /// Opens a game from a link as a study.
    #[cfg(feature = "review")]
    OpenLink(review::StudyLink),
    /// Returns one node of a study.
    #[cfg(feature = "review")]
    StudyAt(review::Place),
    /// Changes a study.
    #[cfg(feature = "review")]
    EditStudy(review::Edit),
    /// Writes a study as PGN.
    #[cfg(feature = "review")]
    WriteStudy(review::Chosen),
    /// Writes a study as a link.
    #[cfg(feature = "review")]
    LinkStudy(review::Sending),
    /// Closes a study.
    #[cfg(feature = "review")]
    CloseStudy(review::Chosen),
    /// Rates the moves of a line.
    #[cfg(feature = "review")]
    Judge(review::Scores),
    /// Reports that the library file has been read to its end.
    #[cfg(feature = "library")]
    FinishLibrary {},
    /// Filters the games of the library.
    #[cfg(feature = "library")]
    SiftLibrary(library::Wish),
    /// Returns some of the games that match the filter.
    #[cfg(feature = "library")]
    TellLibrary(library::Span),
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    text: String,
}

impl Failure {
    pub(crate) fn new(code: &'static str, text: impl ToString) -> Failure {
        Failure { code, text: text.to_string() }
    }
}

pub(crate) type Answer = Result<Value, Failure>;

/// Converts a serializable value into a response.
#[cfg(any(feature = "table", feature = "doctor", feature = "engine", feature = "review"))]
pub(crate) fn told(value: impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| Failure::new("internal", error))
}

impl Desk {
    /// Returns the response to a request.
    pub fn answer(&mut self, question: &[u8], world: &dyn World) -> String {
        let read = serde_json::from_slice::<Question>(question);
        let answer = match read {
            Ok(question) => self.consider(question, world),
            Err(error) => Err(Failure::new("bad_question", error)),
        };
        written(answer)
    }

    /// Processes the next bytes of the library file; a file of any size arrives in pieces.
    #[cfg(feature = "library")]
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        written(self.library.feed(bytes))
    }

    #[cfg_attr(not(feature = "engine"), allow(unused_variables))]
    fn consider(&mut self, question: Question, world: &dyn World) -> Answer {
        match question {
            #[cfg(feature = "table")]
            Question::Languages {} => notation::languages(),
            #[cfg(any(feature = "table", feature = "doctor"))]
            Question::Position(question) => board::position(&question),
            #[cfg(feature = "table")]
            Question::Chess960(asked) => board::chess960(&asked),
            #[cfg(feature = "doctor")]
            Question::Compose(composition) => composition::compose(&composition),
            #[cfg(feature = "table")]
            Question::ReadMove(text) => notation::read_move(&text),
            #[cfg(feature = "doctor")]
            Question::Examine(examination) => doctor::examine(&examination),
            #[cfg(feature = "table")]
            Question::NewGame(new) => self.games.begin(new),
            #[cfg(feature = "table")]
            Question::LoadGame(stored) => self.games.load(stored),
            #[cfg(feature = "table")]
            Question::Act(action) => self.games.act(&action),
            #[cfg(feature = "table")]
            Question::Look(glance) => self.games.look(glance),
            #[cfg(feature = "table")]
            Question::Clocks(glance) => self.games.clocks(glance),
            #[cfg(feature = "table")]
            Question::Record(glance) => self.games.record(glance),
            #[cfg(feature = "table")]
            Question::Close(glance) => self.games.close(glance),
            #[cfg(feature = "table")]
            Question::Follow(record) => following::follow(record),
            #[cfg(feature = "table")]
            Question::WriteFollowed(sheet) => following::write(sheet),
            #[cfg(feature = "table")]
            Question::TryMove(trial) => anticipation::try_move(&trial),
            #[cfg(feature = "table")]
            Question::Premoves(wait) => anticipation::premoves(&wait),
            #[cfg(feature = "table")]
            Question::WritePgn(export) => scoresheet::write(self.games.get(export.game)?, &export),
            #[cfg(feature = "table")]
            Question::ReadPgn(import) => scoresheet::read(&import),
            #[cfg(feature = "table")]
            Question::OpenPgn(opening) => self.games.take(scoresheet::open(&opening)?, opening.now),
            #[cfg(feature = "engine")]
            Question::Think(task) => self.thinker.think(&task, world),
            #[cfg(feature = "engine")]
            Question::ConsiderDraw(offer) => self.thinker.consider_draw(&offer, world),
            #[cfg(feature = "review")]
            Question::OpenStudy(text) => self.studies.read(&text),
            #[cfg(feature = "review")]
            Question::OpenLink(link) => self.studies.unpack(&link),
            #[cfg(feature = "review")]
            Question::StudyAt(place) => self.studies.at(&place),
            #[cfg(feature = "review")]
            Question::EditStudy(edit) => self.studies.edit(&edit),
            #[cfg(feature = "review")]
            Question::WriteStudy(chosen) => self.studies.write(&chosen),
            #[cfg(feature = "review")]
            Question::LinkStudy(sending) => self.studies.pack(&sending),
            #[cfg(feature = "review")]
            Question::CloseStudy(chosen) => self.studies.close(&chosen),
            #[cfg(feature = "review")]
            Question::Judge(scores) => review::judge(&scores),
            #[cfg(feature = "library")]
            Question::FinishLibrary {} => self.library.finish(),
            #[cfg(feature = "library")]
            Question::SiftLibrary(wish) => self.library.sift(wish),
            #[cfg(feature = "library")]
            Question::TellLibrary(span) => self.library.told(&span),
        }
    }
}

fn written(answer: Answer) -> String {
    match answer {
        Ok(value) => json!({ "ok": value }).to_string(),
        Err(Failure { code, text }) => {
            json!({ "error": { "code": code, "text": text } }).to_string()
        }
    }
}
