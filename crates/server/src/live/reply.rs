//! Messages to clients, encoded in the protocol of each connection.

use axum::extract::ws::Utf8Bytes;
use castellan_game::{GameId, Refusal};
use castellan_protocol::simple::{GameEnd, SimpleError, SimpleServerMessage};
use castellan_protocol::{
    ClientMessage, Code, ErrorReport, Refused, RequestKind, ServerCode, ServerMessage,
};

use super::link::{Dialect, Link};

/// Encodes a message. Clones of the result share its bytes.
pub(crate) fn encode(message: &ServerMessage) -> Utf8Bytes {
    message.to_json().into()
}

/// Encodes a message of the plain protocol.
pub(crate) fn encode_simple(message: &SimpleServerMessage) -> Utf8Bytes {
    message.to_json().into()
}

/// Sends an error in the plain protocol.
pub(crate) fn complain_simply(link: &Link, words: String) {
    link.say(encode_simple(&SimpleServerMessage::Error(SimpleError { words })));
}

/// Checks the result that a client reported for a finished game. A correct report gets no
/// response; a wrong one gets the actual result.
pub(crate) fn check_reported_end(link: &Link, reported: GameEnd, end: GameEnd) {
    if reported != end {
        link.say(encode_simple(&SimpleServerMessage::GameEnd(end)));
    }
}

/// The request of a client, which an error response has to name. The default value stands for
/// none.
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
    /// Returns `true` if there was a request.
    pub(crate) fn is_asked(self) -> bool {
        self.of.is_some()
    }

    /// Sends an error response with the standard message of its code.
    pub(crate) fn refuse(self, link: &Link, code: ServerCode) {
        self.refuse_in_words(link, code, code.words().to_owned());
    }

    /// Sends an error response with a more specific message.
    pub(crate) fn refuse_in_words(self, link: &Link, code: ServerCode, words: String) {
        self.send(link, code.into(), words);
    }

    /// Sends an error response for a command that the game refused.
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
