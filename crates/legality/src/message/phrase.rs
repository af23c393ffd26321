//! The phrases of a report other than its findings.

macro_rules! phrases {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal,)*) => {
        /// A phrase of a report. Its documentation names the values it takes.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Phrase { $($(#[doc = $doc])+ $variant,)* }

        impl Phrase {
            /// All phrases.
            pub const ALL: &[Phrase] = &[$(Phrase::$variant,)*];

            /// Returns the phrase's name in the message files.
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
    /// The word before the last square of a list.
    And "and",
    /// The word before the last square of a list of alternatives.
    Or "or",

    /// The label of the line about the side to move.
    TurnLabel "turn-label",
    /// The side to move. Value: the color.
    Turn "turn",
    /// The side to move is in check. Values: the color and the squares of the checking pieces.
    TurnCheck "turn-check",
    /// The side to move is checkmated. Value: the color.
    TurnCheckmate "turn-checkmate",
    /// The side to move is stalemated. Value: the color.
    TurnStalemate "turn-stalemate",

    /// The label of the line about castling.
    CastlingLabel "castling-label",
    /// Neither side can castle any more.
    CastlingNone "castling-none",
    /// A list about one side, such as its castling options. Values: the color and the list.
    Side "side",
    /// Kingside castling is still possible.
    CastlingKingside "castling-kingside",
    /// Queenside castling is still possible.
    CastlingQueenside "castling-queenside",
    /// Castling with a rook is still possible in Chess960. Value: the square of the rook.
    CastlingRook "castling-rook",
    /// Some castling letters cannot be right. Value: the letters.
    CastlingWrong "castling-wrong",

    /// The label of the line about en passant.
    EnPassantLabel "en-passant-label",
    /// No pawn has just made a double step.
    EnPassantNone "en-passant-none",
    /// The en passant square of a setup that cannot be played. Value: the square.
    EnPassantSquare "en-passant-square",
    /// A pawn can capture on the en passant square. Value: the square.
    EnPassantLegal "en-passant-legal",
    /// No pawn can capture on the en passant square. Value: the square.
    EnPassantIdle "en-passant-idle",

    /// The label of the line about the clocks.
    ClocksLabel "clocks-label",
    /// The FEN has only four fields, without clocks.
    ClocksNone "clocks-none",
    /// The clocks. Values: the half-move clock and the move number.
    Clocks "clocks",

    /// The label of the line about legal moves.
    MovesLabel "moves-label",
    /// The number of legal moves. Value: the number.
    Moves "moves",

    /// The label of the line with the verdict.
    VerdictLabel "verdict-label",
    /// The verdict that the text is not a FEN.
    VerdictMalformed "verdict-malformed",
    /// Why the text is malformed.
    MalformedReason "verdict-malformed-reason",
    /// The verdict that no game leads to the position.
    VerdictIllegal "verdict-illegal",
    /// Why the position is illegal.
    IllegalReason "verdict-illegal-reason",
    /// The verdict that a game leads to the position.
    VerdictLegal "verdict-legal",
    /// Why the position is legal. Value: the number of moves of the game that was found.
    LegalReason "verdict-legal-reason",
    /// Why the start position is legal.
    StartReason "verdict-start-reason",
    /// The verdict that neither an argument nor a game was found.
    VerdictUnknown "verdict-unknown",
    /// Why the verdict is unknown. Value: how many positions were examined.
    UnknownReason "verdict-unknown-reason",
    /// Why the verdict is unknown when no search was run.
    UnsearchedReason "verdict-unsearched-reason",

    /// The severity of a finding that makes the FEN wrong.
    Error "severity-error",
    /// The severity of a finding that makes the FEN doubtful.
    Warning "severity-warning",
    /// The severity of a finding that is only worth knowing.
    Note "severity-note",
    /// The heading above the findings.
    FindingsHeading "findings-heading",
    /// There are no findings.
    NothingFound "nothing-found",
    /// Where a finding is in the text. Value: the column.
    Column "column",

    /// The heading above the repairs.
    RepairsHeading "repairs-heading",
    /// The repair fixes everything.
    RepairAll "repair-all",
    /// The repair fixes some findings. Values: how many, and a list of their numbers.
    RepairSome "repair-some",

    /// The heading above a game that leads to the position.
    GameHeading "game-heading",
    /// The search is still running. Value: the seconds so far.
    Searching "searching",
    /// The instructions for entering FENs at the keyboard.
    AskForFens "ask-for-fens",
    /// The prompt for a FEN at the keyboard.
    FenPrompt "fen-prompt",

    /// The title of a picture of the board. Value: the color of the side to move.
    PictureTitle "picture-title",
    /// The kings in check, in the description of a picture. Value: their squares.
    PictureChecked "picture-checked",
    /// The squares with something wrong, in the description of a picture. Value: the squares.
    PictureWrong "picture-wrong",
    /// There is no board to draw.
    NoPicture "no-picture",
}
