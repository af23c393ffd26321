//! Messages to clients, encoded in the protocol of each connection.

use axum::extract::ws::Utf8Bytes;
use castellan_game::{GameId, Refusal};
use castellan_protocol::simple::{GameEnd, SimpleError, SimpleServerMessage};
use castellan_protocol::{
    ClientMessage, Code, ErrorReport, GameRef, Refused, RequestKind, ServerCode, ServerMessage,
};

use super::connection::{Connection, Protocol};

/// Encodes a message. Clones of the result share its bytes.
pub(crate) fn encode(message: &ServerMessage) -> Utf8Bytes {
    message.to_json().into()
}

/// Encodes a message of the plain protocol.
pub(crate) fn encode_simple(message: &SimpleServerMessage) -> Utf8Bytes {
    message.to_json().into()
}

/// Sends an error in the plain protocol.
pub(crate) fn send_simple_error(connection: &Connection, message: String) {
    connection.send(encode_simple(&SimpleServerMessage::Error(SimpleError { message })));
}

/// Checks the result that a client reported for a finished game. A correct report gets no
/// response; a wrong one gets the actual result.
pub(crate) fn check_reported_end(connection: &Connection, reported: GameEnd, end: GameEnd) {
    if reported != end {
        connection.send(encode_simple(&SimpleServerMessage::GameEnd(end)));
    }
}

/// The request of a client, which an error response has to name. The default value stands for
/// none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestRef {
    of: Option<RequestKind>,
    game: Option<GameId>,
}

impl From<&ClientMessage> for RequestRef {
    fn from(request: &ClientMessage) -> RequestRef {
        RequestRef { of: Some(request.into()), game: request.game() }
    }
}

impl RequestRef {
    /// Returns the request with which a client follows a game.
    pub(crate) fn watching(game: GameId) -> RequestRef {
        RequestRef::from(&ClientMessage::Watch(GameRef { game }))
    }

    /// Returns `true` if there was a request.
    pub(crate) fn is_from_client(self) -> bool {
        self.of.is_some()
    }

    /// Sends an error response with the standard message of its code.
    pub(crate) fn refuse(self, connection: &Connection, code: ServerCode) {
        self.refuse_with_message(connection, code, code.message().to_owned());
    }

    /// Sends an error response with a more specific message.
    pub(crate) fn refuse_with_message(
        self,
        connection: &Connection,
        code: ServerCode,
        message: String,
    ) {
        self.send(connection, code.into(), message);
    }

    /// Sends an error response for a command that the game refused.
    pub(crate) fn refuse_by_game(self, connection: &Connection, refusal: &Refusal) {
        self.send(connection, refusal.into(), refusal.to_string());
    }

    fn send(self, connection: &Connection, code: Code, message: String) {
        connection.send(match (connection.protocol(), self.of) {
            (Protocol::Simple, _) => {
                encode_simple(&SimpleServerMessage::Error(SimpleError { message }))
            }
            (Protocol::Full, Some(of)) => {
                encode(&ServerMessage::Refused(Refused { of, game: self.game, code, message }))
            }
            (Protocol::Full, None) => {
                encode(&ServerMessage::Error(ErrorReport { code, message, at: None }))
            }
        });
    }
}
