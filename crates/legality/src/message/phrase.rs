//! What a report says besides its findings.

macro_rules! phrases {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal,)*) => {
        /// A piece of a report. The values it takes are named in its description.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Phrase { $($(#[doc = $doc])+ $variant,)* }

        impl Phrase {
            /// All of them.
            pub const ALL: &[Phrase] = &[$(Phrase::$variant,)*];

            /// Its name in the message files.
            pub const fn name(self) -> &'static str {
                match self { $(Phrase::$variant => $name,)* }
            }
        }
    };
}

phrases! {
    /// White, as a heading or in a list.
    White "white",
    /// Black, as a heading or in a list.
    Black "black",
    /// Stands before the last square of a list.
    And "and",
    /// Stands before the last square of a list of which one is meant.
    Or "or",

    /// Names the line that says who moves.
    TurnLabel "turn-label",
    /// Who moves: the color.
    Turn "turn",
    /// Who moves, in check: the color and the checkers' squares.
    TurnCheck "turn-check",
    /// Who would move but is checkmated: the color.
    TurnCheckmate "turn-checkmate",
    /// Who would move but is stalemated: the color.
    TurnStalemate "turn-stalemate",

    /// Names the line about castling.
    CastlingLabel "castling-label",
    /// Neither side can castle any more.
    CastlingNone "castling-none",
    /// What one side can do: the color and a list.
    Side "side",
    /// Kingside castling is left.
    CastlingKingside "castling-kingside",
    /// Queenside castling is left.
    CastlingQueenside "castling-queenside",
    /// Castling is left in Chess960: the rook's square.
    CastlingRook "castling-rook",
    /// Letters of the field that cannot be right.
    CastlingWrong "castling-wrong",

    /// Names the line about en passant.
    EnPassantLabel "en-passant-label",
    /// No pawn has just made a double step.
    EnPassantNone "en-passant-none",
    /// A square, in a setup nobody can play from: the square.
    EnPassantSquare "en-passant-square",
    /// A pawn can capture there: the square.
    EnPassantLegal "en-passant-legal",
    /// No pawn can capture there: the square.
    EnPassantIdle "en-passant-idle",

    /// Names the line about the clocks.
    ClocksLabel "clocks-label",
    /// The FEN has four fields.
    ClocksNone "clocks-none",
    /// The half-move clock and the move number.
    Clocks "clocks",

    /// Names the line about the legal moves.
    MovesLabel "moves-label",
    /// How many legal moves there are.
    Moves "moves",

    /// Names the line with the verdict.
    VerdictLabel "verdict-label",
    /// The text is no FEN.
    VerdictMalformed "verdict-malformed",
    /// Why malformed.
    MalformedReason "verdict-malformed-reason",
    /// No game leads there.
    VerdictIllegal "verdict-illegal",
    /// Why illegal.
    IllegalReason "verdict-illegal-reason",
    /// A game leads there.
    VerdictLegal "verdict-legal",
    /// Why legal: the number of moves of the game that was found.
    LegalReason "verdict-legal-reason",
    /// Why the start position is legal.
    StartReason "verdict-start-reason",
    /// Nobody knows.
    VerdictUnknown "verdict-unknown",
    /// Why unknown: how many positions were looked at.
    UnknownReason "verdict-unknown-reason",
    /// Why unknown when nobody has searched.
    UnsearchedReason "verdict-unsearched-reason",

    /// A finding that makes the FEN wrong.
    Error "severity-error",
    /// A finding that makes it doubtful.
    Warning "severity-warning",
    /// A finding that is good to know.
    Note "severity-note",
    /// Heads the findings.
    FindingsHeading "findings-heading",
    /// There are no findings.
    NothingFound "nothing-found",
    /// Where in the text: the column.
    Column "column",

    /// Heads the repairs.
    RepairsHeading "repairs-heading",
    /// This repair mends all.
    RepairAll "repair-all",
    /// This repair mends some: how many, and a list of their numbers.
    RepairSome "repair-some",

    /// Heads a game that leads to the position.
    GameHeading "game-heading",
    /// The search goes on: the seconds so far.
    Searching "searching",
    /// Says at the keyboard how FENs are given.
    AskForFens "ask-for-fens",
    /// Asks for a FEN at the keyboard.
    FenPrompt "fen-prompt",

    /// Names a picture of the board: who moves.
    PictureTitle "picture-title",
    /// Describes it: the kings in check.
    PictureChecked "picture-checked",
    /// Describes it: the squares with something wrong.
    PictureWrong "picture-wrong",
    /// There is no board to be drawn.
    NoPicture "no-picture",
}
