use castellan_testkit::oracle::{Oracle, START_FEN};
use castellan_testkit::play::{GameShape, RandomGame, Start, random_games};
use castellan_testkit::scatter::scattered_positions;

fn games(start: Start, count: usize) -> Vec<RandomGame> {
    random_games(42, GameShape { start, ..GameShape::default() }).take(count).collect()
}

/// Counts the positions in which `happens` is true of the position or of the move played there.
fn count(games: &[RandomGame], happens: impl Fn(&Oracle, usize, &RandomGame) -> bool) -> usize {
    let in_game = |game: &RandomGame| {
        game.positions().enumerate().filter(|(ply, position)| happens(position, *ply, game)).count()
    };
    games.iter().map(in_game).sum()
}

#[test]
fn every_move_is_legal_where_it_is_played() {
    for game in games(Start::Chess960, 5) {
        let mut position = game.start.clone();
        for (uci, expected) in game.uci().zip(game.positions().skip(1)) {
            position = position.play_uci(&uci).expect("a random game plays legal moves");
            assert_eq!(position.to_fen(), expected.to_fen());
        }
    }
}

#[test]
fn the_seed_decides() {
    let texts = |seed| -> Vec<String> {
        let games = random_games(seed, GameShape::default()).take(3);
        games.map(|game| game.uci().collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

#[test]
fn games_start_where_they_are_told_and_stop_at_the_limit() {
    let standard = games(Start::Standard, 20);
    assert!(standard.iter().all(|game| game.start.to_fen() == START_FEN));
    assert!(standard.iter().all(|game| game.moves.len() <= 200));
    assert!(standard.iter().any(|game| game.moves.len() == 200));
    let shuffled = games(Start::Chess960, 20);
    assert!(shuffled.iter().filter(|game| game.start.to_fen() != START_FEN).count() > 15);
}

#[test]
fn special_moves_and_checks_are_common() {
    let games = [games(Start::Standard, 60), games(Start::Chess960, 60)].concat();
    let played =
        |position: &Oracle, ply: usize, game: &RandomGame, kind: fn(&Oracle, _) -> bool| {
            game.moves.get(ply).is_some_and(|mv| kind(position, *mv))
        };
    assert!(count(&games, |p, ply, g| played(p, ply, g, Oracle::is_castling)) >= 40);
    assert!(count(&games, |p, ply, g| played(p, ply, g, Oracle::is_en_passant)) >= 20);
    assert!(count(&games, |p, ply, g| played(p, ply, g, |_, mv| mv.promotion.is_some())) >= 200);
    assert!(count(&games, |p, _, _| p.is_check()) >= 1_500);
    assert!(count(&games, |p, _, _| p.is_checkmate()) >= 10);
}

#[test]
fn scattered_positions_have_castling_and_en_passant() {
    let positions: Vec<Oracle> = scattered_positions(42).take(2_000).collect();
    let castles = |p: &Oracle| p.legal_moves().into_iter().any(|mv| p.is_castling(mv));
    assert!(positions.iter().filter(|p| castles(p)).count() >= 40);
    assert!(positions.iter().filter(|p| p.legal_en_passant().is_some()).count() >= 10);
    assert!(positions.iter().filter(|p| p.is_check()).count() >= 400);
    for position in positions {
        let fen = position.to_fen();
        assert_eq!(Oracle::from_fen(&fen).map(|again| again.to_fen()), Ok(fen));
    }
}
