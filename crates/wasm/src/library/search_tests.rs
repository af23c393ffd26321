//! Tests of the searches in the moves of games, compared with the rules of chess.

use std::fmt::Write as _;

use castellan_pgn::Played;
use castellan_rules::{Color, Move, Position, Role, san};
use serde_json::{Value, json};

use super::replay::{PackedMove, Replay};
use super::*;

/// A generator of numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// Starting positions with castling, en passant and promotions nearby.
fn starts() -> Vec<Position> {
    let fens = [
        "r3k2r/1P4p1/8/2p2pP1/1pP2P2/8/P5p1/R3K2R w KQkq - 0 1",
        "4k3/2p1p1p1/8/3P1P2/2p1p3/8/1P1P1P2/4K3 b - - 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    ];
    let mut starts: Vec<Position> =
        fens.iter().map(|fen| Position::from_fen(fen).expect("it is a position")).collect();
    starts.extend([Position::start(), Position::chess960(0).unwrap()]);
    starts.push(Position::chess960(500).unwrap());
    starts
}

/// Plays a random game and returns its moves and positions.
fn random_game(start: Position, plies: usize, random: &mut Random) -> (Vec<Move>, Vec<Position>) {
    let (mut moves, mut positions) = (Vec::new(), vec![start]);
    let mut now = start;
    for _ in 0..plies {
        let legal = now.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[random.below(legal.len())];
        now = now.play_unchecked(mv);
        moves.push(mv);
        positions.push(now);
    }
    (moves, positions)
}

#[test]
fn a_replayed_board_equals_the_position_of_the_rules() {
    let mut random = Random(1);
    for round in 0..40 {
        for start in starts() {
            let (moves, positions) = random_game(start, 120, &mut random);
            let mut board = Replay::new(&start);
            for (mv, pair) in moves.iter().zip(positions.windows(2)) {
                let packed = PackedMove::new(Played::Move(*mv), &pair[1]);
                assert_eq!(packed.unpack(&pair[0]), Some(*mv));
                board.play(packed);
                assert_eq!(board, Replay::new(&pair[1]), "round {round}: {}", pair[1].to_fen());
            }
        }
    }
}

#[test]
fn a_null_move_passes_the_turn_and_ends_en_passant() {
    let start = starts()[2];
    let mut board = Replay::new(&start);
    let after = start.null_move().unwrap();
    let packed = PackedMove::new(Played::Null, &after);
    assert_eq!(packed.unpack(&start), None);
    board.play(packed);
    assert_eq!(board, Replay::new(&after));
}

/// Writes random games from all starting positions as a PGN file.
fn random_file(count: usize) -> (Vec<u8>, Vec<Vec<Position>>) {
    let mut random = Random(7);
    let (mut text, mut games) = (String::new(), Vec::new());
    for number in 0..count {
        let starts = starts();
        let start = starts[number % starts.len()];
        let (moves, positions) = random_game(start, 8 + number % 60, &mut random);
        let fen = start.to_fen();
        writeln!(text, "[White \"w{number}\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n").unwrap();
        for (mv, before) in moves.iter().zip(&positions) {
            write!(text, "{} ", san::write(before, *mv)).unwrap();
        }
        text.push_str("*\n\n");
        games.push(positions);
    }
    (text.into_bytes(), games)
}

fn read(file: &[u8]) -> Library {
    let mut library = Library::default();
    library.feed(file).unwrap();
    library.finish().unwrap();
    library
}

/// Filters and returns the numbers of the games, from 0, each with the ply of the position.
fn search(library: &mut Library, filter: Value) -> Vec<(usize, Value)> {
    let mut whole = json!({ "player": "", "opening": "", "tag": "", "is_broken": false });
    whole.as_object_mut().unwrap().append(&mut filter.as_object().unwrap().clone());
    library.set_filter(serde_json::from_value(whole).unwrap()).unwrap();
    let rows = serde_json::to_value(library.rows(&Span { from: 0, count: 1000 })).unwrap();
    let row = |row: &Value| (row["number"].as_u64().unwrap() as usize - 1, row["ply"].clone());
    rows.as_array().unwrap().iter().map(row).collect()
}

/// Compares what makes two positions the same for the rules of repetition.
fn is_same(a: &Position, b: &Position) -> bool {
    let parts = |it: &Position| (*it.pieces(), it.turn(), it.castling_rooks(), it.en_passant());
    parts(a) == parts(b)
}

#[test]
fn a_position_is_found_in_exactly_the_games_that_reach_it() {
    let (file, games) = random_file(120);
    let mut library = read(&file);
    let mut random = Random(3);
    for _ in 0..150 {
        let game = &games[random.below(games.len())];
        let wanted = game[random.below(game.len())];
        let first = |game: &Vec<Position>| game.iter().position(|it| is_same(it, &wanted));
        let expected: Vec<(usize, Value)> = games
            .iter()
            .enumerate()
            .filter_map(|(at, game)| first(game).map(|ply| (at, json!(ply))))
            .collect();
        let found = search(&mut library, json!({ "position": wanted.to_fen() }));
        assert_eq!(found, expected, "{}", wanted.to_fen());
    }
}

#[test]
fn material_is_found_where_it_stays_for_two_plies() {
    let (file, games) = random_file(120);
    let mut library = read(&file);
    let count = |position: &Position, color: Color| {
        let pieces = |role| (position.role(role) & position.color(color)).into_iter().count();
        Role::ALL.map(pieces)
    };
    let letters = |counts: [usize; 6]| -> String {
        let roles = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
        roles.iter().map(|role| role.letter().to_string().repeat(counts[role.index()])).collect()
    };
    let mut found_any = 0;
    for game in games.iter().take(60) {
        let last = game.last().unwrap();
        let (white, black) = (count(last, Color::White), count(last, Color::Black));
        let balance = |it: &Position| (count(it, Color::White), count(it, Color::Black));
        let fits = |it: &Position| [(white, black), (black, white)].contains(&balance(it));
        let expected: Vec<usize> = games
            .iter()
            .enumerate()
            .filter(|(_, game)| {
                game.windows(2).any(|pair| pair.iter().all(fits)) || fits(game.last().unwrap())
            })
            .map(|(at, _)| at)
            .collect();
        for text in [
            format!("{}-{}", letters(white), letters(black)),
            format!("{} v {}", letters(black), letters(white)).to_lowercase(),
            format!("{}{}", letters(white), letters(black)),
        ] {
            let found = search(&mut library, json!({ "material": text }));
            let found: Vec<usize> = found.into_iter().map(|(at, _)| at).collect();
            assert_eq!(found, expected, "{text}");
        }
        found_any += expected.len();
    }
    assert!(found_any > 60, "every game has its own last balance");
}

#[test]
fn a_wrong_position_or_balance_is_refused() {
    let mut library = read(b"[White \"w\"]\n\n1. e4 *\n");
    for wrong in [
        json!({ "position": "nothing" }),
        json!({ "position": "8/8/8/8/8/8/8/8 w - - 0 1" }),
        json!({ "material": "" }),
        json!({ "material": "K" }),
        json!({ "material": "RK-K" }),
        json!({ "material": "KX-K" }),
        json!({ "material": "KKK" }),
        json!({ "material": format!("K{}-K", "P".repeat(16)) }),
    ] {
        let mut filter = json!({ "player": "", "opening": "", "tag": "", "is_broken": false });
        filter.as_object_mut().unwrap().append(&mut wrong.as_object().unwrap().clone());
        let refused = library.set_filter(serde_json::from_value(filter).unwrap());
        assert!(refused.is_err(), "{wrong}");
    }
}

/// Four games, of which the second reaches the position of the others by another order of moves.
const OPENINGS: &[u8] = b"[White \"a\"]\n[WhiteElo \"2000\"]\n[BlackElo \"1000\"]\n[Date \"1990.01.01\"]\n\n\
    1. d4 d5 2. Nf3 Nf6 3. c4 1-0\n\n\
    [White \"b\"]\n[WhiteElo \"2200\"]\n[Date \"2001.??.??\"]\n\n1. Nf3 Nf6 2. d4 d5 3. c4 e6 1/2-1/2\n\n\
    [White \"c\"]\n\n1. d4 Nf6 2. Nf3 d5 3. Bf4 0-1\n\n\
    [White \"d\"]\n[Date \"2020.05.05\"]\n\n1. d4 d5 2. Nf3 Nf6 *\n\n\
    [White \"a\"]\n[WhiteElo \"2000\"]\n[BlackElo \"1000\"]\n[Date \"1990.01.01\"]\n\n\
    1. d4 d5 2. Nf3 Nf6 3. c4 1-0\n\n";

#[test]
fn the_explorer_counts_the_moves_of_the_filtered_games_with_transpositions() {
    let mut library = read(OPENINGS);
    let fen = "rnbqkb1r/ppp1pppp/5n2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 2 3";
    let found = search(&mut library, json!({ "position": fen, "is_unique": true }));
    assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let score = |games, white, draws, black, elo, first_year, last_year| {
        json!({ "games": games, "white": white, "draws": draws, "black": black,
            "elo": elo, "first_year": first_year, "last_year": last_year })
    };
    let explored = serde_json::to_value(library.explore()).unwrap();
    let expected = json!({
        "all": score(4, 1, 1, 1, 2100, 1990, 2020),
        "moves": [
            { "san": "c4", "uci": "c2c4", "score": score(2, 1, 1, 0, 2100, 1990, 2001) },
            { "san": "Bf4", "uci": "c1f4", "score": score(1, 0, 0, 1, 0, 0, 0) },
        ],
    });
    assert_eq!(explored, expected);
    // Only the games of the filter are counted, and copies if they are not left out.
    search(&mut library, json!({ "position": fen, "player": "a" }));
    let explored = serde_json::to_value(library.explore()).unwrap();
    assert_eq!(
        explored["moves"],
        json!([
            { "san": "c4", "uci": "c2c4", "score": score(2, 2, 0, 0, 2000, 1990, 1990) },
        ])
    );
    // Without a position there is nothing to explore.
    search(&mut library, json!({}));
    assert_eq!(serde_json::to_value(library.explore()).unwrap()["moves"], json!([]));
}

#[test]
fn a_search_also_finds_games_that_arrive_later() {
    let mut library = Library::default();
    let fen = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2";
    let filter =
        json!({ "player": "", "opening": "", "tag": "", "is_broken": false, "position": fen });
    library.set_filter(serde_json::from_value(filter).unwrap()).unwrap();
    for piece in OPENINGS.repeat(300).chunks(1000) {
        library.feed(piece).unwrap();
    }
    assert_eq!(library.finish().unwrap().matches, 900);
}
