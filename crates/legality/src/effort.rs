//! How much work an examination may take.

/// How much work the doctor may spend on one FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Effort {
    /// A few microseconds: for a board editor that asks after every click.
    Quick,
    /// At most a tenth of a second.
    #[default]
    Normal,
    /// As long as the caller allows.
    Deep,
}
