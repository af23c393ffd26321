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
    /// A number. The wording of the message may depend on it.
    Number(u64),
    /// A square.
    Square(Square),
    /// A set of squares, written with commas.
    Squares(Bitboard),
    /// A part of the FEN quoted as written, or moves in chess notation.
    Text(String),
    /// A side. The wording of the message may depend on it.
    Color(Color),
    /// A piece and its square. The wording of the message may depend on the role.
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
    /// The kind of problem or remark.
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

/// The parts of the examination that produce findings, in the order in which they run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Reading the text: `reading`.
    Text,
    /// Simple checks of the setup: `basics`.
    Board,
    /// Clocks that do not fit, and games that had already ended: `clocks`.
    Clocks,
    /// The last moves: `retro`.
    LastMoves,
    /// Where the pieces can have come from: `history`.
    Origins,
    /// Which captures and promotions fit together: `pawn_captures`.
    Captures,
}

macro_rules! codes {
    ($($stage:ident {
        $($variant:ident $name:literal $severity:ident $field:ident $play:ident,)*
    })*) => {
        /// The kind of a finding. Each code has a stable name, a severity and the field it is
        /// about.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $($(#[doc = $name] $variant,)*)* }

        impl Code {
            /// All codes, in the order in which they are declared.
            pub const ALL: &[Code] = &[$($(Code::$variant,)*)*];

            /// Returns the name for programs, which never changes.
            pub const fn name(self) -> &'static str {
                match self { $($(Code::$variant => $name,)*)* }
            }

            /// Returns how serious the finding is.
            pub const fn severity(self) -> Severity {
                match self { $($(Code::$variant => Severity::$severity,)*)* }
            }

            /// Returns the FEN field the finding is about.
            pub const fn field(self) -> Field {
                match self { $($(Code::$variant => Field::$field,)*)* }
            }

            /// Returns the part of the examination that produces the finding.
            pub const fn stage(self) -> Stage {
                match self { $($(Code::$variant => Stage::$stage,)*)* }
            }

            /// Returns whether a position with this finding cannot be played: its text cannot be
            /// read, its pieces are not those of a game, or it claims a castling or en passant
            /// right that does not exist. Every other finding says at most that no game reaches
            /// the position; a game can still start there.
            pub const fn prevents_play(self) -> bool {
                match self { $($(Code::$variant => prevents_play!($play),)*)* }
            }
        }
    };
}

/// Translates the last column of the table below.
macro_rules! prevents_play {
    (unplayable) => {
        true
    };
    (playable) => {
        false
    };
}

codes! {
    Text {
        Empty "empty" Error Placement unplayable,
        TooLong "too-long" Error Placement unplayable,
        NotUtf8 "not-utf8" Error Placement unplayable,
        BadPiece "bad-piece" Error Placement unplayable,
        TwoDigits "two-digits" Error Placement unplayable,
        RankLength "rank-length" Error Placement unplayable,
        MissingRank "missing-rank" Error Placement unplayable,
        TooManyRanks "many-ranks" Error Placement unplayable,
        MissingField "missing-field" Error Placement unplayable,
        ExtraSpace "extra-space" Error Placement unplayable,
        BadTurn "bad-turn" Error Turn unplayable,
        BadCastling "bad-castling" Error Castling unplayable,
        RepeatedCastling "repeated-castling" Error Castling unplayable,
        CastlingDash "castling-dash" Error Castling unplayable,
        CastlingOrder "castling-order" Note Castling playable,
        BadEnPassant "bad-en-passant" Error EnPassant unplayable,
        BadHalfmoveClock "bad-halfmove-clock" Error HalfmoveClock unplayable,
        BadFullmoveNumber "bad-fullmove-number" Error FullmoveNumber unplayable,
        NumberTooLarge "number-too-large" Error HalfmoveClock unplayable,
        MoveNumberZero "move-number-zero" Error FullmoveNumber unplayable,
        TrailingText "trailing-text" Error FullmoveNumber unplayable,
    }
    Board {
        NoWhiteKing "no-white-king" Error Placement unplayable,
        NoBlackKing "no-black-king" Error Placement unplayable,
        TooManyWhiteKings "many-white-kings" Error Placement unplayable,
        TooManyBlackKings "many-black-kings" Error Placement unplayable,
        KingsAdjacent "kings-adjacent" Error Placement unplayable,
        TooManyWhitePieces "many-white-men" Error Placement unplayable,
        TooManyBlackPieces "many-black-men" Error Placement unplayable,
        TooManyWhitePawns "many-white-pawns" Error Placement unplayable,
        TooManyBlackPawns "many-black-pawns" Error Placement unplayable,
        TooManyWhitePromotions "many-white-promotions" Error Placement playable,
        TooManyBlackPromotions "many-black-promotions" Error Placement playable,
        PawnOnBackRank "pawn-on-back-rank" Error Placement unplayable,
        BothKingsInCheck "both-kings-in-check" Error Placement unplayable,
        OpponentInCheck "opponent-in-check" Error Turn unplayable,
        CastlingWithoutKing "castling-without-king" Error Castling unplayable,
        CastlingWithoutRook "castling-without-rook" Error Castling unplayable,
        CastlingKingElsewhere "castling-king-elsewhere" Error Castling unplayable,
        CastlingRookElsewhere "castling-rook-elsewhere" Error Castling unplayable,
        CastlingSameSide "castling-same-side" Error Castling unplayable,
        // No Chess960 start has its king in a corner or the castling pieces of the two sides on
        // different files, but the rules can castle from there.
        CastlingKingInCorner "castling-king-in-corner" Error Castling playable,
        CastlingDifferentFiles "castling-different-files" Error Castling playable,
        EnPassantRank "en-passant-rank" Error EnPassant unplayable,
        EnPassantWithoutPawn "en-passant-without-pawn" Error EnPassant unplayable,
        EnPassantBlocked "en-passant-blocked" Error EnPassant unplayable,
        EnPassantUseless "en-passant-useless" Note EnPassant playable,
    }
    Clocks {
        ClockBeyondGame "clock-beyond-game" Warning HalfmoveClock playable,
        ClockAfterStep "clock-after-step" Warning HalfmoveClock playable,
        ClockNotZero "clock-not-zero" Warning HalfmoveClock playable,
        ClockZero "clock-zero" Warning HalfmoveClock playable,
        ClockNotWhole "clock-not-whole" Warning HalfmoveClock playable,
        ClockLeavesTooFew "clock-leaves-too-few" Warning HalfmoveClock playable,
        TooFewWhiteMoves "too-few-white-moves" Warning FullmoveNumber playable,
        TooFewBlackMoves "too-few-black-moves" Warning FullmoveNumber playable,
        NotSoEarly "not-so-early" Warning FullmoveNumber playable,
        SeventyFiveMoves "seventy-five-moves" Warning HalfmoveClock playable,
        FiftyMoves "fifty-moves" Note HalfmoveClock playable,
        AlreadyDead "already-dead" Warning HalfmoveClock playable,
        BlackAtMoveOne "black-at-move-one" Warning Turn playable,
        CastlingLostEarly "castling-lost-early" Warning Castling playable,
    }
    LastMoves {
        TripleCheck "triple-check" Error Placement playable,
        ImpossibleCheck "impossible-check" Error Placement playable,
        ImpossibleDoubleCheck "impossible-double-check" Error Placement playable,
        NoLastMove "no-last-move" Error Placement playable,
        NoPastMoves "no-past-moves" Error Placement playable,
        ForcedPast "forced-past" Error Placement playable,
        EnPassantCheck "en-passant-check" Error EnPassant playable,
    }
    Origins {
        PawnOrigin "pawn-origin" Error Placement playable,
        PawnWay "pawn-way" Error Placement playable,
        PawnCaptures "pawn-captures" Error Placement playable,
        PromotionCaptures "promotion-captures" Error Placement playable,
        NoVictim "no-victim" Error Placement playable,
        NoPromotion "no-promotion" Error Placement playable,
        NotFromHome "not-from-home" Error Placement playable,
        Unaccounted "unaccounted" Error Placement playable,
        Caged "caged" Error Placement playable,
        Barred "barred" Error Placement playable,
        Corridor "corridor" Error Placement playable,
        CastlingContradiction "castling-contradiction" Error Castling playable,
        Parity "parity" Error Turn playable,
    }
    Captures {
        TooFewCaptures "too-few-captures" Error Placement playable,
        NoCaptureOrder "no-capture-order" Error Placement playable,
    }
}
