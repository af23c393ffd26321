//! Messages to clients, written once and in the language of each socket.

use axum::extract::ws::Utf8Bytes;
use castellan_game::{GameId, Refusal};
use castellan_protocol::simple::{GameEnd, SimpleError, SimpleServerMessage};
use castellan_protocol::{
    ClientMessage, Code, ErrorReport, Refused, RequestKind, ServerCode, ServerMessage,
};

use super::link::{Dialect, Link};

/// A message as it is sent; copies of it share their bytes.
pub(crate) fn encode(message: &ServerMessage) -> Utf8Bytes {
    message.to_json().into()
}

/// The same for the plain protocol.
pub(crate) fn encode_simple(message: &SimpleServerMessage) -> Utf8Bytes {
    message.to_json().into()
}

/// Sends an error of the plain protocol.
pub(crate) fn complain_simply(link: &Link, words: String) {
    link.say(encode_simple(&SimpleServerMessage::Error(SimpleError { words })));
}

/// Answers a report of the end of a game that is over: with nothing if it is true, and otherwise
/// with the true result.
pub(crate) fn check_reported_end(link: &Link, reported: GameEnd, end: GameEnd) {
    if reported != end {
        link.say(encode_simple(&SimpleServerMessage::GameEnd(end)));
    }
}

/// What a client asked for, to be named when it is refused.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    of: Option<RequestKind>,
    game: Option<GameId>,
}

impl From<&ClientMessage> for Asked {
    fn from(request: &ClientMessage) -> Asked {
        Asked { of: Some(request.into()), game: request.game() }
    }
}

impl Asked {
    /// Whether a client has asked at all.
    pub(crate) fn is_asked(self) -> bool {
        self.of.is_some()
    }

    /// Tells a client that the server refuses.
    pub(crate) fn refuse(self, link: &Link, code: ServerCode) {
        self.refuse_in_words(link, code, code.words().to_owned());
    }

    /// Tells a client that the server refuses, in better words than the usual.
    pub(crate) fn refuse_in_words(self, link: &Link, code: ServerCode, words: String) {
        self.send(link, code.into(), words);
    }

    /// Tells a client that a game refuses.
    pub(crate) fn refuse_by_game(self, link: &Link, refusal: &Refusal) {
        self.send(link, refusal.into(), refusal.to_string());
    }

    fn send(self, link: &Link, code: Code, words: String) {
        link.say(match (link.dialect(), self.of) {
            (Dialect::Simple, _) => {
                encode_simple(&SimpleServerMessage::Error(SimpleError { words }))
            }
            (Dialect::Full, Some(of)) => {
                encode(&ServerMessage::Refused(Refused { of, game: self.game, code, words }))
            }
            (Dialect::Full, None) => {
                encode(&ServerMessage::Error(ErrorReport { code, words, at: None }))
            }
        });
    }
}
