//! Errors about external engines.

use castellan_protocol::ServerCode;

/// Why an external engine cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The path is not absolute.
    #[error("the path must be absolute")]
    NotAbsolute,
    /// The path does not exist or is a folder.
    #[error("this file does not exist")]
    NoFile,
    /// The file is not executable.
    #[error("the file is not executable")]
    NotExecutable,
    /// The arguments are too long or a quotation mark is not closed.
    #[error("the arguments are not a command line: {0}")]
    BadArguments(String),
    /// The program runs, but is not a UCI engine.
    #[error("the program is not a UCI engine: {0}")]
    NotUci(String),
    /// The list is full.
    #[error("the list can have at most {0} engines; remove one first")]
    TooMany(usize),
    /// The engine is already in the list.
    #[error("this engine is already in the list")]
    Known,
    /// The engine is not in the list.
    #[error("this engine is not in the list")]
    Unknown,
    /// The position to search is not valid.
    #[error("invalid position: {0}")]
    Position(String),
    /// The list could not be saved.
    #[error("the list of engines could not be saved")]
    NotSaved,
}

impl EngineError {
    /// Returns the code for programs.
    pub(crate) fn code(&self) -> ServerCode {
        match self {
            EngineError::NotAbsolute => ServerCode::EngineNotAbsolute,
            EngineError::NoFile => ServerCode::EngineNoFile,
            EngineError::NotExecutable => ServerCode::EngineNotExecutable,
            EngineError::BadArguments(_) => ServerCode::EngineBadArguments,
            EngineError::NotUci(_) => ServerCode::EngineNotUci,
            EngineError::TooMany(_) => ServerCode::EngineTooMany,
            EngineError::Known => ServerCode::EngineKnown,
            EngineError::Unknown => ServerCode::EngineUnknown,
            EngineError::Position(_) => ServerCode::EnginePosition,
            EngineError::NotSaved => ServerCode::EngineNotKept,
        }
    }
}
