//! One thing found in a FEN.
//!
//! Codes are for programs and stay the same; sentences are for people, stand in the message
//! files, one a language, and may change.

use std::fmt;

use castellan_rules::{Bitboard, Color, Role, Square};

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The text says nothing, or no game leads to this position.
    Error,
    /// The position can be reached, but not with these clocks, or the game was already over.
    Warning,
    /// Worth knowing, wrong it is not.
    Note,
}

/// What a sentence needs besides its code; `{0}`, `{1}` and so on in the message files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number; the message may choose words by it.
    Number(u64),
    /// A square.
    Square(Square),
    /// Squares, written with commas.
    Squares(Bitboard),
    /// A piece of the FEN as it stands there, or notation of moves.
    Text(String),
    /// A side; the message may choose words by it.
    Color(Color),
    /// A man on its square; the message may choose words by its role.
    Man(Role, Square),
    /// The sentence of another finding, the reason for this one.
    Reason(Box<Finding>),
}

/// The value without the words of any language, squares with commas between.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Square(square) | Value::Man(_, square) => write!(f, "{square}"),
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

/// One thing found in a FEN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which.
    pub code: Code,
    /// The squares it is about, to be marked on the board.
    pub squares: Bitboard,
    /// The column of the text it is about, from 1 and counted in characters; where the field
    /// begins if it is about no one column, 0 while it is not known yet.
    pub column: usize,
    /// What goes into the sentence.
    pub values: Vec<Value>,
}

impl Finding {
    /// A finding without values; its column is the doctor's to fill in.
    pub fn new(code: Code, squares: Bitboard) -> Finding {
        Finding { code, squares, column: 0, values: Vec::new() }
    }

    /// The same with one more value for the sentence.
    pub fn with(mut self, value: Value) -> Finding {
        self.values.push(value);
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Speaks of another square wherever it speaks of one.
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
                Value::Square(square) | Value::Man(_, square) if *square == from => *square = to,
                Value::Reason(finding) => finding.rename(from, to),
                _ => {}
            }
        }
    }
}

/// Which of the six fields a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Field {
    /// Where the pieces stand.
    Placement,
    /// Who moves.
    Turn,
    /// The castling rights.
    Castling,
    /// The square passed over.
    EnPassant,
    /// Plies since a capture or a pawn move.
    HalfmoveClock,
    /// The number of the move.
    FullmoveNumber,
}

macro_rules! codes {
    ($($(#[$section:meta])* $variant:ident $name:literal $severity:ident $field:ident,)*) => {
        /// What was found. Each has a name for programs, a severity and the field it is about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code { $(#[doc = $name] $variant,)* }

        impl Code {
            /// All of them.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The name that stays the same.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// How bad it is.
            pub const fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// The field it is about.
            pub const fn field(self) -> Field {
                match self { $(Code::$variant => Field::$field,)* }
            }
        }
    };
}

codes! {
    // The text itself: `reading`.
    Empty "empty" Error Placement,
    TooLong "too-long" Error Placement,
    NotUtf8 "not-utf8" Error Placement,
    BadPiece "bad-piece" Error Placement,
    TwoDigits "two-digits" Error Placement,
    RankLength "rank-length" Error Placement,
    MissingRank "missing-rank" Error Placement,
    ManyRanks "many-ranks" Error Placement,
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

    // Counting and looking: `basics`.
    NoWhiteKing "no-white-king" Error Placement,
    NoBlackKing "no-black-king" Error Placement,
    ManyWhiteKings "many-white-kings" Error Placement,
    ManyBlackKings "many-black-kings" Error Placement,
    KingsAdjacent "kings-adjacent" Error Placement,
    ManyWhiteMen "many-white-men" Error Placement,
    ManyBlackMen "many-black-men" Error Placement,
    ManyWhitePawns "many-white-pawns" Error Placement,
    ManyBlackPawns "many-black-pawns" Error Placement,
    ManyWhitePromotions "many-white-promotions" Error Placement,
    ManyBlackPromotions "many-black-promotions" Error Placement,
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

    // Clocks and games that were over: `clocks`.
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

    // The last move: `retro`.
    TripleCheck "triple-check" Error Placement,
    ImpossibleCheck "impossible-check" Error Placement,
    ImpossibleDoubleCheck "impossible-double-check" Error Placement,
    NoLastMove "no-last-move" Error Placement,
    NoPastMoves "no-past-moves" Error Placement,
    ForcedPast "forced-past" Error Placement,
    EnPassantCheck "en-passant-check" Error EnPassant,

    // What can have come from where: `history`.
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

    // Which captures and promotions fit together: `kernel`.
    TooFewCaptures "too-few-captures" Error Placement,
    NoCaptureOrder "no-capture-order" Error Placement,
}

impl Code {
    /// Whether no game can be played on from a position with this finding: its text cannot be read,
    /// its men are not those of a game, or it claims a right that is not there. Every other finding
    /// says at most that no game reaches the position, and a game can start there all the same.
    pub const fn prevents_play(self) -> bool {
        match self {
            // Chess960 has no start with castling from a corner or on different files, but the rules
            // could castle there.
            Code::CastlingOrder
            | Code::EnPassantUseless
            | Code::ManyWhitePromotions
            | Code::ManyBlackPromotions
            | Code::CastlingKingInCorner
            | Code::CastlingDifferentFiles => false,
            // The codes stand in the order of what they are about.
            _ => (self as usize) < (Code::ClockBeyondGame as usize),
        }
    }

    /// The one of two codes that speaks of a colour.
    pub(crate) fn of_color(color: Color, white: Code, black: Code) -> Code {
        color.fold(white, black)
    }
}
