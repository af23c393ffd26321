//! A stream read block by block.

use castellan_pgn::{Blocks, MAX_GAME_BYTES, game_starts};

/// A stream of many games that are of different lengths.
fn stream(games: usize) -> Vec<u8> {
    let mut text = String::new();
    for game in 0..games {
        let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(1 + game * 7 % 50);
        text += &format!("[Event \"{game}\"]\n[Site \"x\"]\n\n{moves}*\n\n");
    }
    text.into_bytes()
}

#[test]
fn blocks_are_the_stream_cut_where_games_begin() {
    let source = stream(9_000);
    let starts: Vec<usize> = game_starts(&source).collect();
    assert_eq!(starts.len(), 9_000);
    let mut blocks = Blocks::new(&source[..]);
    let (mut end, mut count) = (0, 0);
    while let Some(block) = blocks.next().expect("memory does not fail") {
        assert_eq!(block.offset, end as u64);
        assert!(starts.binary_search(&end).is_ok());
        assert_eq!(block.bytes, source[end..end + block.bytes.len()]);
        end += block.bytes.len();
        count += 1;
        blocks.recycle(block.bytes);
    }
    assert_eq!(end, source.len());
    assert!(count > 3, "{count} blocks");
}

#[test]
fn no_stream_makes_a_block_much_longer_than_a_game_may_be() {
    for text in ["1. e4 e5\n", "{", "\n[Event x]", "[", "%\n", "x"] {
        let source = text.repeat(3 * MAX_GAME_BYTES / text.len());
        let mut blocks = Blocks::new(source.as_bytes());
        while let Some(block) = blocks.next().expect("memory does not fail") {
            assert!(block.bytes.len() <= 3 * MAX_GAME_BYTES, "{text:?}");
        }
    }
}
