//! Every mate that the engine claims is real, and it finds the shortest one.

use castellan_engine::{Engine, Limits, Options, Score};
use castellan_rules::{Line, Position};
use castellan_testkit::random::SplitMix64;

use crate::support::{line, new_engine, search, to_depth};

/// Returns the number of moves in which the side to move mates, up to `moves`, by brute force.
fn mate_in(position: &Position, moves: u32) -> Option<u32> {
    (1..=moves).find(|&moves| can_mate(position, moves))
}

fn can_mate(position: &Position, moves: u32) -> bool {
    position.legal_moves().iter().any(|&mv| {
        let next = position.play_unchecked(mv);
        if next.is_checkmate() {
            return true;
        }
        moves > 1
            && next.has_legal_move()
            && next
                .legal_moves()
                .iter()
                .all(|&reply| can_mate(&next.play_unchecked(reply), moves - 1))
    })
}

/// Returns a random legal position with these pieces and White to move.
fn scattered(random: &mut SplitMix64, letters: &str) -> Position {
    loop {
        let mut board = [' '; 64];
        for letter in letters.chars() {
            board[random.below(64)] = letter;
        }
        let ranks: Vec<String> = board
            .chunks(8)
            .map(|rank| {
                rank.iter()
                    .map(|&letter| if letter == ' ' { '1' } else { letter })
                    .collect::<String>()
            })
            .collect();
        let fen = normal(&format!("{} w - - 0 1", ranks.join("/")));
        let all_there = letters.chars().all(|letter| board.contains(&letter));
        if let (true, Ok(position)) = (all_there, Position::from_fen(&fen)) {
            return position;
        }
    }
}

/// Merges runs of empty squares, as FEN requires.
fn normal(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').expect("a FEN has several fields");
    let mut out = String::new();
    let mut empty = 0;
    for letter in board.chars().chain(['/']) {
        if letter == '1' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            out += &empty.to_string();
            empty = 0;
        }
        out.push(letter);
    }
    out.pop();
    format!("{out} {rest}")
}

#[test]
fn short_mates_are_found_and_counted_exactly() {
    let mut random = SplitMix64::new(41);
    let mut found = [0; 4];
    for letters in ["KQk", "KRk", "KQkr", "KRRkn", "KQNkp", "KBNkP"] {
        for _ in 0..400 {
            let position = scattered(&mut random, letters);
            let Some(moves) = mate_in(&position, 2) else { continue };
            found[moves as usize] += 1;
            let limits = Limits { nodes: Some(60_000), ..Limits::default() };
            let answer = search(&mut new_engine(), &Line::new(position), &limits);
            assert_eq!(answer.score, Score::Mate(moves as i32), "{position:?}");
        }
    }
    assert!(found[1] > 20 && found[2] > 20, "{found:?}");
}

#[test]
fn a_mate_is_never_claimed_too_short() {
    let mut random = SplitMix64::new(42);
    let mut engine = new_engine();
    let mut claims = 0;
    for letters in ["KQk", "KRk", "KQRkq", "KQBkrn"] {
        for _ in 0..120 {
            let position = scattered(&mut random, letters);
            let limits = Limits { nodes: Some(3000), ..Limits::default() };
            let answer = search(&mut engine, &Line::new(position), &limits);
            if let Score::Mate(moves @ 1..=2) = answer.score {
                claims += 1;
                let truth = mate_in(&position, 2).map(|moves| moves as i32);
                assert!(truth.is_some_and(|truth| truth <= moves), "{position:?} {moves}");
            }
        }
    }
    assert!(claims > 10, "{claims}");
}

#[test]
fn checkmate_and_stalemate_have_no_move() {
    let mated = to_depth("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", 3);
    assert_eq!((mated.mv, mated.score), (None, Score::Mate(0)));
    let stalemated = to_depth("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3);
    assert_eq!((stalemated.mv, stalemated.score), (None, Score::Centipawns(0)));
}

#[test]
fn the_size_of_the_table_does_not_change_a_mate() {
    let fen = "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1";
    let score = |hash_mb| {
        let mut engine = Engine::new(Options { hash_mb, threads: 1 });
        let limits = Limits { depth: Some(14), ..Limits::default() };
        search(&mut engine, &line(fen, ""), &limits).score
    };
    // Bc5+ Kxc5 Qb6+ Kd5 Qd6 mates.
    assert_eq!(score(1), Score::Mate(3));
    assert_eq!(score(64), Score::Mate(3));
}
