//! Seats and moves: who may move what and when.

use castellan_game::{
    Actor, Command, Event, Game, Moment, Proposal, Recorded, Settings, TimeControl,
};
use castellan_rules::Color;

use crate::support::{BEGIN, BLACK, START, Table, UNSEATED, WHITE, move_at, player, settings, uci};

const UNLIMITED: TimeControl = TimeControl::Unlimited {};

fn seat(color: Color, id: u64) -> Command {
    Command::Seat { color, player: player(id) }
}

#[test]
fn the_game_starts_when_both_are_seated() {
    let mut table = Table::empty(settings(START, UNLIMITED));
    assert_eq!(table.act(WHITE, seat(Color::White, 1)).len(), 1);
    assert_eq!(table.refused(WHITE, move_at(0, "e2e4")).code(), "not_started");
    assert_eq!(table.refused(WHITE, Command::Resign).code(), "not_started");
    let events = table.act(BLACK, seat(Color::Black, 2));
    assert!(matches!(events[..], [Event::Seated { .. }, Event::Started {}]));
    assert_eq!(table.game.seats().get(Color::Black), Some(&player(2)));
    assert!(table.game.is_running());
}

#[test]
fn a_player_cannot_take_a_taken_seat_or_seat_another_player() {
    let mut table = Table::empty(settings(START, UNLIMITED));
    table.act(WHITE, seat(Color::White, 1));
    assert_eq!(table.act(WHITE, seat(Color::White, 1)), []);
    assert_eq!(table.refused(BLACK, seat(Color::White, 2)).code(), "seat_taken");
    assert_eq!(table.refused(WHITE, seat(Color::Black, 2)).code(), "not_you");
}

#[test]
fn a_player_cannot_play_a_rated_game_against_themselves() {
    let mut table = Table::empty(Settings { is_rated: true, ..settings(START, UNLIMITED) });
    table.act(WHITE, seat(Color::White, 1));
    assert_eq!(table.refused(WHITE, seat(Color::Black, 1)).code(), "same_player");
}

#[test]
fn a_player_with_both_seats_moves_for_both() {
    let mut table = Table::empty(settings(START, UNLIMITED));
    table.act(WHITE, seat(Color::White, 1));
    table.act(WHITE, seat(Color::Black, 1));
    table.act(WHITE, move_at(0, "e2e4"));
    table.act(WHITE, move_at(1, "e7e5"));
    assert_eq!(table.act(WHITE, move_at(0, "e2e4")), []);
    assert_eq!(table.act(WHITE, move_at(1, "e7e5")), []);
    table.act(WHITE, Command::Offer(Proposal::Draw));
    table.act(WHITE, Command::Accept(Proposal::Draw));
    table.act(WHITE, Command::Offer(Proposal::Rematch));
    table.act(WHITE, Command::Accept(Proposal::Rematch));
    assert!(table.game.is_rematch_agreed());
}

#[test]
fn only_the_player_to_move_moves() {
    let mut table = Table::untimed(START);
    assert_eq!(table.refused(BLACK, move_at(0, "e2e4")).code(), "not_your_turn");
    assert_eq!(table.refused(BLACK, move_at(0, "e7e5")).code(), "not_your_turn");
    assert_eq!(table.refused(UNSEATED, move_at(0, "e2e4")).code(), "not_seated");
    assert_eq!(table.refused(Actor::Server, move_at(0, "e2e4")).code(), "not_seated");
}

#[test]
fn a_move_for_another_ply_is_refused() {
    let mut table = Table::untimed(START);
    table.play("e2e4");
    assert_eq!(table.refused(WHITE, move_at(0, "d2d4")).code(), "stale");
    assert_eq!(table.refused(BLACK, move_at(0, "e2e4")).code(), "stale");
    assert_eq!(table.refused(WHITE, move_at(2, "d2d4")).code(), "ahead");
    assert_eq!(table.refused(BLACK, move_at(9, "d7d5")).code(), "ahead");
    assert_eq!(
        table.refused(WHITE, move_at(0, "d2d4")).to_string(),
        "this command is for ply 0, but the next ply is 1"
    );
}

#[test]
fn a_repeat_is_harmless_even_after_the_end() {
    let mut table = Table::untimed(START);
    table.play("f2f3 e7e5 g2g4 d8h4");
    let version = table.game.version();
    assert_eq!(table.act(BLACK, move_at(3, "d8h4")), []);
    assert_eq!(table.act(WHITE, move_at(0, "f2f3")), []);
    assert_eq!(table.game.version(), version);
}

#[test]
fn an_illegal_move_says_why_and_the_game_goes_on() {
    let mut table = Table::untimed("4k3/8/8/8/7b/8/5N2/4K3 w - - 0 1");
    let refusal = table.refused(WHITE, move_at(0, "f2g4"));
    assert_eq!(refusal.code(), "illegal_move");
    assert_eq!(refusal.to_string(), "the knight on f2 is pinned to the king");
    assert_eq!(table.refused(WHITE, move_at(0, "0000")).code(), "illegal_move");
    assert!(table.game.is_running());
}

#[test]
fn castling_is_recorded_as_the_settings_spell_it() {
    let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    for (is_chess960, expected) in [(false, "e1g1"), (true, "e1h1")] {
        let mut table = Table::with(Settings { is_chess960, ..settings(fen, UNLIMITED) });
        let spelled = |events: &[Event]| match &events[0] {
            Event::Moved { mv, .. } => mv.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(spelled(&table.act(WHITE, move_at(0, "e1h1"))), expected);
        assert_eq!(table.act(WHITE, move_at(0, "e1g1")), []);
    }
}

#[test]
fn a_record_with_a_gap_or_a_wrong_move_is_refused_with_the_reason() {
    let mut table = Table::untimed(START);
    table.play("e2e4 e7e5");
    let replay = |record: &[Recorded]| {
        let created = Moment::from_millis(BEGIN);
        Game::replay(settings(START, UNLIMITED), created, record).map_err(|error| error.to_string())
    };
    assert_eq!(replay(&table.record).unwrap(), table.game);
    let mut gap = table.record.clone();
    gap.remove(3);
    assert_eq!(replay(&gap).unwrap_err(), "expected event 4, found event 5");
    let mut wrong = table.record.clone();
    if let Event::Moved { mv, .. } = &mut wrong[4].event {
        *mv = uci("e7e4");
    }
    assert_eq!(replay(&wrong).unwrap_err(), "event 5: a pawn cannot move from e7 to e4");
    let mut twice = table.record.clone();
    twice[3].event = Event::Started {};
    assert_eq!(replay(&twice).unwrap_err(), "event 4 cannot happen: the game has already started");
}
