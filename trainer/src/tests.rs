//! Tests of the file formats, with random games.

use castellan_rules::{Color, Position, UciMove};
use castellan_testkit::play::{GameShape, RandomGame, Start, random_game};
use castellan_testkit::random::SplitMix64;

use crate::game::{Game, GameError, GameErrorKind, MATE_SCORE, Ply, checksum};
use crate::games_file::{GamesReader, header, is_incomplete, open_for_append};
use crate::record::{Record, record, useful_score};

fn game_of(rng: &mut SplitMix64, random: &RandomGame) -> Game {
    let start = Position::from_fen(&random.start.to_fen()).unwrap();
    let mut position = start;
    let mut plies = Vec::new();
    for text in random.uci() {
        let mv = UciMove::parse(&text).unwrap().resolve(&position).unwrap();
        let score = rng.below(2 * MATE_SCORE as usize + 1) as i32 - i32::from(MATE_SCORE);
        plies.push(Ply { mv, score: (!rng.chance(10)).then_some(score as i16) });
        position = position.play(mv).unwrap();
    }
    let winner = *rng.pick(&[None, Some(Color::White), Some(Color::Black)]).unwrap();
    Game { start, winner, plies }
}

/// Returns games with every kind of move. Half of them are Chess960, and some start in their
/// middle.
pub(crate) fn games(seed: u64, count: usize) -> Vec<Game> {
    let mut rng = SplitMix64::new(seed);
    let mut games = Vec::new();
    for index in 0..count {
        let start = if index % 2 == 0 { Start::Standard } else { Start::Chess960 };
        let shape = GameShape { start, max_plies: rng.below(120), ..GameShape::default() };
        let random = random_game(&mut rng, &shape);
        let mut game = game_of(&mut rng, &random);
        if rng.chance(50) && !game.plies.is_empty() {
            let skipped = rng.below(game.plies.len());
            let (start, _) = game.positions().nth(skipped).unwrap();
            game.start = start;
            game.plies.drain(..skipped);
        }
        games.push(game);
    }
    games
}

fn bytes_of(game: &Game) -> Vec<u8> {
    let mut bytes = Vec::new();
    game.encode(&mut bytes);
    bytes
}

#[track_caller]
fn assert_same(one: &Game, other: &Game) {
    // The equality of positions ignores the clocks, so these are compared separately.
    assert_eq!(one.start.halfmove_clock(), other.start.halfmove_clock());
    assert_eq!(one.start.passed_square(), other.start.passed_square());
    assert_eq!(one, other);
}

#[test]
fn a_game_is_read_as_it_was_written() {
    for game in games(1, 300) {
        let bytes = bytes_of(&game);
        assert_eq!(bytes.len(), 38 + 4 * game.plies.len());
        assert_same(&Game::decode(&bytes, 0).unwrap(), &game);
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let mut rng = SplitMix64::new(2);
    for game in games(3, 300) {
        let mut bytes = bytes_of(&game);
        let at = rng.below(bytes.len());
        bytes[at] ^= 1 + rng.below(255) as u8;
        assert!(Game::decode(&bytes, 0).is_err(), "byte {at} of {game:?}");
    }
}

#[test]
fn bytes_with_a_good_checksum_are_one_legal_game_or_an_error_within_them() {
    let mut rng = SplitMix64::new(4);
    let mut legal = 0;
    for game in games(5, 3000) {
        let mut bytes = bytes_of(&game);
        let body = bytes.len() - 4;
        for _ in 0..=rng.below(2) {
            bytes[rng.below(body)] ^= 1 << rng.below(8);
        }
        let sum = checksum(&bytes[..body]).to_le_bytes();
        bytes[body..].copy_from_slice(&sum);
        match Game::decode(&bytes, 100) {
            Ok(game) => {
                legal += 1;
                assert_eq!(bytes_of(&game), bytes);
            }
            Err(error) => assert!((100..=100 + bytes.len() as u64).contains(&error.offset)),
        }
    }
    assert!(legal > 100, "{legal}");
}

#[test]
fn an_illegal_move_is_found_at_its_byte() {
    let game = games(6, 40).into_iter().find(|game| game.plies.len() > 20).unwrap();
    let mut bytes = bytes_of(&game);
    let at = 34 + 4 * 13;
    bytes[at..at + 2].copy_from_slice(&[0, 0]);
    let body = bytes.len() - 4;
    let sum = checksum(&bytes[..body]).to_le_bytes();
    bytes[body..].copy_from_slice(&sum);
    let offset = 1000 + at as u64;
    let expected = GameError { offset, kind: GameErrorKind::IllegalMove(0) };
    assert_eq!(Game::decode(&bytes, 1000), Err(expected));
}

#[test]
fn a_file_that_was_cut_off_goes_on_after_its_last_whole_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.cg");
    let mut rng = SplitMix64::new(7);
    let games = games(8, 30);
    let mut file = header("a test");
    let mut ends = vec![file.len()];
    for game in &games {
        game.encode(&mut file);
        ends.push(file.len());
    }
    for _ in 0..60 {
        let cut = ends[0] + rng.below(file.len() - ends[0] + 1);
        std::fs::write(&path, &file[..cut]).unwrap();
        let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let (mut appended, length) = open_for_append(&path, "not written").unwrap();
        assert_eq!(length, ends[whole] as u64);
        std::io::Write::write_all(&mut appended, &bytes_of(&games[0])).unwrap();
        let mut reader = GamesReader::open(&path).unwrap();
        assert_eq!(reader.description(), "a test");
        let (batch, end) = reader.read_batch(usize::MAX >> 32);
        assert!(end.unwrap());
        let read: Vec<Game> = batch.unwrap().games().map(Result::unwrap).collect();
        assert_eq!(read.len(), whole + 1);
        for (read, written) in read.iter().zip(games[..whole].iter().chain([&games[0]])) {
            assert_same(read, written);
        }
    }
}

#[test]
fn a_reader_says_where_a_file_is_cut_off() {
    let game = &games(9, 1)[0];
    let mut file = header("");
    let start = file.len() as u64;
    game.encode(&mut file);
    for cut in 1..bytes_of(game).len() {
        let mut reader = GamesReader::new(&file[..start as usize + cut]).unwrap();
        let error = reader.read_game(&mut Vec::new()).unwrap_err();
        assert!(is_incomplete(&error));
        assert_eq!(error.downcast_ref::<GameError>().unwrap().offset, start);
    }
    for cut in 0..start as usize {
        assert!(GamesReader::new(&file[..cut]).is_err());
    }
}

/// Builds a record only from the texts of a FEN and of a move.
fn record_from_text(fen: &str, mv: &str, score: i16, result_for_white: u8) -> Record {
    let fields: Vec<&str> = fen.split(' ').collect();
    let is_black = fields[1] == "b";
    let mut board = [None; 64];
    for (row, text) in fields[0].split('/').enumerate() {
        let mut file = 0;
        for letter in text.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as usize,
                None => {
                    let rank = if is_black { row } else { 7 - row };
                    let role = "pnbrqk".find(letter.to_ascii_lowercase()).unwrap() as u8;
                    let is_theirs = letter.is_ascii_lowercase() != is_black;
                    board[8 * rank + file] = Some(role + 8 * u8::from(is_theirs));
                    file += 1;
                }
            }
        }
    }
    let codes: Vec<u8> = board.iter().flatten().copied().collect();
    let occupied = (0..64).filter(|&square| board[square].is_some()).map(|square| 1_u64 << square);
    let square_of = |code| board.iter().position(|&piece| piece == Some(code)).unwrap() as u8;
    let mut bytes = occupied.sum::<u64>().to_le_bytes().to_vec();
    let pairs = codes.chunks(2).map(|pair| pair[0] + 16 * pair.get(1).unwrap_or(&0));
    bytes.extend(pairs.chain([0; 16]).take(16));
    bytes.extend(score.to_le_bytes());
    bytes.push(if is_black { 2 - result_for_white } else { result_for_white });
    bytes.extend([square_of(5), square_of(13), codes.len() as u8]);
    let digit = |at: usize, first: u8| u16::from(mv.as_bytes()[at] - first);
    let square = |at| {
        let rank = digit(at + 1, b'1');
        digit(at, b'a') + 8 * if is_black { 7 - rank } else { rank }
    };
    let promotion = mv.chars().nth(4).map_or(0, |letter| " nbrq".find(letter).unwrap() as u16);
    bytes.extend((square(0) + 64 * square(2) + 4096 * promotion).to_le_bytes());
    bytes.try_into().unwrap()
}

#[test]
fn a_record_says_what_the_fen_and_the_move_say() {
    let mut seen = [0; 2];
    for game in games(10, 60) {
        let result = game.winner.map_or(1, |winner| winner.fold(2, 0));
        for (number, (position, ply)) in game.positions().enumerate() {
            let score = (number * 7) as i16 - 100;
            // Castling is the king's move to its rook, as in Chess960.
            let squares = format!("{}{}", ply.mv.from(), ply.mv.to());
            let promotion =
                ply.mv.promotion().map_or("", |role| ["n", "b", "r", "q"][role as usize]);
            let mv = squares + promotion;
            let expected = record_from_text(&position.to_fen(), &mv, score, result);
            assert_eq!(record(&position, ply, score, game.winner), expected, "{position:?}");
            seen[position.turn().fold(0, 1)] += 1;
        }
    }
    assert!(seen[0] > 500 && seen[1] > 500);
}

#[test]
fn records_are_quiet_and_scored() {
    let mut kept = 0;
    for game in games(11, 100) {
        let positions: Vec<_> = game.positions().collect();
        for pair in positions.windows(2) {
            let ((position, ply), (next, _)) = (&pair[0], &pair[1]);
            let is_capture = next.occupied().count() < position.occupied().count();
            let is_useful = ply.score.is_some_and(|score| score.abs() <= 9000)
                && !position.is_check()
                && !is_capture
                && ply.mv.promotion().is_none();
            assert_eq!(useful_score(position, *ply, 9000).is_ok(), is_useful, "{position:?}");
            kept += usize::from(is_useful);
        }
    }
    assert!(kept > 100);
}
