//! A single problem or remark found in a FEN.
//!
//! Codes are meant for programs and never change. Messages are meant for people; they live in the
//! message files, one per language, and may change.

use std::fmt;

use castellan_rules::{Bitboard, Color, Role, Square};

/// How serious a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The text cannot be understood, or no game leads to this position.
    Error,
    /// The position can be reached, but not with these clocks, or the game had already ended.
    Warning,
    /// Worth knowing, but not wrong.
    Note,
}

/// A value inserted into the message of a finding: `{0}`, `{1}` and so on in the message files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number. The message may choose its wording by it.
    Number(u64),
    /// A square.
    Square(Square),
    /// A set of squares, written with commas.
    Squares(Bitboard),
    /// A part of the FEN quoted as written, or moves in chess notation.
    Text(String),
    /// A side. The message may choose its wording by it.
    Color(Color),
    /// A piece and its square. The message may choose its wording by the role.
    Piece(Role, Square),
    /// Another finding, whose message gives the reason for this one.
    Reason(Box<Finding>),
}

/// Writes the value without words of any language; squares are separated by commas.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Square(square) | Value::Piece(_, square) => write!(f, "{square}"),
            Value::Squares(squares) => {
                let names: Vec<String> = squares.into_iter().map(|it| it.to_string()).collect();
                f.write_str(&names.join(","))
            }
            Value::Color(color) => f.write_str(color.fold("white", "black")),
            Value::Text(text) => f.write_str(text),
            Value::Reason(finding) => {
                f.write_str(finding.code.name())?;
                finding.values.iter().try_for_each(|value| write!(f, " {value}"))
            }
        }
    }
}

/// A single problem or remark found in a FEN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What was found.
    pub code: Code,
    /// The squares to highlight on the board.
    pub squares: Bitboard,
    /// The column of the text the finding is about, in characters, counted from 1. It is the
    /// start of the field if no single column is meant, and 0 until the doctor has filled it in.
    pub column: usize,
    /// The values to insert into the message, in order.
    pub values: Vec<Value>,
}

impl Finding {
    /// Creates a finding without values; the doctor fills in the column later.
    pub fn new(code: Code, squares: Bitboard) -> Finding {
        Finding { code, squares, column: 0, values: Vec::new() }
    }

    /// Returns the finding with one more value for its message.
    pub fn with_value(mut self, value: Value) -> Finding {
        self.values.push(value);
        self
    }

    /// Returns the severity of the finding's code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Replaces one square by another everywhere in the finding.
    pub(crate) fn rename(&mut self, from: Square, to: Square) {
        let renamed = |squares: &mut Bitboard| {
            if squares.contains(from) {
                *squares = squares.without(from).with(to);
            }
        };
        renamed(&mut self.squares);
        for value in &mut self.values {
            match value {
                Value::Squares(squares) => renamed(squares),
                Value::Square(square) | Value::Piece(_, square) if *square == from => *square = to,
                Value::Reason(finding) => finding.rename(from, to),
                _ => {}
            }
        }
    }
}

/// The six FEN fields that a finding can be about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Field {
    /// The piece placement.
    Placement,
    /// The side to move.
    Turn,
    /// The castling rights.
    Castling,
    /// The en passant square.
    EnPassant,
    /// The half-move clock: plies since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the current move.
    FullmoveNumber,
}

macro_rules! codes {
    ($($(#[$section:meta])* $variant:ident $name:literal $severity:ident $field:ident,)*) => {
        /// The kind of a finding. Each code has a stable name, a severity and the field it is
        /// about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code { $(#[doc = $name] $variant,)* }

        impl Code {
            /// All codes, in the order in which they are declared.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// Returns the name for programs, which never changes.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// Returns how serious the finding is.
            pub const fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// Returns the FEN field the finding is about.
            pub const fn field(self) -> Field {
                match self { $(Code::$variant => Field::$field,)* }
            }
        }
    };
}

codes! {
    // Problems of the text: `reading`.
    Empty "empty" Error Placement,
    TooLong "too-long" Error Placement,
    NotUtf8 "not-utf8" Error Placement,
    BadPiece "bad-piece" Error Placement,
    TwoDigits "two-digits" Error Placement,
    RankLength "rank-length" Error Placement,
    MissingRank "missing-rank" Error Placement,
    TooManyRanks "many-ranks" Error Placement,
    MissingField "missing-field" Error Placement,
    ExtraSpace "extra-space" Error Placement,
    BadTurn "bad-turn" Error Turn,
    BadCastling "bad-castling" Error Castling,
    RepeatedCastling "repeated-castling" Error Castling,
    CastlingDash "castling-dash" Error Castling,
    CastlingOrder "castling-order" Note Castling,
    BadEnPassant "bad-en-passant" Error EnPassant,
    BadHalfmoveClock "bad-halfmove-clock" Error HalfmoveClock,
    BadFullmoveNumber "bad-fullmove-number" Error FullmoveNumber,
    NumberTooLarge "number-too-large" Error HalfmoveClock,
    MoveNumberZero "move-number-zero" Error FullmoveNumber,
    TrailingText "trailing-text" Error FullmoveNumber,

    // Problems that counting and looking at the board reveal: `basics`.
    NoWhiteKing "no-white-king" Error Placement,
    NoBlackKing "no-black-king" Error Placement,
    TooManyWhiteKings "many-white-kings" Error Placement,
    TooManyBlackKings "many-black-kings" Error Placement,
    KingsAdjacent "kings-adjacent" Error Placement,
    TooManyWhitePieces "many-white-men" Error Placement,
    TooManyBlackPieces "many-black-men" Error Placement,
    TooManyWhitePawns "many-white-pawns" Error Placement,
    TooManyBlackPawns "many-black-pawns" Error Placement,
    TooManyWhitePromotions "many-white-promotions" Error Placement,
    TooManyBlackPromotions "many-black-promotions" Error Placement,
    PawnOnBackRank "pawn-on-back-rank" Error Placement,
    BothKingsInCheck "both-kings-in-check" Error Placement,
    OpponentInCheck "opponent-in-check" Error Turn,
    CastlingWithoutKing "castling-without-king" Error Castling,
    CastlingWithoutRook "castling-without-rook" Error Castling,
    CastlingKingElsewhere "castling-king-elsewhere" Error Castling,
    CastlingRookElsewhere "castling-rook-elsewhere" Error Castling,
    CastlingSameSide "castling-same-side" Error Castling,
    CastlingKingInCorner "castling-king-in-corner" Error Castling,
    CastlingDifferentFiles "castling-different-files" Error Castling,
    EnPassantRank "en-passant-rank" Error EnPassant,
    EnPassantWithoutPawn "en-passant-without-pawn" Error EnPassant,
    EnPassantBlocked "en-passant-blocked" Error EnPassant,
    EnPassantUseless "en-passant-useless" Note EnPassant,

    // Clocks that do not fit, and games that had already ended: `clocks`.
    ClockBeyondGame "clock-beyond-game" Warning HalfmoveClock,
    ClockAfterStep "clock-after-step" Warning HalfmoveClock,
    ClockNotZero "clock-not-zero" Warning HalfmoveClock,
    ClockZero "clock-zero" Warning HalfmoveClock,
    ClockNotWhole "clock-not-whole" Warning HalfmoveClock,
    ClockLeavesTooFew "clock-leaves-too-few" Warning HalfmoveClock,
    TooFewWhiteMoves "too-few-white-moves" Warning FullmoveNumber,
    TooFewBlackMoves "too-few-black-moves" Warning FullmoveNumber,
    NotSoEarly "not-so-early" Warning FullmoveNumber,
    SeventyFiveMoves "seventy-five-moves" Warning HalfmoveClock,
    FiftyMoves "fifty-moves" Note HalfmoveClock,
    AlreadyDead "already-dead" Warning HalfmoveClock,
    BlackAtMoveOne "black-at-move-one" Warning Turn,
    CastlingLostEarly "castling-lost-early" Warning Castling,

    // Problems with the last move: `retro`.
    TripleCheck "triple-check" Error Placement,
    ImpossibleCheck "impossible-check" Error Placement,
    ImpossibleDoubleCheck "impossible-double-check" Error Placement,
    NoLastMove "no-last-move" Error Placement,
    NoPastMoves "no-past-moves" Error Placement,
    ForcedPast "forced-past" Error Placement,
    EnPassantCheck "en-passant-check" Error EnPassant,

    // Where the pieces can have come from: `history`.
    PawnOrigin "pawn-origin" Error Placement,
    PawnWay "pawn-way" Error Placement,
    PawnCaptures "pawn-captures" Error Placement,
    PromotionCaptures "promotion-captures" Error Placement,
    NoVictim "no-victim" Error Placement,
    NoPromotion "no-promotion" Error Placement,
    NotFromHome "not-from-home" Error Placement,
    Unaccounted "unaccounted" Error Placement,
    Caged "caged" Error Placement,
    Barred "barred" Error Placement,
    Corridor "corridor" Error Placement,
    CastlingContradiction "castling-contradiction" Error Castling,
    Parity "parity" Error Turn,

    // Which captures and promotions fit together: `pawn_captures`.
    TooFewCaptures "too-few-captures" Error Placement,
    NoCaptureOrder "no-capture-order" Error Placement,
}

impl Code {
    /// Returns whether a position with this finding cannot be played: its text cannot be read,
    /// its pieces are not those of a game, or it claims a castling or en passant right that does
    /// not exist. Every other finding says at most that no game reaches the position; a game can
    /// still start there.
    pub const fn prevents_play(self) -> bool {
        match self {
            // No Chess960 start has its king in a corner or the castling pieces of the two sides
            // on different files, but the rules can castle from there.
            Code::CastlingOrder
            | Code::EnPassantUseless
            | Code::TooManyWhitePromotions
            | Code::TooManyBlackPromotions
            | Code::CastlingKingInCorner
            | Code::CastlingDifferentFiles => false,
            // The codes are declared module by module, and everything before the clocks prevents
            // play.
            _ => (self as usize) < (Code::ClockBeyondGame as usize),
        }
    }

    /// Returns the code for the given color out of a white and a black variant.
    pub(crate) fn of_color(color: Color, white: Code, black: Code) -> Code {
        color.fold(white, black)
    }
}
