//! Formats the doctor's report for the terminal.

use castellan_legality::message::report_text::Row;
use castellan_legality::message::{Language, Phrase, phrase, report_text, sentence, severity};
use castellan_legality::{Finding, Repair, Report, Severity, Value, Verdict};
use castellan_rules::Color;

use super::{examine, excerpt};
use crate::board::Drawing;
use crate::limits;
use crate::terminal::{Paint, Style, printable};
use crate::wrap::wrap_indented;

/// Formats the whole report, with an empty line between its parts.
pub(super) fn write(
    report: &Report,
    repairs: &[Repair],
    style: Style,
    language: Language,
) -> String {
    let mut parts = Vec::new();
    let mut width = phrase(Phrase::VerdictLabel, &[], language).chars().count();
    if let Some(setup) = &report.setup {
        let marks = examine::marks(report, setup);
        let drawing = Drawing { pieces: &setup.pieces, bottom: Color::White, style, marks };
        parts.push(format!("\n{drawing}"));
        let rows = report_text::describe(report, language);
        width = rows.iter().map(|row| row.label.chars().count()).fold(width, usize::max);
        parts.push(rows.iter().map(|row| line(row, width, style)).collect::<String>());
    }
    parts.push(verdict_line(&report.verdict, width, style, language));
    parts.push(findings(report, style, language));
    parts.extend(suggested_fixes(repairs, style, language));
    parts.extend(game(&report.verdict, style, language));
    parts.join("\n")
}

/// Formats only the errors, one per line, and marks their positions in the text.
pub(super) fn errors(report: &Report, language: Language) -> String {
    let errors = report.findings.iter().filter(|one| one.severity() == Severity::Error);
    let line = |finding: &Finding| {
        let word = severity(finding.severity(), language);
        format!("{word}: {}\n", finding_text(report, finding, language))
    };
    let places = places(report, |severity| severity == Severity::Error);
    errors.map(line).collect::<String>() + &places
}

/// Shows the text with the findings marked, if the text is malformed.
fn places(report: &Report, is_wanted: impl Fn(Severity) -> bool) -> String {
    if report.verdict != Verdict::Malformed {
        return String::new();
    }
    let wanted = report.findings.iter().filter(|finding| is_wanted(finding.severity()));
    let columns: Vec<usize> = wanted.map(|finding| finding.column).collect();
    excerpt::point_at(&report.fen, &columns, 2)
}

/// Formats a row with its label in a separate column.
fn line(row: &Row, width: usize, style: Style) -> String {
    let label = style.paint(Paint::Bold, &format!("{:width$}", row.label));
    format!("{label}  {}\n", wrap_indented(&row.text, width + 2))
}

fn verdict_line(verdict: &Verdict, width: usize, style: Style, language: Language) -> String {
    let (word, reason) = report_text::verdict(verdict, language);
    let label = phrase(Phrase::VerdictLabel, &[], language);
    let text = line(&Row { label, text: format!("{word}: {reason}") }, width, style);
    let paint = match verdict {
        Verdict::Malformed | Verdict::Illegal => Paint::Red,
        Verdict::Legal { .. } => Paint::Green,
        Verdict::Unknown { .. } => Paint::Yellow,
    };
    // The words of a verdict are few and come first, so no line break falls between them.
    let word = format!("{word}:");
    text.replacen(&word, &style.paint(paint, &word), 1)
}

/// Formats the findings, numbered so that the repairs can refer to them.
fn findings(report: &Report, style: Style, language: Language) -> String {
    if report.findings.is_empty() {
        return format!("{}\n", phrase(Phrase::NothingFound, &[], language));
    }
    let words: Vec<String> =
        report.findings.iter().map(|finding| severity(finding.severity(), language)).collect();
    let width = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
    let number_width = report.findings.len().to_string().len();
    let mut text = heading(Phrase::FindingsHeading, style, language);
    text.push_str(&places(report, |_| true));
    for (index, (finding, word)) in report.findings.iter().zip(&words).enumerate() {
        let word = style.paint(severity_paint(finding), &format!("{word:width$}"));
        let indent = number_width + width + 6;
        let body = wrap_indented(&finding_text(report, finding, language), indent);
        let number = index + 1;
        text.push_str(&format!("  {number:number_width$}  {word}  {body}\n"));
    }
    text
}

/// Formats the sentence of a finding, with its column if the text is malformed, and with the
/// squares that the sentence does not name. More than a few squares are only marked on the board.
fn finding_text(report: &Report, finding: &Finding, language: Language) -> String {
    let mut text = printable(&sentence(finding, language));
    if report.verdict == Verdict::Malformed {
        let column = Value::Number(finding.column as u64);
        text = format!("{}: {text}", phrase(Phrase::Column, &[column], language));
    }
    let names = finding.squares.into_iter().map(|square| square.to_string());
    let unnamed: Vec<String> = names.filter(|name| !text.contains(name.as_str())).collect();
    if (1..=limits::SQUARES_NAMED).contains(&unnamed.len()) {
        text = format!("{text} ({})", unnamed.join(", "));
    }
    text
}

fn severity_paint(finding: &Finding) -> Paint {
    match finding.severity() {
        Severity::Error => Paint::Red,
        Severity::Warning => Paint::Yellow,
        Severity::Note => Paint::Blue,
    }
}

/// Formats for each repair what it fixes and, on a separate line for copying, the repaired FEN.
fn suggested_fixes(repairs: &[Repair], style: Style, language: Language) -> Option<String> {
    if repairs.is_empty() {
        return None;
    }
    let mut text = heading(Phrase::RepairsHeading, style, language);
    for repair in repairs {
        let numbers: Vec<String> =
            repair.findings.iter().map(|index| (index + 1).to_string()).collect();
        let what = if repair.is_sound {
            phrase(Phrase::RepairAll, &[], language)
        } else {
            let count = Value::Number(numbers.len() as u64);
            phrase(Phrase::RepairSome, &[count, Value::Text(numbers.join(", "))], language)
        };
        text.push_str(&format!("  {what}:\n    {}\n", printable(&repair.fen)));
    }
    Some(text)
}

fn game(verdict: &Verdict, style: Style, language: Language) -> Option<String> {
    let Verdict::Legal { moves } = verdict else { return None };
    let text = language.notation(&report_text::movetext(moves));
    let heading = heading(Phrase::GameHeading, style, language);
    (!moves.is_empty()).then(|| format!("{heading}  {}\n", wrap_indented(&text, 2)))
}

fn heading(what: Phrase, style: Style, language: Language) -> String {
    format!("{}\n", style.paint(Paint::Bold, &phrase(what, &[], language)))
}

#[cfg(test)]
mod tests {
    use castellan_legality::Code;
    use castellan_rules::{Bitboard, Position, Square, fen};

    use super::*;

    /// Creates a report by hand: the doctor's findings are tested in their own crate.
    fn report(text: &str, verdict: Verdict, findings: Vec<Finding>) -> Report {
        let setup = fen::parse(text).ok();
        Report {
            fen: text.into(),
            setup,
            position: setup.and_then(|setup| setup.position().ok()),
            is_chess960: false,
            verdict,
            findings,
        }
    }

    fn pawn_on(square: Square) -> Finding {
        let squares = Bitboard::of(square);
        Finding::new(Code::PawnOnBackRank, squares).with_value(Value::Squares(squares))
    }

    #[test]
    fn a_report_has_board_words_verdict_findings_and_repairs() {
        let text = "4k3/8/8/8/8/8/8/P3K2R w Q - 3 1";
        let rook = Finding::new(Code::CastlingWithoutRook, Square::A1.into())
            .with_value(Value::Color(Color::White))
            .with_value(Value::Square(Square::A1));
        let clock = Finding::new(Code::ClockBeyondGame, Bitboard::EMPTY)
            .with_value(Value::Number(3))
            .with_value(Value::Number(0));
        let findings = vec![pawn_on(Square::A1), rook, clock];
        let repair = |findings: &[usize], fen: &str, is_sound: bool| Repair {
            findings: findings.to_vec(),
            fen: fen.into(),
            is_sound,
        };
        let repairs = [
            repair(&[0, 1, 2], "4k3/8/8/8/8/8/8/4K2R w - - 0 1", true),
            repair(&[1], "4k3/8/8/8/8/8/8/P3K2R w - - 3 1", false),
        ];
        let report = report(text, Verdict::Illegal, findings);
        let expected = "
 8   .  .  .  .  k  .  .  .
 7   .  .  .  .  .  .  .  .
 6   .  .  .  .  .  .  .  .
 5   .  .  .  .  .  .  .  .
 4   .  .  .  .  .  .  .  .
 3   .  .  .  .  .  .  .  .
 2   .  .  .  .  .  .  .  .
 1  [P] .  .  .  K  .  .  R

     a  b  c  d  e  f  g  h

To move     White
Castling    “Q” is wrong
En passant  none
Clocks      3 half-moves since the last capture or pawn move; move 1

Verdict     illegal: no game can reach this position

Findings
  1  error    the pawn on a1 cannot be there: pawns start on the second rank and
              promote on the last one
  2  error    White can only castle with a rook on a1, but there is none
  3  warning  the half-move clock is 3, but according to the move number no
              half-move has been played

Suggested fixes
  fixes everything:
    4k3/8/8/8/8/8/8/4K2R w - - 0 1
  fixes finding 2:
    4k3/8/8/8/8/8/8/P3K2R w - - 3 1
";
        assert_eq!(write(&report, &repairs, Style::Letters, Language::English), expected);
    }

    #[test]
    fn an_error_in_the_text_is_pointed_at() {
        let mut finding = Finding::new(Code::RankLength, Bitboard::EMPTY)
            .with_value(Value::Number(2))
            .with_value(Value::Number(9));
        finding.column = 17;
        let text = "4k3/8/8/8/8/8/4P4/4K3 w - -";
        let report = report(text, Verdict::Malformed, vec![finding]);
        let expected = "\
Verdict  malformed: the text is not a valid FEN

Findings
  4k3/8/8/8/8/8/4P4/4K3 w - -
                  ^
  1  error  column 17: rank 2 has 9 squares instead of 8
";
        assert_eq!(write(&report, &[], Style::Letters, Language::English), expected);
    }

    #[test]
    fn squares_are_named_once() {
        let finding = pawn_on(Square::A1);
        let marked = Finding { squares: finding.squares.with(Square::H8), ..finding.clone() };
        let report = report("4k3/8/8/8/8/8/8/4K3 w - -", Verdict::Illegal, Vec::new());
        let text = |finding| finding_text(&report, finding, Language::English);
        assert_eq!(text(&finding).matches("a1").count(), 1);
        assert!(text(&marked).ends_with(" (h8)"), "{}", text(&marked));
        let all = Finding { squares: Bitboard::FULL, ..finding.clone() };
        assert_eq!(text(&all), text(&finding));
    }

    #[test]
    fn a_game_is_in_the_letters_of_the_language() {
        let start = Position::start();
        let mv = *start
            .legal_moves()
            .iter()
            .find(|mv| mv.from() == Square::G1 && mv.to() == Square::F3)
            .unwrap();
        let moves = vec![mv];
        let text = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1";
        let report = report(text, Verdict::Legal { moves }, Vec::new());
        let text = write(&report, &[], Style::Letters, Language::Slovak);
        assert!(text.ends_with("\nPartia, ktorá do nej vedie\n  1. Jf3\n"), "{text}");
        assert!(text.contains("Verdikt            legálna pozícia: "), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_the_page_in_any_language() {
        let nodes = 123_456_789;
        let text = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 120 61";
        let findings = Code::ALL.iter().map(|&code| Finding::new(code, Bitboard::EMPTY)).collect();
        let report = report(text, Verdict::Unknown { nodes }, findings);
        for language in Language::ALL {
            let text = write(&report, &[], Style::Letters, language);
            let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{wide:#?}");
        }
    }

    #[test]
    fn control_characters_of_the_input_are_not_written() {
        let finding =
            Finding::new(Code::BadTurn, Bitboard::EMPTY).with_value(Value::Text("\x1b[2J".into()));
        let report = report("8/8 \x1b[2J", Verdict::Malformed, vec![finding]);
        assert!(!write(&report, &[], Style::Letters, Language::English).contains('\x1b'));
    }
}
