//! Castellan's PGN reader.

use anyhow::{Result, bail};
use castellan_pgn::{Branch, Flow, Visitor, read, resolve, start_position, tag_value};
use castellan_rules::Position;

use super::{PgnCounts, PgnReader};

pub(super) const READER: PgnReader = PgnReader { name: "castellan", tokens, moves };

fn tokens(source: &[u8]) -> Result<PgnCounts> {
    let mut counter = TokenCounter::default();
    read(source, &mut counter);
    Ok(counter.0)
}

fn moves(source: &[u8]) -> Result<PgnCounts> {
    let line = Branch::new(Position::start());
    let mut player = MovePlayer { counts: PgnCounts::default(), line, broken: None };
    read(source, &mut player);
    match player.broken {
        Some(text) => bail!("castellan cannot read {text}"),
        None => Ok(player.counts),
    }
}

/// A visitor that counts moves and comments.
#[derive(Default)]
struct TokenCounter(PgnCounts);

impl Visitor for TokenCounter {
    fn begin_game(&mut self, _at: usize) -> Flow {
        self.0.games += 1;
        Flow::Continue
    }

    fn mv(&mut self, _text: &[u8], _at: usize) -> Flow {
        self.0.moves += 1;
        Flow::Continue
    }

    fn comment(&mut self, _text: &[u8], _at: usize) {
        self.0.comments += 1;
    }
}

/// A visitor that plays the moves of the main lines.
struct MovePlayer {
    counts: PgnCounts,
    line: Branch,
    broken: Option<String>,
}

impl MovePlayer {
    fn stop(&mut self, text: &[u8]) -> Flow {
        self.broken = Some(String::from_utf8_lossy(text).into_owned());
        Flow::Stop
    }
}

impl Visitor for MovePlayer {
    fn begin_game(&mut self, _at: usize) -> Flow {
        self.counts.games += 1;
        self.line = Branch::new(Position::start());
        Flow::Continue
    }

    fn tag(&mut self, name: &[u8], value: &[u8], _at: usize) -> Flow {
        if name == b"FEN" {
            match start_position(&tag_value(value)) {
                Ok(position) => self.line = Branch::new(position),
                Err(_) => return self.stop(value),
            }
        }
        Flow::Continue
    }

    fn mv(&mut self, text: &[u8], _at: usize) -> Flow {
        match resolve(self.line.now(), text) {
            Ok(resolved) => self.line.play(resolved.played),
            Err(_) => return self.stop(text),
        }
        self.counts.moves += 1;
        Flow::Continue
    }

    fn begin_variation(&mut self, _at: usize) -> Flow {
        Flow::Skip
    }
}
