//! Reads the games of all files one after another.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;

use castellan_pgn::{Flow, Game, Mode, Tags, for_each_game};
use castellan_rules::Line;

use crate::pgn::feed::Feed;

/// A game with its place among all games.
pub(super) struct SourceGame {
    /// The position in the order of all games, from 0.
    pub(super) number: u64,
    /// The name of its file, and its number in that file, from 1.
    pub(super) file: Arc<str>,
    pub(super) number_in_file: u64,
    pub(super) tags: Tags,
    pub(super) is_chess960: bool,
    game: Game,
}

impl SourceGame {
    /// Returns the main line, up to the first move that cannot be read.
    pub(super) fn line(&self) -> Line {
        self.game.to_line()
    }
}

/// The games of all files. Only the games of one block are in memory.
pub(super) struct GameSource {
    feed: Feed,
    games: VecDeque<SourceGame>,
    file: Arc<str>,
    number: u64,
    number_in_file: u64,
    /// The number of games that an earlier run has finished.
    done: u64,
    /// The number of files that could not be read to their end.
    failures: u64,
}

impl GameSource {
    /// Reads the games of some files, except the first `done` ones.
    pub(super) fn new(files: Vec<String>, done: u64) -> GameSource {
        GameSource {
            feed: Feed::new(files),
            games: VecDeque::new(),
            file: Arc::from(""),
            number: 0,
            number_in_file: 0,
            done,
            failures: 0,
        }
    }

    /// Returns the next game.
    pub(super) fn next(&mut self) -> Option<SourceGame> {
        loop {
            if let Some(game) = self.games.pop_front() {
                return Some(game);
            }
            self.read_block()?;
        }
    }

    /// Returns the number of files that could not be read to their end.
    pub(super) fn failures(&self) -> u64 {
        self.failures
    }

    /// Returns the share of all bytes read so far, from 0 to 1; `None` if the total is unknown.
    pub(super) fn share_read(&self) -> Option<f64> {
        self.feed.share_read()
    }

    fn read_block(&mut self) -> Option<()> {
        let part = self.feed.take()?;
        let bytes = part.bytes();
        if part.file != self.file {
            self.file = Arc::clone(&part.file);
            self.number_in_file = 0;
        }
        match part.content {
            Ok(block) => for_each_game(&block.bytes, Mode::Lenient, |game| {
                self.add(game);
                Flow::Continue
            }),
            Err(error) => {
                self.failures += 1;
                // If the message cannot be printed, there is no way left to report it.
                let _ = writeln!(io::stderr(), "error: {}: {error}", part.file);
            }
        }
        self.feed.release(bytes);
        Some(())
    }

    fn add(&mut self, game: Game) {
        let number = self.number;
        self.number += 1;
        self.number_in_file += 1;
        if number < self.done {
            return;
        }
        self.games.push_back(SourceGame {
            number,
            file: Arc::clone(&self.file),
            number_in_file: self.number_in_file,
            tags: game.tags.clone(),
            is_chess960: game.is_chess960(),
            game,
        });
    }
}
