//! Checks whether the clocks fit the position, and whether the game had already ended.
//!
//! All checks are about games from a start position: the move number says how many plies each side
//! has played, and the half-move clock says how many of the last plies were neither captures nor
//! pawn moves. No finding here is an error, because the board may be sound; and none claims to know
//! which clocks the game really had. Checks that assume the standard start position are skipped if
//! the case has a different start position.

mod plies;
#[cfg(test)]
mod tests;

#[cfg(test)]
use plies::lower_bound_plies;

use castellan_rules::{Bitboard, Clocks, Color, Position, Rank, Role};

use plies::QuickBounds;

use crate::{Case, Code, Field, Finding, Severity, Value, retro};

/// FIDE 9.6.2: the game is drawn when 75 moves by each side have been played.
const SEVENTY_FIVE_MOVES: u16 = 150;

/// FIDE 9.3: the draw can be claimed when 50 moves by each side have been played.
const FIFTY_MOVES: u16 = 100;

/// Adds everything that does not fit between a case and its clocks. If earlier findings say that
/// the castling rights are wrong, so that the case lacks them, no check draws conclusions from
/// them.
pub(crate) fn examine(case: &Case, clocks: Clocks, findings: &mut Vec<Finding>) {
    let played = Played::of(case, clocks);
    let clock = clocks.halfmove_clock;
    check_clock(case, clock, &played, findings);
    check_ends(case, clock, findings);
    // Late in a game no board can require more moves than were played.
    if played.by(Color::Black) >= plies::MAX_LOWER_BOUND + u32::from(clock) {
        return;
    }
    let bounds = Color::ALL.map(|color| QuickBounds::of(case, color));
    if u64::from(clock) <= played.all() {
        check_plies_before_clock(case, clock, &played, &bounds, findings);
    }
    let is_early = |color: Color| !bounds[color.index()].is_enough(case, color, played.by(color));
    if Color::ALL.into_iter().any(is_early) {
        check_number(case, &played, findings);
    }
}

/// How many plies each side has played.
struct Played {
    by_color: [u32; 2],
}

impl Played {
    fn of(case: &Case, clocks: Clocks) -> Played {
        // A move number of 0 is an error of the text; it can only have meant 1.
        let moves = clocks.fullmove_number.max(1) - 1;
        let extra = u32::from(case.setup.turn == Color::Black);
        Played { by_color: [moves.saturating_add(extra), moves] }
    }

    fn by(&self, color: Color) -> u32 {
        self.by_color[color.index()]
    }

    fn all(&self) -> u64 {
        self.by_color.into_iter().map(u64::from).sum()
    }
}

/// Checks what the half-move clock says about the last moves.
fn check_clock(case: &Case, clock: u16, played: &Played, findings: &mut Vec<Finding>) {
    let number =
        |code, value: u64| Finding::new(code, Bitboard::EMPTY).with_value(Value::Number(value));
    if u64::from(clock) > played.all() {
        let finding = number(Code::ClockBeyondGame, clock.into());
        findings.push(finding.with_value(Value::Number(played.all())));
    }
    if counts_every_ply(case) && u64::from(clock) != played.all() {
        // A clock that is too large has been reported already, and in a start position with Black
        // to move the turn is wrong rather than the clock.
        let is_turn_wrong = is_untouched(case) && played.all() % 2 == 1;
        if u64::from(clock) < played.all() && !is_turn_wrong && !has_placement_error(findings) {
            let finding = number(Code::ClockNotWhole, played.all());
            findings.push(finding.with_value(Value::Number(clock.into())));
        }
        return;
    }
    if let Some(passed) = case.setup.en_passant {
        if clock > 0 {
            let finding = Finding::new(Code::ClockAfterStep, passed.into());
            let finding = finding.with_value(Value::Square(passed));
            findings.push(finding.with_value(Value::Number(clock.into())));
        }
    } else if clock > 0 {
        if !retro::can_be_quiet(case) && retro::can_be_zeroing(case) {
            findings.push(not_zero(case, clock));
        }
    } else if played.all() > 0 && !retro::can_be_zeroing(case) && retro::can_be_quiet(case) {
        // If no last move is possible at all, the clock is not the problem.
        let mover = case.last_mover();
        let is_plain = case.missing(!mover) == 0 && are_pawns_home(case, mover);
        let finding = Finding::new(Code::ClockZero, Bitboard::EMPTY);
        findings.push(
            finding.with_value(Value::Color(mover)).with_value(Value::Number(is_plain.into())),
        );
    }
}

/// Creates the finding that the last move was a capture or a pawn move although the clock is not
/// zero.
fn not_zero(case: &Case, clock: u16) -> Finding {
    let (mover, pieces) = (case.last_mover(), &case.setup.pieces);
    let king = case.piece(case.setup.turn, Role::King).first();
    let checkers =
        king.map_or(Bitboard::EMPTY, |king| pieces.attackers(mover, king, pieces.occupied()));
    Finding::new(Code::ClockNotZero, checkers)
        .with_value(Value::Number(clock.into()))
        .with_value(Value::Color(mover))
        .with_value(Value::Squares(checkers))
}

/// Returns whether nothing was ever captured and no pawn ever moved, so that the clock was never
/// reset.
fn counts_every_ply(case: &Case) -> bool {
    Color::ALL.into_iter().all(|color| case.missing(color) == 0 && are_pawns_home(case, color))
}

/// Returns whether the pieces themselves are impossible, so that their history says nothing.
fn has_placement_error(findings: &[Finding]) -> bool {
    let is_about_placement = |finding: &Finding| finding.code.field() == Field::Placement;
    findings.iter().any(|it| it.severity() == Severity::Error && is_about_placement(it))
}

/// Returns whether all eight pawns of a side stand on their starting squares.
fn are_pawns_home(case: &Case, color: Color) -> bool {
    case.piece(color, Role::Pawn) == Bitboard::rank(Rank::Second.relative_to(color))
}

/// Checks that enough plies precede those counted by the clock for the captures and pawn moves
/// that the board shows.
fn check_plies_before_clock(
    case: &Case,
    clock: u16,
    played: &Played,
    bounds: &[QuickBounds; 2],
    findings: &mut Vec<Finding>,
) {
    for color in Color::ALL {
        let extra = u32::from(color == case.last_mover() && clock % 2 == 1);
        let before = played.by(color).saturating_sub(u32::from(clock) / 2 + extra);
        let needed = bounds[color.index()].zeroing;
        // If even all plies together are too few, `check_number` reports that instead.
        if before < needed && needed <= played.by(color) {
            let values = [clock.into(), before, needed].map(|value| Value::Number(value.into()));
            let finding = Finding::new(Code::ClockLeavesTooFew, Bitboard::EMPTY);
            let finding = finding.with_value(Value::Color(color));
            findings.push(values.into_iter().fold(finding, Finding::with_value));
        }
    }
}

/// Checks whether the game ended before this position, or could have been claimed as drawn.
fn check_ends(case: &Case, clock: u16, findings: &mut Vec<Finding>) {
    if clock >= FIFTY_MOVES {
        let is_over = clock > SEVENTY_FIVE_MOVES;
        let code = if is_over { Code::SeventyFiveMoves } else { Code::FiftyMoves };
        let finding = Finding::new(code, Bitboard::EMPTY);
        findings.push(finding.with_value(Value::Number(clock.into())));
    }
    // FIDE 5.2.2. The last move was not a capture, so the material was already insufficient
    // before it.
    if clock > 0 && case.is_dead() {
        findings.push(Finding::new(Code::AlreadyDead, case.setup.pieces.occupied()));
    }
}

/// Checks that there were enough moves to reach the position and, in very short games, that one
/// of them leads exactly here.
fn check_number(case: &Case, played: &Played, findings: &mut Vec<Finding>) {
    if played.all() == 1 && is_untouched(case) {
        findings.push(Finding::new(Code::BlackAtMoveOne, Bitboard::EMPTY));
        return;
    }
    let is_wrong_right = |finding: &Finding| {
        finding.code.field() == Field::Castling && finding.severity() == Severity::Error
    };
    let are_rights_known = !findings.iter().any(is_wrong_right);
    let before = findings.len();
    for color in Color::ALL {
        let had = played.by(color);
        let piece_plies = plies::piece_plies(case, color, had);
        let needed = piece_plies.max(plies::captures(case, color));
        let values = [Value::Number(needed.into()), Value::Number(had.into())];
        if had < needed {
            let code = color.fold(Code::TooFewWhiteMoves, Code::TooFewBlackMoves);
            let finding = Finding::new(code, Bitboard::EMPTY);
            findings.push(values.into_iter().fold(finding, Finding::with_value));
        } else if are_rights_known
            && let Some((squares, extra)) = plies::lost_rights(case, color, piece_plies)
            && had < piece_plies + extra
        {
            let kings = case.piece(color, Role::King);
            let finding = Finding::new(Code::CastlingLostEarly, squares);
            let finding = finding.with_value(Value::Squares(squares & kings));
            findings.push(finding.with_value(Value::Squares(squares & !kings)));
        }
    }
    if are_rights_known && findings.len() == before && is_too_early(case, played) {
        let value = Value::Number(played.all());
        findings.push(Finding::new(Code::NotSoEarly, Bitboard::EMPTY).with_value(value));
    }
}

/// Returns whether this is the standard start position with either side to move.
fn is_untouched(case: &Case) -> bool {
    let start = Position::start();
    case.is_standard
        && case.setup.pieces == *start.pieces()
        && case.setup.castling_rooks == start.castling_rooks()
}

/// Returns whether none of the few games of at most two plies leads here.
fn is_too_early(case: &Case, played: &Played) -> bool {
    case.is_standard && played.all() <= 2 && !is_reached(&Position::start(), case, played.all())
}

fn is_reached(position: &Position, case: &Case, plies: u64) -> bool {
    if plies > 0 {
        let moves = position.legal_moves();
        return moves.iter().any(|&mv| is_reached(&position.play_unchecked(mv), case, plies - 1));
    }
    let (setup, wanted) = (position.to_setup(), &case.setup);
    // Many programs omit the square if no pawn can capture there.
    let is_same_passed = wanted.en_passant.is_none() || wanted.en_passant == setup.en_passant;
    setup.pieces == wanted.pieces
        && setup.turn == wanted.turn
        && setup.castling_rooks == wanted.castling_rooks
        && is_same_passed
}
