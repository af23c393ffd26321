//! The requests of the page, each with the type of its response.
//!
//! This module lists the requests and holds the open games and studies, the engine and the
//! library. A request is `{"name": {…}}`, which needs no buffering to be read. A response is
//! `{"ok": …}` or `{"error": {"code", "text"}}`; the code is for the page, the English text for
//! developers. The types in the list are also the types of the page, which `typescript` writes.

use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorCode};

#[cfg(any(feature = "table", feature = "doctor"))]
use crate::board;
#[cfg(feature = "library")]
use crate::library;
#[cfg(feature = "review")]
use crate::review;
#[cfg(any(feature = "table", feature = "doctor"))]
use crate::view;
#[cfg(feature = "doctor")]
use crate::{doctor, fen_builder};
#[cfg(feature = "engine")]
use crate::{engine, puzzles};
#[cfg(feature = "table")]
use crate::{games, notation, premoves, saved_game};

/// Maximum length of a request; a PGN file up to this size is read in one piece.
pub const MAX_REQUEST_BYTES: usize = 64 << 20;

/// The page around the module.
pub trait Host: Sync {
    /// Returns the milliseconds on a monotonic clock.
    fn now_ms(&self) -> f64;
    /// Receives a report of a running search, as JSON.
    #[cfg(feature = "engine")]
    fn tell(&self, report: &str);
}

/// The state of the module: open games and studies, the engine and the library.
#[derive(Default)]
pub struct Api {
    #[cfg(feature = "table")]
    games: games::Games,
    #[cfg(feature = "engine")]
    engine: engine::EngineHandle,
    #[cfg(feature = "review")]
    studies: review::Studies,
    #[cfg(feature = "library")]
    library: library::Library,
}

impl Api {
    /// Returns the response to a request.
    pub fn respond(&mut self, request: &[u8], host: &dyn Host) -> String {
        match serde_json::from_slice::<Request>(request) {
            Ok(request) => self.dispatch(request, host),
            Err(error) => written::<()>(Err(ApiError::new(ErrorCode::BadRequest, error))),
        }
    }

    /// Processes the next bytes of the library file; a file of any size arrives in pieces.
    #[cfg(feature = "library")]
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        written(self.library.feed(bytes))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Response<T> {
    Ok(T),
    Error(ApiError),
}

fn written<T: Serialize>(result: Result<T, ApiError>) -> String {
    let response = match result {
        Ok(value) => Response::Ok(value),
        Err(error) => Response::Error(error),
    };
    serde_json::to_string(&response).unwrap_or_else(|error| {
        let error = ApiError::new(ErrorCode::Internal, error);
        serde_json::to_string(&Response::<()>::Error(error)).unwrap_or_default()
    })
}

/// The parameters of a request that has none.
#[cfg(feature = "library")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "Record<string, never>"))]
pub(crate) struct Empty {}

/// A request with its name, its parameters, its response and its handler.
macro_rules! requests {
    ($(
        #[doc = $doc:literal]
        #[cfg($($cfg:tt)+)]
        $name:literal $variant:ident($request:ty) -> $response:ty = |$api:pat_param, $input:ident, $host:pat_param| $handler:expr;
    )+) => {
        /// All requests.
        #[derive(Deserialize)]
        enum Request {
            $(
                #[doc = $doc]
                #[cfg($($cfg)+)]
                #[serde(rename = $name)]
                $variant($request),
            )+
        }

        impl Api {
            fn dispatch(&mut self, request: Request, host: &dyn Host) -> String {
                match request {
                    $(
                        #[cfg($($cfg)+)]
                        Request::$variant($input) => {
                            let ($api, $host) = (&mut *self, host);
                            let result: Result<$response, ApiError> = $handler;
                            written(result)
                        }
                    )+
                }
            }
        }

        /// Visits the types of all requests and responses.
        #[cfg(feature = "typescript")]
        pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            use ts_rs::TS;
            $(
                visitor.visit::<$request>();
                visitor.visit::<$response>();
                <$response as TS>::visit_generics(visitor);
            )+
        }

        /// Returns the comment, the name, the parameters and the response of each request, as
        /// TypeScript.
        #[cfg(feature = "typescript")]
        pub(crate) fn signatures() -> Vec<[String; 4]> {
            use ts_rs::TS;
            vec![$(
                [
                    $doc.trim().to_owned(),
                    $name.to_owned(),
                    <$request as TS>::name(),
                    <$response as TS>::name(),
                ],
            )+]
        }
    };
}

requests! {
    /// Returns the legal moves of a position.
    #[cfg(any(feature = "table", feature = "doctor"))]
    "position" Position(board::PositionRequest) -> view::PositionView =
        |_, request, _| board::position(&request);
    /// Returns a Chess960 starting position.
    #[cfg(feature = "table")]
    "chess960" Chess960(board::StartNumber) -> view::PositionView =
        |_, request, _| board::chess960(&request);
    /// Builds a FEN from the contents of an editor's board.
    #[cfg(feature = "doctor")]
    "compose" Compose(fen_builder::Composition) -> String =
        |_, request, _| fen_builder::compose(&request);
    /// Finds the move that a text denotes.
    #[cfg(feature = "table")]
    "read_move" ReadMove(notation::MoveText) -> view::MoveView =
        |_, request, _| notation::read_move(&request);
    /// Diagnoses a FEN.
    #[cfg(feature = "doctor")]
    "examine" Examine(doctor::Examination) -> doctor::Diagnosis =
        |_, request, _| doctor::examine(&request);
    /// Starts a game.
    #[cfg(feature = "table")]
    "new_game" NewGame(games::NewGame) -> games::GameView =
        |api, request, _| api.games.start(request);
    /// Opens a game from its record.
    #[cfg(feature = "table")]
    "load_game" LoadGame(games::LoadGame) -> games::GameView =
        |api, request, _| api.games.load(request);
    /// Carries out an action in a local game and returns what it changes.
    #[cfg(feature = "table")]
    "act" Act(games::ActionRequest) -> games::ActionReply =
        |api, request, _| api.games.act(&request);
    /// Returns the clocks of a game.
    #[cfg(feature = "table")]
    "clocks" Clocks(games::GameQuery) -> games::ClocksView =
        |api, request, _| api.games.clocks(request);
    /// Returns how a person would answer with the move that the computer has found.
    #[cfg(feature = "table")]
    "reply" Reply(games::ReplyRequest) -> games::Reply =
        |api, request, _| api.games.reply(&request);
    /// Returns the record of a local game, for storage.
    #[cfg(feature = "table")]
    "record" Record(games::GameQuery) -> games::StoredGame =
        |api, request, _| api.games.stored(request);
    /// Closes a game.
    #[cfg(feature = "table")]
    "close" Close(games::CloseGame) -> bool =
        |api, request, _| api.games.close(&request);
    /// Opens a game that is played on a server, or replaces its state.
    #[cfg(feature = "table")]
    "follow_game" FollowGame(games::FollowGame) -> games::GameView =
        |api, request, _| api.games.follow_game(request);
    /// Applies an event of the server and returns what it changes.
    #[cfg(feature = "table")]
    "follow_event" FollowEvent(games::FollowEvent) -> games::EventReply =
        |api, request, _| api.games.follow_event(request);
    /// Shows the user's move in a game on a server, before it is acknowledged.
    #[cfg(feature = "table")]
    "show_move" ShowMove(games::ShowMove) -> games::GameChange =
        |api, request, _| api.games.show_move(&request);
    /// Takes back the move that waits for the server, which has refused it.
    #[cfg(feature = "table")]
    "hide_move" HideMove(games::GameQuery) -> games::GameChange =
        |api, request, _| api.games.hide_move(request);
    /// Returns the board after a move that has not been made yet.
    #[cfg(feature = "table")]
    "try_move" TryMove(premoves::TryMoveRequest) -> games::PlyView =
        |_, request, _| premoves::try_move(&request);
    /// Returns the possible premoves while the opponent is thinking.
    #[cfg(feature = "table")]
    "premoves" Premoves(premoves::PremoveRequest) -> premoves::PremoveBoard =
        |_, request, _| premoves::premoves(&request);
    /// Writes a game as PGN.
    #[cfg(feature = "table")]
    "write_pgn" WritePgn(saved_game::WritePgn) -> String =
        |api, request, _| api.games.write_pgn(&request);
    /// Lists the games in a PGN text.
    #[cfg(feature = "table")]
    "read_pgn" ReadPgn(saved_game::ReadPgn) -> Vec<saved_game::PgnSummary> =
        |_, request, _| Ok(saved_game::read(&request));
    /// Opens one game of a PGN text, with its clocks.
    #[cfg(feature = "table")]
    "open_pgn" OpenPgn(saved_game::OpenPgn) -> games::GameView =
        |api, request, _| api.games.open_pgn(&request);
    /// Finds the best move, at a level or at full strength.
    #[cfg(feature = "engine")]
    "search" Search(castellan_protocol::SearchTask) -> castellan_protocol::SearchResult =
        |api, request, host| api.engine.search(&request, host);
    /// Decides whether the computer accepts a draw.
    #[cfg(feature = "engine")]
    "consider_draw" ConsiderDraw(engine::DrawOffer) -> bool =
        |api, request, host| api.engine.consider_draw(&request, host);
    /// Finds the puzzles of a game.
    #[cfg(feature = "engine")]
    "find_puzzles" FindPuzzles(puzzles::PuzzleTask) -> Vec<puzzles::PuzzleView> =
        |api, request, host| puzzles::find(api.engine.engine(), &request, host);
    /// Opens a game of a PGN text as a study.
    #[cfg(feature = "review")]
    "open_study" OpenStudy(review::StudyText) -> review::StudyView =
        |api, request, _| api.studies.read(&request);
    /// Opens a game from a link as a study.
    #[cfg(feature = "review")]
    "open_link" OpenLink(review::StudyLink) -> review::StudyView =
        |api, request, _| api.studies.unpack(&request);
    /// Returns one node of a study.
    #[cfg(feature = "review")]
    "study_at" StudyAt(review::NodeRef) -> review::NodeView =
        |api, request, _| api.studies.at(&request);
    /// Changes a study.
    #[cfg(feature = "review")]
    "edit_study" EditStudy(review::Edit) -> review::StudyView =
        |api, request, _| api.studies.edit(&request);
    /// Undoes the last change to a study.
    #[cfg(feature = "review")]
    "undo_study" UndoStudy(review::StudyRef) -> review::StudyView =
        |api, request, _| api.studies.step(&request, true);
    /// Redoes the change that was undone last.
    #[cfg(feature = "review")]
    "redo_study" RedoStudy(review::StudyRef) -> review::StudyView =
        |api, request, _| api.studies.step(&request, false);
    /// Writes a study as PGN.
    #[cfg(feature = "review")]
    "write_study" WriteStudy(review::WriteStudy) -> String =
        |api, request, _| api.studies.write(&request);
    /// Writes a study as a link.
    #[cfg(feature = "review")]
    "link_study" LinkStudy(review::LinkRequest) -> String =
        |api, request, _| api.studies.pack(&request);
    /// Closes a study.
    #[cfg(feature = "review")]
    "close_study" CloseStudy(review::StudyRef) -> bool =
        |api, request, _| Ok(api.studies.close(&request));
    /// Names the opening of a game in progress.
    #[cfg(feature = "review")]
    "opening" Opening(review::GameMoves) -> Option<review::OpeningView> =
        |_, request, _| review::opening(&request);
    /// Rates the moves of a line.
    #[cfg(feature = "review")]
    "judge" Judge(review::Scores) -> review::Judgment =
        |_, request, _| review::judge(&request);
    /// Rates the first attempt at a puzzle.
    #[cfg(feature = "review")]
    "rate_attempt" RateAttempt(review::Attempt) -> review::AttemptRatings =
        |_, request, _| review::rate(&request);
    /// Reports that the library file has been read to its end.
    #[cfg(feature = "library")]
    "finish_library" FinishLibrary(Empty) -> library::LibraryCounts =
        |api, _request, _| api.library.finish();
    /// Filters the games of the library.
    #[cfg(feature = "library")]
    "filter_library" FilterLibrary(library::Filter) -> library::LibraryCounts =
        |api, request, _| api.library.set_filter(request);
    /// Returns the moves that were played in the position of the filter.
    #[cfg(feature = "library")]
    "explore_library" ExploreLibrary(Empty) -> library::Exploration =
        |api, _request, _| Ok(api.library.explore());
    /// Returns where the games that match the filter are in the file.
    #[cfg(feature = "library")]
    "library_ranges" LibraryRanges(Empty) -> Vec<library::FileRange> =
        |api, _request, _| Ok(api.library.ranges());
    /// Returns some of the games that match the filter.
    #[cfg(feature = "library")]
    "list_library" ListLibrary(library::Span) -> Vec<library::GameRow> =
        |api, request, _| Ok(api.library.rows(&request));
}
