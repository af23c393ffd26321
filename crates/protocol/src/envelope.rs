//! The form of every message: `{"type": "...", "data": {...}}`.
//!
//! This module parses and writes this form, enforces its limits, and finds the position of an
//! error; it does not know which messages exist. A text is parsed to its end or refused. No input
//! makes the parser panic, recurse deeply, or use more memory than the size of the input
//! justifies.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::outline;

/// Maximum size of a message from a client, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 8 * 1024;
/// Maximum size of a message from the server, in bytes: the longest possible game, written out.
pub const MAX_SERVER_MESSAGE_BYTES: usize = 160 * 1024;
/// Maximum nesting depth of objects and lists.
pub const MAX_DEPTH: usize = 8;
/// Maximum length of an error message, which may quote the input.
const MAX_ERROR_CHARACTERS: usize = 200;

/// Why a text is not a message, and at which byte.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {at}: {fault}")]
pub struct ParseMessageError {
    /// Offset of the byte, counting from 0.
    pub at: usize,
    /// What is wrong there.
    pub fault: MessageFault,
}

/// What is wrong with a text that should be a message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MessageFault {
    /// The text is longer than the limit for messages.
    #[error("a message can have at most {limit} bytes, this one has {bytes}")]
    TooLong {
        /// Actual size in bytes.
        bytes: usize,
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The text is not UTF-8.
    #[error("expected UTF-8")]
    NotUtf8,
    /// Objects or lists are nested too deeply.
    #[error("nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// There is a list where no field expects one. The JSON parser would accept it as an object
    /// without field names.
    #[error("a list is not expected here")]
    UnexpectedList,
    /// The text is not an object with `type` and `data`; this is the message of the JSON parser.
    #[error("{0}")]
    Envelope(String),
    /// This type of message does not exist in this direction.
    #[error("unknown message type \"{0}\"")]
    UnknownType(String),
    /// The data does not match the type.
    #[error("in \"{kind}\": {message}")]
    Payload {
        /// The type of the message.
        kind: &'static str,
        /// The message of the JSON parser.
        message: String,
    },
}

impl ParseMessageError {
    pub(crate) fn new(at: usize, fault: MessageFault) -> ParseMessageError {
        ParseMessageError { at, fault }
    }
}

/// A message whose data has not been parsed yet.
pub(crate) struct Envelope<'a> {
    text: &'a str,
    kind: Cow<'a, str>,
    payload: Option<&'a RawValue>,
}

/// The outer object of a message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEnvelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "data", borrow, default)]
    payload: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// Parses the outer form of a text of at most `limit` bytes.
    pub(crate) fn open(bytes: &'a [u8], limit: usize) -> Result<Envelope<'a>, ParseMessageError> {
        if bytes.len() > limit {
            let fault = MessageFault::TooLong { bytes: bytes.len(), limit };
            return Err(ParseMessageError::new(limit, fault));
        }
        let text = str::from_utf8(bytes)
            .map_err(|error| ParseMessageError::new(error.valid_up_to(), MessageFault::NotUtf8))?;
        outline::check(bytes)?;
        let raw: RawEnvelope<'a> = serde_json::from_str(text).map_err(|error| {
            ParseMessageError::new(
                error_offset(text, &error),
                MessageFault::Envelope(message(&error)),
            )
        })?;
        Ok(Envelope { text, kind: raw.kind, payload: raw.payload })
    }

    /// Returns the type of the message.
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// Parses the data as that of a given type. Missing or null data counts as empty.
    pub(crate) fn payload<T: DeserializeOwned>(
        &self,
        kind: &'static str,
    ) -> Result<T, ParseMessageError> {
        let (json, offset) = match self.payload {
            Some(raw) => (raw.get(), offset_within(self.text, raw.get())),
            None => ("{}", self.text.len()),
        };
        serde_json::from_str(json).map_err(|error| {
            let at = offset + if self.payload.is_some() { error_offset(json, &error) } else { 0 };
            ParseMessageError::new(at, MessageFault::Payload { kind, message: message(&error) })
        })
    }

    /// Returns the error for an unknown type.
    pub(crate) fn unknown_type(&self) -> ParseMessageError {
        // The text has been parsed, so the key exists; with escapes it may be written
        // differently.
        let at = self.text.find("\"type\"").unwrap_or(0);
        ParseMessageError::new(at, MessageFault::UnknownType(shortened(&self.kind)))
    }
}

/// Returns the offset of a part within the text that contains it.
fn offset_within(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// Returns the offset at which the JSON parser stopped; it counts lines and columns from 1.
fn error_offset(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let line_start: usize = lines.map(str::len).sum();
    (line_start + error.column().saturating_sub(1)).min(text.len())
}

/// Returns the error message of the JSON parser without the position, which is reported in bytes.
fn message(error: &serde_json::Error) -> String {
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    shortened(text.strip_suffix(&position).unwrap_or(&text))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_ERROR_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Defines the enum of all messages of one direction from a list of their types.
///
/// Each message has its own type of data, so that parsing does not depend on the order of `type`
/// and `data` in the text.
macro_rules! messages {
    (
        $(#[$about:meta])*
        pub enum $name:ident up to $limit:expr;
        $($(#[$line:meta])* $variant:ident($payload:ty) = $kind:tt,)*
    ) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize)]
        #[serde(tag = "type", content = "data")]
        pub enum $name {
            $($(#[$line])* #[serde(rename = $kind)] $variant($payload),)*
        }

        impl $name {
            /// The types of all messages in this direction.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// Returns the type of the message as it is written.
            pub fn kind(&self) -> &'static str {
                match self {
                    $($name::$variant(_) => $kind,)*
                }
            }

            /// Parses a message strictly: the whole text, no unknown fields, everything within
            /// its limits.
            pub fn parse(text: impl AsRef<[u8]>) -> Result<$name, $crate::ParseMessageError> {
                let envelope = $crate::envelope::Envelope::open(text.as_ref(), $limit)?;
                match envelope.kind() {
                    $($kind => envelope.payload($kind).map($name::$variant),)*
                    _ => Err(envelope.unknown_type()),
                }
            }

            /// Returns the message as JSON.
            pub fn to_json(&self) -> String {
                serde_json::to_string(self).expect("a message has only text keys")
            }
        }
    };
}

pub(crate) use messages;
