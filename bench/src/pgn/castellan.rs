//! Castellan's PGN reader.

use anyhow::{Result, bail};
use castellan_pgn::{Branch, Flow, Visitor, read, resolve, start_position, tag_value};
use castellan_rules::Position;

use super::{Contestant, Tally};

pub(super) const CONTESTANT: Contestant = Contestant { name: "castellan", tokens, moves };

fn tokens(source: &[u8]) -> Result<Tally> {
    let mut counter = Counter::default();
    read(source, &mut counter);
    Ok(counter.0)
}

fn moves(source: &[u8]) -> Result<Tally> {
    let line = Branch::new(Position::start());
    let mut player = Player { tally: Tally::default(), line, broken: None };
    read(source, &mut player);
    match player.broken {
        Some(text) => bail!("castellan cannot read {text}"),
        None => Ok(player.tally),
    }
}

/// A visitor that counts moves and comments.
#[derive(Default)]
struct Counter(Tally);

impl Visitor for Counter {
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
struct Player {
    tally: Tally,
    line: Branch,
    broken: Option<String>,
}

impl Player {
    fn stop(&mut self, text: &[u8]) -> Flow {
        self.broken = Some(String::from_utf8_lossy(text).into_owned());
        Flow::Stop
    }
}

impl Visitor for Player {
    fn begin_game(&mut self, _at: usize) -> Flow {
        self.tally.games += 1;
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
        self.tally.moves += 1;
        Flow::Continue
    }

    fn begin_variation(&mut self, _at: usize) -> Flow {
        Flow::Skip
    }
}
