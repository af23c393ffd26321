//! The form of every message: `{"type": "...", "data": {...}}`.
//!
//! Owns: reading and writing that form, its limits, and where in a text a fault is. Does not
//! own: which messages there are. A text is read to its end or refused; nothing in it makes the
//! reader panic, recurse deeply or remember more than it was sent.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::outline;

/// The most bytes of a message from a client.
pub const MAX_MESSAGE_BYTES: usize = 8 * 1024;
/// The most bytes of a message from the server: the longest game there can be, written out.
pub const MAX_SERVER_MESSAGE_BYTES: usize = 160 * 1024;
/// The most objects and lists within each other.
pub const MAX_DEPTH: usize = 8;
/// The most characters of a complaint, which may quote what was sent.
const MAX_COMPLAINT_CHARACTERS: usize = 200;

/// Why a text is not a message, and at which byte.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {at}: {fault}")]
pub struct ParseMessageError {
    /// The byte, from 0.
    pub at: usize,
    /// What is wrong there.
    pub fault: MessageFault,
}

/// What is wrong with a text that should be a message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MessageFault {
    /// Longer than any message.
    #[error("a message has at most {limit} bytes, this has {bytes}")]
    TooLong {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Not UTF-8.
    #[error("expected UTF-8")]
    NotUtf8,
    /// Objects within objects within objects.
    #[error("nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A list where no field has one. The JSON reader would take it for an object without names.
    #[error("a list is not expected here")]
    UnexpectedList,
    /// Not an object with `type` and `data`, in the words of the JSON reader.
    #[error("{0}")]
    Envelope(String),
    /// A type of message that does not exist in this direction.
    #[error("unknown type of message \"{0}\"")]
    UnknownType(String),
    /// The data are not those of the type.
    #[error("in \"{kind}\": {words}")]
    Payload {
        /// The type of the message.
        kind: &'static str,
        /// What is wrong, in the words of the JSON reader.
        words: String,
    },
}

impl ParseMessageError {
    pub(crate) fn new(at: usize, fault: MessageFault) -> ParseMessageError {
        ParseMessageError { at, fault }
    }
}

/// A message whose data have not been looked at yet.
pub(crate) struct Envelope<'a> {
    text: &'a str,
    kind: Cow<'a, str>,
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "data", borrow, default)]
    payload: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// Reads the outer form of a text of at most `limit` bytes.
    pub(crate) fn open(bytes: &'a [u8], limit: usize) -> Result<Envelope<'a>, ParseMessageError> {
        if bytes.len() > limit {
            let fault = MessageFault::TooLong { bytes: bytes.len(), limit };
            return Err(ParseMessageError::new(limit, fault));
        }
        let text = str::from_utf8(bytes)
            .map_err(|error| ParseMessageError::new(error.valid_up_to(), MessageFault::NotUtf8))?;
        outline::check(bytes)?;
        let form: Form<'a> = serde_json::from_str(text).map_err(|error| {
            ParseMessageError::new(place(text, &error), MessageFault::Envelope(words(&error)))
        })?;
        Ok(Envelope { text, kind: form.kind, payload: form.payload })
    }

    /// The type of the message.
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// Reads the data as those of a type. Data that are left out or null are empty.
    pub(crate) fn payload<T: DeserializeOwned>(
        &self,
        kind: &'static str,
    ) -> Result<T, ParseMessageError> {
        let (json, offset) = match self.payload {
            Some(raw) => (raw.get(), offset_within(self.text, raw.get())),
            None => ("{}", self.text.len()),
        };
        serde_json::from_str(json).map_err(|error| {
            let at = offset + if self.payload.is_some() { place(json, &error) } else { 0 };
            ParseMessageError::new(at, MessageFault::Payload { kind, words: words(&error) })
        })
    }

    /// The complaint that there is no such type.
    pub(crate) fn unknown_type(&self) -> ParseMessageError {
        // The text has been read, so the key is there; with escapes it may be spelled otherwise.
        let at = self.text.find("\"type\"").unwrap_or(0);
        ParseMessageError::new(at, MessageFault::UnknownType(shortened(&self.kind)))
    }
}

/// Where a part of a text begins in it.
fn offset_within(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// The byte at which the JSON reader stopped; it counts lines and columns from 1.
fn place(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let line_start: usize = lines.map(str::len).sum();
    (line_start + error.column().saturating_sub(1)).min(text.len())
}

/// The complaint of the JSON reader without the place, which we say in bytes.
fn words(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    shortened(text.strip_suffix(&place).unwrap_or(&text))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_COMPLAINT_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Writes the enum of all messages of one direction from a list of their types.
///
/// Each message has data of a type of their own, so that reading one does not depend on the
/// order of `type` and `data` in the text.
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
            /// The types of all messages of this direction.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// The type of the message, as it is written.
            pub fn kind(&self) -> &'static str {
                match self {
                    $($name::$variant(_) => $kind,)*
                }
            }

            /// Reads a message, strictly: the whole text, no unknown fields, everything within
            /// its bounds.
            pub fn parse(text: impl AsRef<[u8]>) -> Result<$name, $crate::ParseMessageError> {
                let envelope = $crate::envelope::Envelope::open(text.as_ref(), $limit)?;
                match envelope.kind() {
                    $($kind => envelope.payload($kind).map($name::$variant),)*
                    _ => Err(envelope.unknown_type()),
                }
            }

            /// The message as JSON.
            pub fn to_json(&self) -> String {
                serde_json::to_string(self).expect("a message has only text keys")
            }
        }
    };
}

pub(crate) use messages;
