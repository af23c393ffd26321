//! Checks that reading in blocks of a few bytes reports the same as reading the whole source.

use super::{Blocks, line_and_column};
use crate::recorder::Recorder;
use crate::{MAX_GAME_BYTES, read};

/// Inputs that are difficult to split, short enough to be split at every byte.
const NASTY: &[&str] = &[
    "",
    "\u{feff}[Event \"a\"]\r\n[Site \"b\"]\r\n\r\n1. e4 *\r\n\r\n[Event \"c\"]\r\n\r\n*\r\n",
    "[Event \"a\"]\n\n1. e4 {unclosed\n\n[Event \"b\"]\n\n1. d4 (1. c4 ;)\n[Event \"c\"]\n*",
    "[Event \"a\"]\n% x\n[Site \"b\"]\n\n*\n% y\n%\n[Event \"c\"]\n% z",
    "[Event \"a\n[Site \"b\"]\n*\n [Event \"c\"]\n[Site \"d\"]\n*\n[Event e]\n[Site \"f\"]\n",
    "1. e4 * 1. d4 *\n1. c4 *\n\n[Event \"a\"] e4\n[Event \"b\"] d4\n*\n[Event \"c\"]\n\n[Event \"d\"]\n",
    "; preamble\n{x}\n[Event \"a\"]\n\n1. e4 {[%clk 1]\n[%eval 2]} *\n}{}\n[Event \"b\"]\n",
    "garbage ( { ) [x] ] \"\n\n\n[A \"\n[B \"c\"]\nd\n[E\t\"f\"]",
];

fn whole(source: &[u8]) -> Vec<String> {
    let mut recorder = Recorder { offset: Some(0), ..Recorder::default() };
    read(source, &mut recorder);
    recorder.lines
}

fn by_blocks(source: &[u8], block_bytes: usize, max_game_bytes: usize) -> Vec<String> {
    let mut blocks = Blocks::with_sizes(source, block_bytes, max_game_bytes);
    let mut recorder = Recorder::default();
    while let Some(block) = blocks.next().expect("memory does not fail") {
        let at = usize::try_from(block.offset).expect("it is an offset in memory");
        assert_eq!(block.bytes, source[at..at + block.bytes.len()]);
        assert_eq!(block.line, line_and_column(source, at).0);
        recorder.offset = Some(block.offset);
        read(&block.bytes, &mut recorder);
        blocks.recycle(block.bytes);
    }
    recorder.lines
}

#[test]
fn blocks_tell_the_same_as_the_whole() {
    let all = NASTY.concat();
    for source in NASTY.iter().copied().chain([all.as_str()]) {
        let expected = whole(source.as_bytes());
        for block_bytes in 1..=source.len() + 1 {
            let found = by_blocks(source.as_bytes(), block_bytes, MAX_GAME_BYTES);
            assert_eq!(found, expected, "in blocks of {block_bytes}: {source}");
        }
    }
}

#[test]
fn games_without_tags_are_cut_where_they_begin() {
    let source = "1. e4 (1. d4 *) {*\n1.} *\n1. d4 e5 2. c4 *\n".repeat(50);
    let expected = whole(source.as_bytes());
    for block_bytes in 1..200 {
        assert_eq!(by_blocks(source.as_bytes(), block_bytes, 60), expected, "{block_bytes}");
    }
}

#[test]
fn games_after_one_over_the_limit_are_found() {
    let long = format!("[Event \"a\"]\n\n{}\n% x\n", "1. e4 e5\n".repeat(100));
    let source = format!("{long}[Event \"b\"]\n[Site \"c\"]\n\n1. d4 *\n{long}[Event \"d\"]\n*\n");
    for block_bytes in 1..500 {
        let mut blocks = Blocks::with_sizes(source.as_bytes(), block_bytes, 100);
        let mut found = Vec::new();
        while let Some(block) = blocks.next().expect("memory does not fail") {
            let at = usize::try_from(block.offset).expect("it is an offset in memory");
            assert_eq!(block.bytes, source.as_bytes()[at..at + block.bytes.len()]);
            assert_eq!(block.line, line_and_column(source.as_bytes(), at).0);
            assert!(block.bytes.len() <= 2 * (100 + 2 * block_bytes), "{block_bytes}");
            found.extend(crate::game_starts(&block.bytes).map(|start| at + start));
        }
        let expected: Vec<usize> = crate::game_starts(source.as_bytes()).collect();
        assert_eq!(found, expected, "in blocks of {block_bytes}");
    }
}

#[test]
fn the_whole_and_its_blocks_agree_on_a_game_over_the_limit() {
    let long = "1. e4 e5\n".repeat(MAX_GAME_BYTES / 9 + 300_000);
    let source = format!("[Event \"a\"]\n\n{long}[Event \"b\"]\n[Site \"c\"]\n\n1. d4 *\n");
    let lines = whole(source.as_bytes());
    assert!(lines.iter().any(|line| line.starts_with("0 ! OverLimit(\"game\")")));
    assert!(lines.iter().any(|line| line.ends_with("tag Site=c")));
    let mut found = Recorder { offset: Some(0), ..Recorder::default() };
    let mut blocks = Blocks::new(source.as_bytes());
    while let Some(block) = blocks.next().expect("memory does not fail") {
        found.offset = Some(block.offset);
        read(&block.bytes, &mut found);
    }
    assert!(found.lines == lines);
}

#[test]
fn lines_and_columns_count_characters() {
    let source = "\u{feff}1. é4\r\nx\n".as_bytes();
    assert_eq!(line_and_column(source, 0), (1, 1));
    assert_eq!(line_and_column(source, 3), (1, 1));
    assert_eq!(line_and_column(source, 8), (1, 5));
    assert_eq!(line_and_column(source, source.len()), (3, 1));
    assert_eq!(line_and_column(b"\xe9e4", 1), (1, 2));
}

/// A reader that returns `WouldBlock` on every other call.
struct Stuttering<'s> {
    source: &'s [u8],
    is_dry: bool,
}

impl std::io::Read for Stuttering<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.is_dry = !self.is_dry;
        if self.is_dry {
            return Err(std::io::ErrorKind::WouldBlock.into());
        }
        let step = buffer.len().min(7);
        std::io::Read::read(&mut self.source, &mut buffer[..step])
    }
}

/// Reads all blocks through such a reader, and checks that each has the right offset and line.
fn patiently(source: &[u8], block_bytes: usize, max_game_bytes: usize) -> Vec<super::Block> {
    let reader = Stuttering { source, is_dry: false };
    let mut blocks = Blocks::with_sizes(reader, block_bytes, max_game_bytes);
    let mut found = Vec::new();
    loop {
        let block = match blocks.next() {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            block => block.expect("nothing else goes wrong"),
        };
        let Some(block) = block else { return found };
        let at = usize::try_from(block.offset).expect("it is an offset in memory");
        assert_eq!(block.bytes, source[at..at + block.bytes.len()]);
        assert_eq!(block.line, line_and_column(source, at).0);
        found.push(block);
    }
}

#[test]
fn a_reader_that_would_block_loses_nothing() {
    for source in NASTY {
        for block_bytes in [1, 2, 3, 5, 8, 13, 40, 100] {
            let mut recorder = Recorder::default();
            for block in patiently(source.as_bytes(), block_bytes, MAX_GAME_BYTES) {
                recorder.offset = Some(block.offset);
                read(&block.bytes, &mut recorder);
            }
            assert_eq!(recorder.lines, whole(source.as_bytes()), "{block_bytes}: {source}");
        }
    }
}

#[test]
fn a_reader_that_would_block_in_a_game_over_the_limit_loses_nothing_after_it() {
    let long = format!("[Event \"a\"]\n\n{}\n% x\n", "1. e4 e5\n".repeat(40));
    let source = format!("{long}[Event \"b\"]\n[Site \"c\"]\n\n1. d4 *\n{long}[Event \"d\"]\n*\n");
    let expected: Vec<usize> = crate::game_starts(source.as_bytes()).collect();
    for block_bytes in 1..100 {
        let mut found = Vec::new();
        for block in patiently(source.as_bytes(), block_bytes, 100) {
            let at = usize::try_from(block.offset).expect("it is an offset in memory");
            found.extend(crate::game_starts(&block.bytes).map(|start| at + start));
        }
        assert_eq!(found, expected, "in blocks of {block_bytes}");
    }
}
