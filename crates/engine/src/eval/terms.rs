//! What the evaluation looks at, as places in one list of weights.
//!
//! All weights stand in one list, so that the tuner can treat them alike: the evaluation is the
//! sum of how often a term occurs for White, less how often for Black, times its weight. The
//! danger of a king is the one exception: its terms are added up and then squared.

/// Sixty-four squares for each of six roles, as White sees them, material included.
pub(crate) const PIECE_SQUARE: usize = 0;
/// By how many squares a knight may go to.
pub(crate) const KNIGHT_MOBILITY: usize = PIECE_SQUARE + 6 * 64;
/// The same for bishops.
pub(crate) const BISHOP_MOBILITY: usize = KNIGHT_MOBILITY + 9;
/// The same for rooks.
pub(crate) const ROOK_MOBILITY: usize = BISHOP_MOBILITY + 14;
/// The same for queens.
pub(crate) const QUEEN_MOBILITY: usize = ROOK_MOBILITY + 15;
/// A pawn with another of its color in front of it.
pub(crate) const DOUBLED: usize = QUEEN_MOBILITY + 28;
/// A pawn without neighbors on the files beside it; then one that also stands on a file without
/// an enemy pawn.
pub(crate) const ISOLATED: usize = DOUBLED + 1;
/// A pawn that its neighbors have left behind; then one on a half-open file.
pub(crate) const BACKWARD: usize = ISOLATED + 2;
/// A pawn that another one protects, by rank.
pub(crate) const PROTECTED: usize = BACKWARD + 2;
/// A pawn beside another one, by rank.
pub(crate) const PHALANX: usize = PROTECTED + 8;
/// A passed pawn, by rank.
pub(crate) const PASSED: usize = PHALANX + 8;
/// A passed pawn with a piece in front of it, by rank.
pub(crate) const PASSED_BLOCKED: usize = PASSED + 8;
/// A passed pawn whose next square the enemy does not attack, by rank.
pub(crate) const PASSED_SAFE_STEP: usize = PASSED_BLOCKED + 8;
/// A passed pawn whose whole way the enemy does not attack, by rank.
pub(crate) const PASSED_SAFE_WAY: usize = PASSED_SAFE_STEP + 8;
/// A passed pawn's distance from its own king, by rank.
pub(crate) const PASSED_OWN_KING: usize = PASSED_SAFE_WAY + 8;
/// A passed pawn's distance from the enemy king, by rank.
pub(crate) const PASSED_ENEMY_KING: usize = PASSED_OWN_KING + 8;
/// A rook behind a passed pawn of its own.
pub(crate) const PASSED_ROOK_BEHIND: usize = PASSED_ENEMY_KING + 8;
/// A pawn that would be passed but for as many enemy pawns beside its way as friends can trade.
pub(crate) const CANDIDATE: usize = PASSED_ROOK_BEHIND + 1;
/// Two bishops.
pub(crate) const BISHOP_PAIR: usize = CANDIDATE + 8;
/// Own pawns on the color of a bishop's squares.
pub(crate) const BISHOP_PAWNS: usize = BISHOP_PAIR + 1;
/// A bishop that sees both central squares of a long diagonal.
pub(crate) const BISHOP_LONG_DIAGONAL: usize = BISHOP_PAWNS + 1;
/// A knight, then a bishop, that no pawn can drive away and one protects.
pub(crate) const OUTPOST: usize = BISHOP_LONG_DIAGONAL + 1;
/// A knight that can go to such a square.
pub(crate) const OUTPOST_REACHABLE: usize = OUTPOST + 2;
/// A minor piece behind a pawn of its own.
pub(crate) const MINOR_SHIELDED: usize = OUTPOST_REACHABLE + 1;
/// A rook on a file without own pawns; then without any.
pub(crate) const ROOK_FILE: usize = MINOR_SHIELDED + 1;
/// A rook on the seventh rank with the king or pawns there to attack.
pub(crate) const ROOK_SEVENTH: usize = ROOK_FILE + 2;
/// A rook with little to do beside a king that cannot castle.
pub(crate) const ROOK_TRAPPED: usize = ROOK_SEVENTH + 1;
/// A queen that a bishop or rook would attack but for one man between.
pub(crate) const QUEEN_XRAYED: usize = ROOK_TRAPPED + 1;
/// A pawn attacks a knight, bishop, rook or queen.
pub(crate) const PAWN_THREAT: usize = QUEEN_XRAYED + 1;
/// A minor piece attacks a pawn, knight, bishop, rook or queen that is weak or worth more.
pub(crate) const MINOR_THREAT: usize = PAWN_THREAT + 4;
/// A rook attacks a pawn, knight, bishop, rook or queen that is weak or worth more.
pub(crate) const ROOK_THREAT: usize = MINOR_THREAT + 5;
/// A queen attacks an unprotected piece.
pub(crate) const QUEEN_THREAT: usize = ROOK_THREAT + 5;
/// A king attacks a weak man.
pub(crate) const KING_THREAT: usize = QUEEN_THREAT + 1;
/// An attacked man that nobody protects.
pub(crate) const HANGING: usize = KING_THREAT + 1;
/// A pawn's safe step would attack a piece.
pub(crate) const PUSH_THREAT: usize = HANGING + 1;
/// Enemy squares that both sides attack.
pub(crate) const RESTRICTED: usize = PUSH_THREAT + 1;
/// Safe squares in the center behind one's own pawns.
pub(crate) const SPACE: usize = RESTRICTED + 1;
/// Own pawns near the king: four kinds of file, by rank of the nearest, none first.
pub(crate) const SHELTER: usize = SPACE + 1;
/// Enemy pawns near the king: free, then blocked by an own pawn, by rank of the nearest.
pub(crate) const STORM: usize = SHELTER + 4 * 8;
/// No pawn at all on the king's file.
pub(crate) const KING_OPEN_FILE: usize = STORM + 2 * 8;
/// No pawn at all on the king's wing.
pub(crate) const KING_PAWNLESS_WING: usize = KING_OPEN_FILE + 1;
/// A knight for each own pawn.
pub(crate) const KNIGHT_PER_PAWN: usize = KING_PAWNLESS_WING + 1;
/// A rook for each own pawn.
pub(crate) const ROOK_PER_PAWN: usize = KNIGHT_PER_PAWN + 1;
/// The turn.
pub(crate) const TEMPO: usize = ROOK_PER_PAWN + 1;
/// How many weights there are.
pub(crate) const COUNT: usize = TEMPO + 1;

/// Danger: a knight, bishop, rook or queen that attacks the king's neighborhood.
pub(crate) const ATTACKER: usize = 0;
/// Attacks on squares beside the king.
pub(crate) const RING_ATTACKS: usize = ATTACKER + 4;
/// Squares of the neighborhood that only king or queen protect.
pub(crate) const RING_WEAK: usize = RING_ATTACKS + 1;
/// Safe checks by knight, bishop, rook and queen.
pub(crate) const SAFE_CHECK: usize = RING_WEAK + 1;
/// Checks on protected squares.
pub(crate) const UNSAFE_CHECKS: usize = SAFE_CHECK + 4;
/// Men of ours that shield the king from a slider.
pub(crate) const BLOCKERS: usize = UNSAFE_CHECKS + 1;
/// Attacked squares of the king's wing.
pub(crate) const WING_ATTACKS: usize = BLOCKERS + 1;
/// Protected squares of the king's wing.
pub(crate) const WING_DEFENSE: usize = WING_ATTACKS + 1;
/// The enemy has no queen.
pub(crate) const NO_QUEEN: usize = WING_DEFENSE + 1;
/// A knight protects squares beside the king.
pub(crate) const KNIGHT_DEFENDER: usize = NO_QUEEN + 1;
/// Files of three at the king without own pawns in front of it.
pub(crate) const BARE_FILES: usize = KNIGHT_DEFENDER + 1;
/// Always there.
pub(crate) const BASE: usize = BARE_FILES + 1;
/// How many weights of danger there are.
pub(crate) const DANGER_COUNT: usize = BASE + 1;

/// Names and sizes of the groups of weights, in order, for the tuner's file.
#[cfg(feature = "tuning")]
pub(crate) const GROUPS: [(&str, usize, usize); 53] = [
    ("pawn on a square", PIECE_SQUARE, 64),
    ("knight on a square", PIECE_SQUARE + 64, 64),
    ("bishop on a square", PIECE_SQUARE + 128, 64),
    ("rook on a square", PIECE_SQUARE + 192, 64),
    ("queen on a square", PIECE_SQUARE + 256, 64),
    ("king on a square", PIECE_SQUARE + 320, 64),
    ("knight mobility", KNIGHT_MOBILITY, 9),
    ("bishop mobility", BISHOP_MOBILITY, 14),
    ("rook mobility", ROOK_MOBILITY, 15),
    ("queen mobility", QUEEN_MOBILITY, 28),
    ("doubled", DOUBLED, 1),
    ("isolated", ISOLATED, 2),
    ("backward", BACKWARD, 2),
    ("protected", PROTECTED, 8),
    ("phalanx", PHALANX, 8),
    ("passed", PASSED, 8),
    ("passed, blocked", PASSED_BLOCKED, 8),
    ("passed, safe step", PASSED_SAFE_STEP, 8),
    ("passed, safe way", PASSED_SAFE_WAY, 8),
    ("passed, own king", PASSED_OWN_KING, 8),
    ("passed, enemy king", PASSED_ENEMY_KING, 8),
    ("passed, rook behind", PASSED_ROOK_BEHIND, 1),
    ("candidate", CANDIDATE, 8),
    ("bishop pair", BISHOP_PAIR, 1),
    ("bishop, own pawns on its color", BISHOP_PAWNS, 1),
    ("bishop on a long diagonal", BISHOP_LONG_DIAGONAL, 1),
    ("outpost", OUTPOST, 2),
    ("outpost, reachable", OUTPOST_REACHABLE, 1),
    ("minor piece behind a pawn", MINOR_SHIELDED, 1),
    ("rook on a file", ROOK_FILE, 2),
    ("rook on the seventh", ROOK_SEVENTH, 1),
    ("rook, trapped", ROOK_TRAPPED, 1),
    ("queen behind one man", QUEEN_XRAYED, 1),
    ("threat by a pawn", PAWN_THREAT, 4),
    ("threat by a minor piece", MINOR_THREAT, 5),
    ("threat by a rook", ROOK_THREAT, 5),
    ("threat by a queen", QUEEN_THREAT, 1),
    ("threat by a king", KING_THREAT, 1),
    ("hanging", HANGING, 1),
    ("threat by a step", PUSH_THREAT, 1),
    ("restricted", RESTRICTED, 1),
    ("space", SPACE, 1),
    ("shelter, a and h", SHELTER, 8),
    ("shelter, b and g", SHELTER + 8, 8),
    ("shelter, c and f", SHELTER + 16, 8),
    ("shelter, d and e", SHELTER + 24, 8),
    ("storm", STORM, 8),
    ("storm, blocked", STORM + 8, 8),
    ("king on an open file", KING_OPEN_FILE, 1),
    ("king without pawns near", KING_PAWNLESS_WING, 1),
    ("knight per pawn", KNIGHT_PER_PAWN, 1),
    ("rook per pawn", ROOK_PER_PAWN, 1),
    ("tempo", TEMPO, 1),
];
