//! Creates the findings for captures and promotions that do not fit together.

use castellan_rules::{Bitboard, Color, File, Rank, Role};

use super::bound::changed_files;
use super::goal::{CaptureGoal, Unsearchable};
use crate::material::Material;
use crate::{Case, Code, Finding, Value, history};

/// Creates the finding that more captures are needed than there were.
pub(super) fn too_few_captures(case: &Case, goal: &CaptureGoal, needed: u32) -> Finding {
    let files = changed_files(goal);
    let on_files = files.iter().fold(Bitboard::EMPTY, |all, &file| all | Bitboard::file(file));
    let letters: Vec<String> = files.iter().map(|file: &File| file.letter().to_string()).collect();
    let most = u64::from(goal.max_captures());
    let missing = missing(case);
    Finding::new(Code::TooFewCaptures, case.setup.pieces.role(Role::Pawn) & on_files)
        .with_value(Value::Number(needed.into()))
        .with_value(Value::Number(most))
        .with_value(Value::Number(if most < missing { missing } else { 0 }))
        .with_value(Value::Text(letters.join(", ")))
        .with_value(Value::Number(letters.len() as u64))
}

/// Creates the finding that no order of captures and promotions leads here.
pub(super) fn no_capture_order(case: &Case) -> Finding {
    let moved = |color: Color| {
        let home = Bitboard::rank(Rank::Second.relative_to(color));
        case.piece(color, Role::Pawn) & !home
    };
    let promoted = |color| Material::of(&case.setup.pieces, color).promoted();
    let promoted: u32 = Color::ALL.into_iter().map(promoted).sum();
    Finding::new(Code::NoCaptureOrder, moved(Color::White) | moved(Color::Black))
        .with_value(Value::Number(missing(case)))
        .with_value(Value::Number(promoted.into()))
}

/// Creates the finding if there is no goal to search for. Too many promoted pieces are reported
/// elsewhere.
pub(super) fn without_goal(case: &Case, reason: Unsearchable) -> Option<Finding> {
    let Unsearchable::TakenAtHome(color, home) = reason else { return None };
    let same_shade = |square: Bitboard| {
        let is_light = (square & Bitboard::LIGHT).any();
        case.piece(color, Role::Bishop) & if is_light { Bitboard::LIGHT } else { Bitboard::DARK }
    };
    let bishop = home.and_then(|home| Some((home, same_shade(home.into()).first()?)));
    let Some((home, bishop)) = bishop else { return Some(no_capture_order(case)) };
    let may_promote = case.piece(color, Role::Pawn).count() < 8;
    Some(history::boxed_bishop(color, bishop, home, may_promote))
}

fn missing(case: &Case) -> u64 {
    Color::ALL.into_iter().map(|color| case.missing(color) as u64).sum()
}
