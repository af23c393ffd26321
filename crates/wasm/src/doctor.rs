//! The report of the FEN doctor, in the language of the page.

use castellan_legality::message::{report_text, sentence};
use castellan_legality::picture::checked_kings;
use castellan_legality::{Doctor, Effort, Finding, Repair, Report, Severity, Verdict};
use castellan_rules::{Bitboard, Color};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::language::parse_language;
use crate::piece_counts::{self, Count};
use crate::view;

/// A request to examine a FEN.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Examination {
    fen: String,
    language: String,
    /// Whether only quick checks are wanted, as after every change of an editor's board.
    is_quick: bool,
    /// Whether the FEN is a Chess960 position, where `KQkq` denote the outermost rooks.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    is_chess960: bool,
}

/// Everything that the doctor says about a FEN.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Diagnosis {
    fen: String,
    verdict: VerdictCode,
    verdict_word: String,
    verdict_reason: String,
    /// Whether a game can be started from the position, even if no game can reach it.
    is_playable: bool,
    /// Whether the castling rights were read as those of Chess960.
    is_chess960: bool,
    #[cfg_attr(feature = "typescript", ts(type = "BoardText | null"))]
    board: Option<String>,
    /// The squares of kings in check.
    checked: Vec<String>,
    setup: Option<SetupView>,
    counts: Vec<Count>,
    findings: Vec<FindingView>,
    repairs: Vec<RepairView>,
    rows: Vec<RowView>,
    game: Option<String>,
}

/// Whether a game can reach a position.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
enum VerdictCode {
    Malformed,
    Illegal,
    Legal,
    Unknown,
}

/// How serious a finding is.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
enum SeverityCode {
    Error,
    Warning,
    Note,
}

/// The fields of a FEN besides the board.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct SetupView {
    is_white_to_move: bool,
    castling: String,
    en_passant: Option<String>,
    halfmove_clock: u16,
    fullmove_number: u32,
}

/// A finding of the doctor.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct FindingView {
    code: &'static str,
    severity: SeverityCode,
    /// Whether no game can be started from a position with this finding; otherwise it means at
    /// most that no game can reach the position.
    prevents_play: bool,
    squares: Vec<String>,
    column: usize,
    text: String,
}

/// A FEN that repairs findings, which are given by their index.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct RepairView {
    fen: String,
    findings: Vec<usize>,
    /// Whether neither an error nor a warning remains after the repair.
    is_sound: bool,
}

/// A line of the description of a position.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct RowView {
    label: String,
    text: String,
}

pub(crate) fn examine(examination: &Examination) -> Result<Diagnosis, ApiError> {
    let language = parse_language(&examination.language)?;
    let effort = if examination.is_quick { Effort::Quick } else { Effort::Normal };
    let doctor = Doctor { effort, is_chess960: examination.is_chess960 };
    let report = doctor.examine(&examination.fen, &|| false);
    let repairs = doctor.repairs(&report);
    let (verdict_word, verdict_reason) = report_text::verdict(&report.verdict, language);
    let rows = report_text::describe(&report, language);
    let checked = report.setup.as_ref().map(checked_kings).unwrap_or_default();
    let pieces = report.setup.as_ref().map(|setup| &setup.pieces);
    Ok(Diagnosis {
        verdict: verdict_code(&report.verdict),
        verdict_word,
        verdict_reason,
        is_playable: is_playable(&report),
        is_chess960: report.is_chess960,
        checked: names(checked),
        board: pieces.map(view::board),
        setup: setup_view(&report),
        counts: pieces.map(piece_counts::counts).unwrap_or_default(),
        findings: report.findings.iter().map(|it| finding_view(it, language)).collect(),
        repairs: repairs.into_iter().map(repair_view).collect(),
        rows: rows.into_iter().map(|row| RowView { label: row.label, text: row.text }).collect(),
        game: game_text(&report.verdict).map(|text| language.notation(&text)),
        fen: report.fen,
    })
}

/// Returns `true` if a game can be started from the position: no finding prevents it, and there
/// is a legal move. Whether a game can reach the position does not matter.
fn is_playable(report: &Report) -> bool {
    !report.findings.iter().any(|finding| finding.code.prevents_play())
        && report.position.as_ref().is_some_and(|position| position.has_legal_move())
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

fn verdict_code(verdict: &Verdict) -> VerdictCode {
    match verdict {
        Verdict::Malformed => VerdictCode::Malformed,
        Verdict::Illegal => VerdictCode::Illegal,
        Verdict::Legal { .. } => VerdictCode::Legal,
        Verdict::Unknown { .. } => VerdictCode::Unknown,
    }
}

fn game_text(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Legal { moves } if !moves.is_empty() => Some(report_text::movetext(moves)),
        _ => None,
    }
}

fn setup_view(report: &Report) -> Option<SetupView> {
    let setup = report.setup.as_ref()?;
    let castling = report.fen.split_whitespace().nth(2).unwrap_or("-").replace('-', "");
    let clocks = setup.clocks;
    Some(SetupView {
        is_white_to_move: setup.turn == Color::White,
        castling,
        en_passant: setup.en_passant.map(|square| square.to_string()),
        halfmove_clock: clocks.map_or(0, |clocks| clocks.halfmove_clock),
        fullmove_number: clocks.map_or(1, |clocks| clocks.fullmove_number),
    })
}

fn finding_view(finding: &Finding, language: castellan_legality::Language) -> FindingView {
    FindingView {
        code: finding.code.name(),
        severity: match finding.severity() {
            Severity::Error => SeverityCode::Error,
            Severity::Warning => SeverityCode::Warning,
            Severity::Note => SeverityCode::Note,
        },
        prevents_play: finding.code.prevents_play(),
        squares: names(finding.squares),
        column: finding.column,
        text: sentence(finding, language),
    }
}

fn repair_view(repair: Repair) -> RepairView {
    RepairView { fen: repair.fen, findings: repair.findings, is_sound: repair.is_sound }
}
