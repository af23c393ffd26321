//! Why an engine cannot be used.

/// Why an engine cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineRefusal {
    /// A path from somewhere.
    #[error("the path has to be whole, from the root on")]
    NotAbsolute,
    /// Nothing there, or a folder.
    #[error("there is no such file")]
    NoFile,
    /// A file that the system does not run.
    #[error("the file is not a program")]
    NotExecutable,
    /// It runs, but is no UCI engine.
    #[error("it does not answer as a UCI engine: {0}")]
    NotUci(String),
    /// The list is full.
    #[error("there are {0} engines already; remove one first")]
    TooMany(usize),
    /// It is in the list.
    #[error("this engine is in the list already")]
    Known,
    /// It is not in the list.
    #[error("there is no such engine")]
    Unknown,
    /// The position to think about.
    #[error("this position cannot be thought about: {0}")]
    Position(String),
    /// The list could not be written.
    #[error("the list of engines could not be kept")]
    NotKept,
}

impl EngineRefusal {
    /// The code for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            EngineRefusal::NotAbsolute => "engine_not_absolute",
            EngineRefusal::NoFile => "engine_no_file",
            EngineRefusal::NotExecutable => "engine_not_executable",
            EngineRefusal::NotUci(_) => "engine_not_uci",
            EngineRefusal::TooMany(_) => "engine_too_many",
            EngineRefusal::Known => "engine_known",
            EngineRefusal::Unknown => "engine_unknown",
            EngineRefusal::Position(_) => "engine_position",
            EngineRefusal::NotKept => "engine_not_kept",
        }
    }
}
