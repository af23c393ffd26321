//! From a question to its answer.
//!
//! Owns: the list of questions, and what is open on the desk. An answer is `{"ok": …}` or
//! `{"error": {"code", "text"}}`; the code is for the page, the English text for whoever debugs.

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

/// The longest question: a PGN file of this size is read in one piece.
pub const MAX_QUESTION_BYTES: usize = 64 << 20;

/// What the desk cannot know by itself.
pub trait World: Sync {
    /// Milliseconds on a clock that never goes back.
    fn now_ms(&self) -> f64;
    /// Something to tell while a question is still being answered.
    fn tell(&self, text: &str);
}

/// What is open: the games, the engine and the library.
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

/// Everything that can be asked.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Question {
    /// The five languages with their piece letters.
    #[cfg(feature = "table")]
    Languages {},
    /// What can be played in a position.
    #[cfg(any(feature = "table", feature = "doctor"))]
    Position(board::PositionQuestion),
    /// A start position of Chess960.
    #[cfg(feature = "table")]
    Chess960(board::StartNumber),
    /// A FEN from what stands on an editor's board.
    #[cfg(feature = "doctor")]
    Compose(composition::Composition),
    /// Which move a text means.
    #[cfg(feature = "table")]
    ReadMove(notation::MoveText),
    /// What is wrong with a FEN.
    #[cfg(feature = "doctor")]
    Examine(doctor::Examination),
    /// Begins a game.
    #[cfg(feature = "table")]
    NewGame(games::NewGame),
    /// Opens a game from its record.
    #[cfg(feature = "table")]
    LoadGame(games::StoredGame),
    /// Does something in a game.
    #[cfg(feature = "table")]
    Act(games::Action),
    /// What can be seen of a game.
    #[cfg(feature = "table")]
    Look(games::Glance),
    /// What the clocks of a game show.
    #[cfg(feature = "table")]
    Clocks(games::Glance),
    /// The record of a game, to be kept.
    #[cfg(feature = "table")]
    Record(games::Glance),
    /// Forgets a game.
    #[cfg(feature = "table")]
    Close(games::Glance),
    /// What can be seen of a game that is played elsewhere.
    #[cfg(feature = "table")]
    Follow(following::Record),
    /// A game that is played elsewhere as PGN.
    #[cfg(feature = "table")]
    WriteFollowed(following::Sheet),
    /// The board after a move that is not made yet.
    #[cfg(feature = "table")]
    TryMove(anticipation::Trial),
    /// The moves that can be made ready while the opponent thinks.
    #[cfg(feature = "table")]
    Premoves(anticipation::Wait),
    /// A game as PGN.
    #[cfg(feature = "table")]
    WritePgn(scoresheet::Export),
    /// The games in a PGN text.
    #[cfg(feature = "table")]
    ReadPgn(scoresheet::Import),
    /// Opens one game of a PGN text, with its clocks.
    #[cfg(feature = "table")]
    OpenPgn(scoresheet::Opening),
    /// The best move, at a level or at full strength.
    #[cfg(feature = "engine")]
    Think(thinking::Task),
    /// Whether the computer accepts a draw.
    #[cfg(feature = "engine")]
    ConsiderDraw(thinking::DrawOffer),
    /// Opens a game of a PGN text to be studied.
    #[cfg(feature = "review")]
    OpenStudy(review::StudyText),
    /// Opens a game that came as a link.
    #[cfg(feature = "review")]
    OpenLink(review::StudyLink),
    /// One place of a study.
    #[cfg(feature = "review")]
    StudyAt(review::Place),
    /// Changes a study.
    #[cfg(feature = "review")]
    EditStudy(review::Edit),
    /// A study as PGN.
    #[cfg(feature = "review")]
    WriteStudy(review::Chosen),
    /// A study as a link.
    #[cfg(feature = "review")]
    LinkStudy(review::Sending),
    /// Forgets a study.
    #[cfg(feature = "review")]
    CloseStudy(review::Chosen),
    /// What the moves of a line were worth.
    #[cfg(feature = "review")]
    Judge(review::Scores),
    /// Says that the file in the library has been read to its end.
    #[cfg(feature = "library")]
    FinishLibrary {},
    /// Which games of the library are to be seen.
    #[cfg(feature = "library")]
    SiftLibrary(library::Wish),
    /// Some of the games that are to be seen.
    #[cfg(feature = "library")]
    TellLibrary(library::Span),
}

/// Why a question has no answer.
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

/// An answer from something that can be written as JSON.
#[cfg(any(feature = "table", feature = "doctor", feature = "engine", feature = "review"))]
pub(crate) fn told(value: impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| Failure::new("internal", error))
}

impl Desk {
    /// The answer to a question.
    pub fn answer(&mut self, question: &[u8], world: &dyn World) -> String {
        let read = serde_json::from_slice::<Question>(question);
        let answer = match read {
            Ok(question) => self.consider(question, world),
            Err(error) => Err(Failure::new("bad_question", error)),
        };
        written(answer)
    }

    /// Takes the next bytes of the file in the library; a file of any size comes in pieces.
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
