//! The export format of the PGN standard.
//!
//! This module is responsible for the order of tags, the move numbers and the line breaks. A
//! written game reads back as the same game.
//!
//! A comment that contains a brace cannot be enclosed in braces. It is written after a semicolon
//! up to the end of the line, however long that gets.

mod columns;

use std::fmt;

use castellan_rules::{Color, Position, san};

use crate::start::tags_to_write;
use crate::{Comment, Game, NodeId, Played};
use columns::Columns;

/// Writes a game in export format, followed by an empty line: the seven required tags in order,
/// the others sorted by name, then the moves in lines of at most 80 columns.
///
/// ```
/// use castellan_pgn::{Game, write_game};
/// let mut text = String::new();
/// write_game(&Game::default(), &mut text)?;
/// assert!(text.starts_with("[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n"));
/// assert!(text.ends_with("[Result \"*\"]\n\n*\n\n"));
/// # Ok::<(), std::fmt::Error>(())
/// ```
pub fn write_game(game: &Game, out: &mut impl fmt::Write) -> fmt::Result {
    for tag in &tags_to_write(game) {
        let value = tag.value().replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(out, "[{} \"{value}\"]", tag.name())?;
    }
    out.write_char('\n')?;
    let mut movetext = Movetext { game, columns: Columns::new(out), needs_number: true };
    movetext.write()?;
    movetext.columns.word(game.result.as_str())?;
    movetext.columns.end_line()?;
    out.write_char('\n')
}

/// A pending part of the movetext. The steps are kept on an explicit stack instead of the call
/// stack, so that a deep tree cannot overflow it.
enum Step {
    /// The main continuation, its alternatives, and everything that follows.
    Line(NodeId, Position),
    /// A variation that begins with this move, and its further siblings.
    Variation(NodeId, Position),
    /// The end of a variation.
    Close,
}

struct Movetext<'a, W> {
    game: &'a Game,
    columns: Columns<'a, W>,
    /// Whether Black's next move needs a number: at the start and after an interruption.
    needs_number: bool,
}

impl<W: fmt::Write> Movetext<'_, W> {
    fn write(&mut self) -> fmt::Result {
        let tree = self.game.tree();
        self.write_notes_after(NodeId::ROOT)?;
        let mut steps = vec![Step::Line(NodeId::ROOT, *self.game.start())];
        while let Some(step) = steps.pop() {
            match step {
                Step::Close => {
                    self.columns.close(')');
                    self.needs_number = true;
                }
                Step::Line(at, position) => {
                    let Some(main) = tree.next(at) else { continue };
                    self.write_move(main, &position)?;
                    steps.push(Step::Line(main, self.game.after(&position, main)));
                    steps.extend(tree.sibling(main).map(|next| Step::Variation(next, position)));
                }
                Step::Variation(at, position) => {
                    self.columns.open('(')?;
                    self.needs_number = true;
                    self.write_comments(&tree.notes(at).before)?;
                    self.write_move(at, &position)?;
                    steps.extend(tree.sibling(at).map(|next| Step::Variation(next, position)));
                    steps.push(Step::Close);
                    steps.push(Step::Line(at, self.game.after(&position, at)));
                }
            }
        }
        Ok(())
    }

    /// Writes a move with its number and the notes after it.
    fn write_move(&mut self, at: NodeId, position: &Position) -> fmt::Result {
        let number = position.fullmove_number();
        match position.turn() {
            Color::White => self.columns.word(&format!("{number}."))?,
            Color::Black if self.needs_number => self.columns.word(&format!("{number}..."))?,
            Color::Black => {}
        }
        self.needs_number = false;
        match self.game.tree().played(at) {
            Some(Played::Move(mv)) => self.columns.word(&san::write(position, mv))?,
            Some(Played::Null) | None => self.columns.word("--")?,
        }
        self.write_notes_after(at)
    }

    fn write_notes_after(&mut self, at: NodeId) -> fmt::Result {
        let notes = self.game.tree().notes(at);
        for nag in &notes.nags {
            self.columns.word(&format!("${nag}"))?;
        }
        self.write_comments(&notes.after)
    }

    fn write_comments(&mut self, comments: &[Comment]) -> fmt::Result {
        for comment in comments {
            self.needs_number = true;
            if comment.as_str().contains(['{', '}']) {
                self.columns.line_end_comment(comment.as_str())?;
            } else {
                self.columns.open('{')?;
                self.write_paragraphs(comment.as_str())?;
                self.columns.close('}');
            }
        }
        Ok(())
    }

    fn write_paragraphs(&mut self, text: &str) -> fmt::Result {
        for (index, paragraph) in text.split("\n\n").enumerate() {
            if index > 0 {
                self.columns.empty_line()?;
            }
            for word in paragraph.split(' ') {
                // A tag or an escape is recognized at the start of a line, so nothing that looks
                // like one may end up there. A command is not broken across lines, for programs
                // that search for it.
                let may_break = !word.starts_with('%')
                    && (!word.starts_with('[') || word.starts_with("[%"))
                    && !self.columns.is_in_command();
                if may_break {
                    self.columns.word(word)?;
                } else {
                    self.columns.joined_word(word)?;
                }
            }
        }
        Ok(())
    }
}
