//! The terms of the evaluation, as indexes into one list of weights.
//!
//! All weights are in one list, so that the tuner can treat them alike. The evaluation is the sum
//! over all terms of the weight times the number of occurrences for White minus those for Black.
//! The only exception is king danger: its terms are added up and then squared.

/// A piece on a square, material included: 64 squares from White's point of view for each of six
/// roles.
pub(crate) const PIECE_SQUARE: usize = 0;
/// A knight, by mobility.
pub(crate) const KNIGHT_MOBILITY: usize = PIECE_SQUARE + 6 * 64;
/// A bishop, by mobility.
pub(crate) const BISHOP_MOBILITY: usize = KNIGHT_MOBILITY + 9;
/// A rook, by mobility.
pub(crate) const ROOK_MOBILITY: usize = BISHOP_MOBILITY + 14;
/// A queen, by mobility.
pub(crate) const QUEEN_MOBILITY: usize = ROOK_MOBILITY + 15;
/// A pawn with another pawn of its color in front of it.
pub(crate) const DOUBLED: usize = QUEEN_MOBILITY + 28;
/// A pawn without friendly pawns on the adjacent files; then the same on a file without enemy
/// pawns.
pub(crate) const ISOLATED: usize = DOUBLED + 1;
/// A backward pawn; then a backward pawn on a file without enemy pawns.
pub(crate) const BACKWARD: usize = ISOLATED + 2;
/// A pawn protected by another pawn, by rank.
pub(crate) const PROTECTED: usize = BACKWARD + 2;
/// A pawn side by side with another pawn, by rank.
pub(crate) const PHALANX: usize = PROTECTED + 8;
/// A passed pawn, by rank.
pub(crate) const PASSED: usize = PHALANX + 8;
/// A passed pawn with a piece directly in front of it, by rank.
pub(crate) const PASSED_BLOCKED: usize = PASSED + 8;
/// A passed pawn whose next square the enemy does not attack, by rank.
pub(crate) const PASSED_SAFE_STEP: usize = PASSED_BLOCKED + 8;
/// A passed pawn whose whole path the enemy neither attacks nor occupies, by rank.
pub(crate) const PASSED_SAFE_WAY: usize = PASSED_SAFE_STEP + 8;
/// The distance of a passed pawn's next square from its own king, by rank.
pub(crate) const PASSED_OWN_KING: usize = PASSED_SAFE_WAY + 8;
/// The distance of a passed pawn's next square from the enemy king, by rank.
pub(crate) const PASSED_ENEMY_KING: usize = PASSED_OWN_KING + 8;
/// A rook behind a passed pawn of its own color.
pub(crate) const PASSED_ROOK_BEHIND: usize = PASSED_ENEMY_KING + 8;
/// A pawn that could become passed because friendly pawns can trade off the enemy pawns guarding
/// its path, by rank.
pub(crate) const CANDIDATE: usize = PASSED_ROOK_BEHIND + 1;
/// Bishops on both square colors.
pub(crate) const BISHOP_PAIR: usize = CANDIDATE + 8;
/// A friendly pawn on a bishop's square color.
pub(crate) const BISHOP_PAWNS: usize = BISHOP_PAIR + 1;
/// A bishop that attacks both center squares of a long diagonal.
pub(crate) const BISHOP_LONG_DIAGONAL: usize = BISHOP_PAWNS + 1;
/// A knight, then a bishop, on a square that a friendly pawn protects and no enemy pawn can
/// attack.
pub(crate) const OUTPOST: usize = BISHOP_LONG_DIAGONAL + 1;
/// A knight that can move to such a square.
pub(crate) const OUTPOST_REACHABLE: usize = OUTPOST + 2;
/// A minor piece directly behind a pawn of either color.
pub(crate) const MINOR_SHIELDED: usize = OUTPOST_REACHABLE + 1;
/// A rook on a file without friendly pawns; then on a file without pawns.
pub(crate) const ROOK_FILE: usize = MINOR_SHIELDED + 1;
/// A rook on the seventh rank with the enemy king on the eighth rank or enemy pawns on the
/// seventh.
pub(crate) const ROOK_SEVENTH: usize = ROOK_FILE + 2;
/// A rook with low mobility that is shut in by its king, which cannot castle.
pub(crate) const ROOK_TRAPPED: usize = ROOK_SEVENTH + 1;
/// A queen that an enemy bishop or rook would attack if not for exactly one piece between them.
pub(crate) const QUEEN_XRAYED: usize = ROOK_TRAPPED + 1;
/// A pawn attacks a knight, bishop, rook or queen.
pub(crate) const PAWN_THREAT: usize = QUEEN_XRAYED + 1;
/// A minor piece attacks a weak pawn, or any knight, bishop, rook or queen.
pub(crate) const MINOR_THREAT: usize = PAWN_THREAT + 4;
/// A rook attacks a weak pawn, knight, bishop or rook, or any queen.
pub(crate) const ROOK_THREAT: usize = MINOR_THREAT + 5;
/// A queen attacks an undefended piece.
pub(crate) const QUEEN_THREAT: usize = ROOK_THREAT + 5;
/// A king attacks a weak piece.
pub(crate) const KING_THREAT: usize = QUEEN_THREAT + 1;
/// An attacked piece that is undefended.
pub(crate) const HANGING: usize = KING_THREAT + 1;
/// A piece that a safe pawn push would attack.
pub(crate) const PUSH_THREAT: usize = HANGING + 1;
/// A square that both sides attack and the enemy defends neither with a pawn nor twice.
pub(crate) const RESTRICTED: usize = PUSH_THREAT + 1;
/// Squares on files c to f and the second to fourth ranks that hold no friendly pawn and are safe
/// from enemy pawns. Unattacked ones behind friendly pawns count twice.
pub(crate) const SPACE: usize = RESTRICTED + 1;
/// Friendly pawns near the king: four kinds of file, by rank of the rearmost pawn, 0 for none.
pub(crate) const SHELTER: usize = SPACE + 1;
/// Enemy pawns near the king, unblocked, then blocked by a friendly pawn, by rank of the
/// rearmost.
pub(crate) const STORM: usize = SHELTER + 4 * 8;
/// No pawn of either color on the king's file.
pub(crate) const KING_OPEN_FILE: usize = STORM + 2 * 8;
/// No pawn of either color on the files around the king.
pub(crate) const KING_PAWNLESS_WING: usize = KING_OPEN_FILE + 1;
/// A knight, once for each friendly pawn.
pub(crate) const KNIGHT_PER_PAWN: usize = KING_PAWNLESS_WING + 1;
/// A rook, once for each friendly pawn.
pub(crate) const ROOK_PER_PAWN: usize = KNIGHT_PER_PAWN + 1;
/// The side to move.
pub(crate) const TEMPO: usize = ROOK_PER_PAWN + 1;
/// The number of weights.
pub(crate) const COUNT: usize = TEMPO + 1;

/// King danger: an enemy knight, bishop, rook or queen that attacks the king's ring.
pub(crate) const ATTACKER: usize = 0;
/// Enemy attacks on squares next to the king.
pub(crate) const RING_ATTACKS: usize = ATTACKER + 4;
/// Attacked squares of the king's ring that are defended at most once, and then only by the king
/// or the queen.
pub(crate) const RING_WEAK: usize = RING_ATTACKS + 1;
/// Safe checks by a knight, bishop, rook or queen, at most two each.
pub(crate) const SAFE_CHECK: usize = RING_WEAK + 1;
/// Squares of unsafe checks by kinds of pieces that have no safe check, queens apart.
pub(crate) const UNSAFE_CHECKS: usize = SAFE_CHECK + 4;
/// Pieces of either color that alone stand between the king and an enemy slider.
pub(crate) const BLOCKERS: usize = UNSAFE_CHECKS + 1;
/// Attacked squares of the files around the king, in its half; those attacked twice count twice.
pub(crate) const WING_ATTACKS: usize = BLOCKERS + 1;
/// Squares of the files around the king, in its half that its own side attacks.
pub(crate) const WING_DEFENSE: usize = WING_ATTACKS + 1;
/// The enemy has no queen.
pub(crate) const NO_QUEEN: usize = WING_DEFENSE + 1;
/// A knight defends squares next to the king.
pub(crate) const KNIGHT_DEFENDER: usize = NO_QUEEN + 1;
/// The number of the three files around the king without a friendly pawn in front of it.
pub(crate) const BARE_FILES: usize = KNIGHT_DEFENDER + 1;
/// A constant term.
pub(crate) const BASE: usize = BARE_FILES + 1;
/// The number of king danger weights.
pub(crate) const DANGER_COUNT: usize = BASE + 1;

/// The names and ranges of the groups of weights, in order, for the tuner's output.
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
    ("queen behind one piece", QUEEN_XRAYED, 1),
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
