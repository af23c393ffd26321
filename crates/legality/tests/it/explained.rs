//! The explanations in `docs/LEGALITY.md`: the results under its boards are computed here, and
//! every file that it names exists.

use castellan_legality::message::{Language, report_text, sentence};
use castellan_legality::{Budget, Doctor, Effort, Report, Severity, Verdict};
use castellan_rules::{Bitboard, Color, Move, Position, san};
use castellan_winnable::{CanWin, Reason, can_win};

use crate::page::{board, capitalized, check_page, exists, read};

const PAGE: &str = "docs/LEGALITY.md";

/// The longest line of a result, in characters.
const WIDTH: usize = 96;

/// How many positions may be searched for a mate.
const NODES: u64 = 100_000;

/// Breaks a text into lines between words.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            if line.is_empty() {
                line.push_str(word);
            } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
                line.push(' ');
                line.push_str(word);
            } else {
                lines.push(word.to_owned());
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Returns the squares and the words of what the doctor says about a FEN.
fn diagnosis(report: &Report) -> (Bitboard, String) {
    let is_serious = |severity| severity != Severity::Note;
    if let Some(finding) = report.findings.iter().find(|it| is_serious(it.severity())) {
        let text = capitalized(&sentence(finding, Language::English));
        return (finding.squares, format!("{}: {text}", finding.code.name()));
    }
    let text = match &report.verdict {
        Verdict::Legal { moves } => format!("legal: {}", report_text::movetext(moves)),
        _ => "unknown: there is no finding, and no game was found either.".to_owned(),
    };
    (Bitboard::EMPTY, text)
}

/// Returns what the doctor says about a FEN.
fn doctor(fen: &str) -> String {
    let report = Doctor::new(Effort::Normal).examine(fen, &|| false);
    let (squares, text) = diagnosis(&report);
    let setup = report.setup.expect("the page shows boards");
    format!("\n{}\n{}", board(&setup, squares), wrapped(&text))
}

/// Writes moves from a position in standard notation.
fn movetext(position: &Position, moves: &[Move]) -> String {
    let mut position = *position;
    let mut text = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        let number = position.fullmove_number();
        match position.turn() {
            Color::White => text.push(format!("{number}.")),
            Color::Black if index == 0 => text.push(format!("{number}...")),
            Color::Black => {}
        }
        text.push(san::write(&position, mv).to_string());
        position = position.play(mv).expect("the moves are legal");
    }
    text.join(" ")
}

/// Returns which sides can still win.
fn winnable(fen: &str) -> String {
    let position = Position::from_fen(fen).expect("the page shows positions");
    let mut text = format!("\n{}\n", board(&position.to_setup(), Bitboard::EMPTY));
    for color in Color::ALL {
        let answer = match can_win(&position, color, &mut Budget::of_nodes(NODES)) {
            CanWin::Yes(moves) => format!("can win: {}", movetext(&position, &moves)),
            CanWin::No(Reason::Over) => "cannot win: the game is over.".to_owned(),
            CanWin::No(Reason::Material) => "cannot win: the material is insufficient.".to_owned(),
            CanWin::No(Reason::Blocked) => {
                "cannot win: the pieces cannot get to a mate.".to_owned()
            }
            CanWin::No(Reason::Exhausted(positions)) => {
                format!("cannot win: all {positions} positions were searched.")
            }
            CanWin::Unknown(nodes) => format!("unknown: no mate among {nodes} positions."),
        };
        text.push_str(&wrapped(&format!("{color} {answer}")));
    }
    text
}

/// Returns the page with the result of each block computed again from its FEN.
fn computed(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let examine: fn(&str) -> String = match line {
            "```text doctor" => doctor,
            "```text winnable" => winnable,
            _ => continue,
        };
        let fen = lines.next().expect("a block begins with a FEN");
        text.push_str(&format!("{fen}\n{}```\n", examine(fen)));
        assert!(lines.any(|line| line == "```"), "the block of {fen} has no end");
    }
    text
}

#[test]
fn the_explained_page_is_up_to_date() {
    let page = read(PAGE);
    assert!(page.contains("```text doctor") && page.contains("```text winnable"));
    check_page(PAGE, &computed(&page));
}

#[test]
fn the_files_that_the_explained_page_names_exist() {
    let page = read(PAGE);
    let paths: Vec<&str> =
        page.split('`').filter(|text| text.contains('/') && text.ends_with(".rs")).collect();
    assert!(paths.len() > 10, "{paths:?}");
    for path in paths {
        assert!(exists(path), "{path}");
    }
}
