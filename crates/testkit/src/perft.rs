//! Positions with the number of move sequences that start there.
//!
//! The files under `data/perft` contain one position per line, `FEN ;D1 n ;D2 n`, with the number
//! of sequences of each length; lines that begin with `#` describe the next position. Every count
//! was computed by two programs that share no code, except for the deepest of the classic ones,
//! which take the oracle too long: those were computed by one program and compared with published
//! numbers.

/// A family of test positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suite {
    /// Six well-known positions, each to more than a hundred million sequences.
    Classic,
    /// The 960 starting positions in the order of their numbers, to depth 4.
    Chess960,
    /// Pawns on the seventh rank: captures, pins, checks by the promoted piece.
    Promotion,
    /// En passant captures, including those that a pin or a check forbids or forces.
    EnPassant,
    /// Castling rights kept and lost, castling in all its Chess960 forms.
    Castling,
    /// Double checks, discovered checks, pins and cross-pins.
    Checks,
}

impl Suite {
    /// All suites.
    pub const ALL: [Suite; 6] = [
        Suite::Classic,
        Suite::Chess960,
        Suite::Promotion,
        Suite::EnPassant,
        Suite::Castling,
        Suite::Checks,
    ];

    /// Returns the name of the file, without its extension.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Suite::Classic => "classic",
            Suite::Chess960 => "chess960",
            Suite::Promotion => "promotion",
            Suite::EnPassant => "en_passant",
            Suite::Castling => "castling",
            Suite::Checks => "checks",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Suite::Classic => include_str!("../data/perft/classic.txt"),
            Suite::Chess960 => include_str!("../data/perft/chess960.txt"),
            Suite::Promotion => include_str!("../data/perft/promotion.txt"),
            Suite::EnPassant => include_str!("../data/perft/en_passant.txt"),
            Suite::Castling => include_str!("../data/perft/castling.txt"),
            Suite::Checks => include_str!("../data/perft/checks.txt"),
        }
    }
}

/// A position and its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position, as X-FEN.
    pub fen: &'static str,
    /// Depth and number of move sequences, the shallowest first.
    pub counts: Vec<(u32, u64)>,
}

impl Case {
    /// Returns the deepest count that does not exceed a number of nodes.
    #[must_use]
    pub fn deepest_within(&self, node_limit: u64) -> Option<(u32, u64)> {
        self.counts.iter().copied().take_while(|(_, nodes)| *nodes <= node_limit).last()
    }
}

/// Returns the positions of a suite, in the order of its file.
pub fn suite(suite: Suite) -> impl Iterator<Item = Case> {
    let lines = suite.text().lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse_case(line).expect("the files are built in, and a test reads them all"))
}

fn parse_case(line: &'static str) -> Option<Case> {
    let mut parts = line.split(" ;");
    let fen = parts.next()?;
    let counts: Option<Vec<(u32, u64)>> = parts.map(parse_count).collect();
    Some(Case { fen, counts: counts? })
}

fn parse_count(part: &str) -> Option<(u32, u64)> {
    let (depth, nodes) = part.strip_prefix('D')?.split_once(' ')?;
    Some((depth.parse().ok()?, nodes.parse().ok()?))
}
