//! Clocks: what a move costs, what is forgiven, and when a flag falls.

use std::time::Duration;

use castellan_game::{
    Actor, ClockStart, Command, End, EndReason, Event, GIFT_MS, LagQuota, MAX_GIFTS, Moment,
    Proposal, Settings, TimeControl, TimeControlError,
};
use castellan_rules::Color::{Black, White};

use crate::support::{BEGIN, BLACK, START, Table, UNSEATED, WHITE, move_at, settings, uci};

const THREE_MINUTES: TimeControl =
    TimeControl::Increment { initial_ms: 180_000, increment_ms: 2_000 };

fn lagging(table: &Table, text: &str, lag_ms: u64) -> Command {
    Command::Move { ply: table.game.ply(), mv: uci(text), lag: Duration::from_millis(lag_ms) }
}

fn away(ms: u64) -> Command {
    Command::Resume { away: Duration::from_millis(ms) }
}

#[test]
fn a_move_costs_its_time_and_brings_the_increment() {
    let mut table = Table::timed(180_000, 2_000);
    let events = table.wait(10_000).act(WHITE, move_at(0, "e2e4"));
    let mv = uci("e2e4");
    let moved = Event::Moved {
        ply: 0,
        mv,
        spent_ms: 10_000,
        compensated_ms: 0,
        remaining_ms: Some(172_000),
    };
    assert_eq!(events, [moved]);
    table.wait(3_000);
    assert_eq!((table.left(White), table.left(Black)), (172_000, 177_000));
    assert_eq!(table.game.played()[0].remaining_ms, Some(172_000));
}

#[test]
fn a_delay_is_waited_before_the_clock_runs_and_is_not_saved_up() {
    let control = TimeControl::Delay { initial_ms: 60_000, delay_ms: 5_000 };
    let mut table = Table::with(settings(START, control));
    table.wait(2_000).play("e2e4");
    assert_eq!(table.left(White), 60_000);
    table.wait(5_000);
    assert_eq!(table.left(Black), 60_000);
    table.wait(1_500).play("e7e5");
    assert_eq!(table.left(Black), 58_500);
}

#[test]
fn count_up_shows_the_time_used_and_never_ends_a_game() {
    let mut table = Table::with(settings(START, TimeControl::CountUp {}));
    table.wait(10_000).play("e2e4").wait(86_400_000);
    let clocks = table.game.clocks(Moment::from_millis(table.now));
    assert_eq!((clocks.white.used_ms, clocks.black.used_ms), (10_000, 86_400_000));
    assert_eq!(clocks.white.remaining_ms, None);
    assert_eq!((clocks.running, table.game.deadline()), (Some(Black), None));
    assert_eq!(table.refused(WHITE, Command::Flag).code(), "no_clock");
}

#[test]
fn without_a_limit_time_is_not_kept() {
    let mut table = Table::untimed(START);
    table.wait(5_000).play("e2e4").wait(5_000);
    let clocks = table.game.clocks(Moment::from_millis(table.now));
    assert_eq!((clocks.running, clocks.white.used_ms), (None, 0));
    assert_eq!(table.refused(WHITE, Command::AddTime).code(), "no_clock");
}

#[test]
fn online_whites_clock_starts_with_the_game() {
    let mut table = Table::timed(60_000, 0);
    table.wait(1_000);
    assert_eq!(table.left(White), 59_000);
    assert_eq!(table.game.clocks(Moment::from_millis(table.now)).running, Some(White));
}

#[test]
fn at_one_board_the_clock_starts_with_the_first_move() {
    let clock_start = ClockStart::FirstMove;
    let mut table = Table::with(Settings { clock_start, ..settings(START, THREE_MINUTES) });
    table.wait(500_000);
    assert_eq!((table.left(White), table.game.deadline()), (180_000, None));
    table.play("e2e4").wait(1_000);
    assert_eq!((table.left(White), table.left(Black)), (182_000, 179_000));
}

#[test]
fn time_on_the_wire_is_forgiven() {
    let mut table = Table::timed(180_000, 2_000);
    let command = lagging(&table, "e2e4", 120);
    table.wait(1_000).act(WHITE, command);
    let played = table.game.played()[0];
    assert_eq!((played.spent_ms, played.compensated_ms), (880, 120));
    assert_eq!(table.left(White), 180_000 - 880 + 2_000);
}

#[test]
fn a_liar_is_forgiven_the_quota_and_no_more() {
    let quota = LagQuota::of(THREE_MINUTES);
    assert_eq!(quota, LagQuota { gain_ms: 400, start_ms: 800, max_ms: 1_600 });
    let mut table = Table::timed(180_000, 2_000);
    let mut forgiven = Vec::new();
    for (white, black) in [("g1f3", "g8f6"), ("f3g1", "f6g8")].repeat(3) {
        let command = lagging(&table, white, 60_000);
        table.wait(5_000).act(WHITE, command);
        forgiven.push(table.game.played().last().unwrap().compensated_ms);
        table.play(black);
    }
    assert_eq!(forgiven, [800, 400, 400, 400, 400, 400]);
    assert_eq!(table.game.lag_quota_ms(Black), quota.max_ms);
}

#[test]
fn quick_controls_forgive_a_fifth_of_an_average_move() {
    let bullet = TimeControl::Increment { initial_ms: 60_000, increment_ms: 0 };
    assert_eq!(LagQuota::of(bullet).gain_ms, 300);
    assert_eq!(LagQuota::of(TimeControl::CountUp {}).max_ms, 0);
}

#[test]
fn a_flag_is_refused_while_a_message_on_the_wire_could_save_the_player() {
    let mut table = Table::timed(60_000, 0);
    let deadline = BEGIN + 60_000 + LagQuota::of(table.game.settings().time_control).start_ms;
    assert_eq!(table.game.deadline(), Some(Moment::from_millis(deadline)));
    table.now = deadline - 1;
    assert_eq!(table.refused(BLACK, Command::Flag).code(), "time_not_up");
    table.now = deadline;
    table.act(BLACK, Command::Flag);
    table.assert_score("0-1", "Black wins by timeout");
    assert_eq!(table.left(White), 0);
}

#[test]
fn anybody_with_a_seat_and_the_server_may_say_that_a_flag_has_fallen() {
    for by in [WHITE, BLACK, Actor::Server] {
        let mut table = Table::timed(60_000, 0);
        table.wait(70_000).act(by, Command::Flag);
        assert_eq!(table.end(), End::win(EndReason::Timeout, Black));
    }
    assert_eq!(
        Table::timed(1_000, 0).wait(70_000).refused(UNSEATED, Command::Flag).code(),
        "not_seated"
    );
}

#[test]
fn a_move_after_the_own_flag_has_fallen_loses_on_time() {
    let mut table = Table::timed(60_000, 0);
    let events = table.wait(60_000).act(WHITE, move_at(0, "e2e4"));
    assert_eq!(events, [Event::Ended(End::win(EndReason::Timeout, Black))]);
    assert_eq!(table.game.ply(), 0);
}

#[test]
fn a_move_in_the_last_millisecond_is_in_time() {
    let mut table = Table::timed(60_000, 0);
    table.wait(59_999).play("e2e4");
    assert_eq!(table.left(White), 1);
}

#[test]
fn whatever_is_said_after_a_flag_has_fallen_ends_the_game_on_time() {
    for command in [
        Command::Resign,
        Command::Abort,
        Command::AddTime,
        Command::Offer(Proposal::Draw),
        Command::Claim { ply: 0, announced: None, lag: Duration::ZERO },
    ] {
        let mut table = Table::timed(60_000, 0);
        table.wait(70_000).act(WHITE, command);
        assert_eq!(table.end(), End::win(EndReason::Timeout, Black));
    }
}

#[test]
fn timeout_against_a_player_who_cannot_mate_is_a_draw() {
    let control = TimeControl::Increment { initial_ms: 1_000, increment_ms: 0 };
    for (fen, reason) in [
        // A lone king cannot mate, a knight can with a pawn's help, once it is a rook.
        ("7k/8/8/8/8/8/4P3/4K3 w - - 0 1", EndReason::TimeoutAgainstNoMate),
        ("6nk/8/8/8/8/8/4P3/4K3 w - - 0 1", EndReason::Timeout),
        // A bishop and pawns could mate, but these never get out.
        ("k1b5/1pPp4/1P1P3p/1P6/5P1P/5PNR/3NPBBQ/4K2R w K - 0 1", EndReason::TimeoutAgainstNoMate),
    ] {
        let mut table = Table::with(settings(fen, control));
        table.wait(5_000).act(BLACK, Command::Flag);
        assert_eq!(table.end().reason, reason, "{fen}");
    }
}

#[test]
fn an_earlier_now_counts_as_the_last_event() {
    let mut table = Table::timed(60_000, 0);
    table.wait(10_000).play("e2e4");
    table.now -= 9_000;
    table.play("e7e5");
    assert_eq!((table.left(White), table.left(Black)), (50_000, 60_000));
    assert_eq!(table.game.last_at(), Moment::from_millis(BEGIN + 10_000));
}

#[test]
fn a_move_that_arrived_before_a_credit_was_stored_is_charged_until_it_arrived() {
    let mut table = Table::timed(60_000, 0);
    table.wait(10_000).play("e2e4");
    let arrived = table.wait(3_000).now;
    table.wait(4_000).act(Actor::Server, away(2_000));
    table.now = arrived;
    table.play("e7e5");
    assert_eq!(table.left(Black), 59_000);
    assert_eq!(table.game.last_at(), Moment::from_millis(BEGIN + 17_000));
}

#[test]
fn the_time_the_server_was_away_is_credited() {
    let mut table = Table::timed(60_000, 0);
    table.wait(10_000).play("e2e4");
    table.wait(2_000 + 100_000).act(Actor::Server, away(100_000));
    assert_eq!(table.left(Black), 58_000);
    table.wait(1_000).play("e7e5");
    assert_eq!((table.left(Black), table.left(White)), (57_000, 50_000));
}

#[test]
fn no_more_is_credited_than_the_clock_has_run() {
    let mut table = Table::timed(60_000, 0);
    table.wait(10_000).play("e2e4");
    let events = table.wait(5_000).act(Actor::Server, away(1_000_000));
    assert_eq!(events, [Event::Resumed { credited_ms: 5_000 }]);
    assert_eq!(table.left(Black), 60_000);
    assert_eq!(table.act(Actor::Server, away(1_000)), []);
    assert_eq!(table.refused(WHITE, away(1_000)).code(), "server_only");
}

#[test]
fn an_absence_does_not_save_a_player_whose_flag_fell_before() {
    let mut table = Table::timed(10_000, 0);
    table.wait(20_000 + 5_000).act(Actor::Server, away(5_000));
    table.act(BLACK, Command::Flag);
    assert_eq!(table.end().reason, EndReason::Timeout);
}

#[test]
fn time_can_be_given_to_the_opponent_so_many_times() {
    let mut table = Table::timed(60_000, 0);
    for _ in 0..MAX_GIFTS {
        let events = table.act(WHITE, Command::AddTime);
        assert_eq!(events, [Event::TimeAdded { to: Black, added_ms: GIFT_MS }]);
    }
    assert_eq!(table.left(Black), 60_000 + u64::from(MAX_GIFTS) * GIFT_MS);
    assert_eq!(table.refused(WHITE, Command::AddTime).code(), "gifts_spent");
    table.act(BLACK, Command::AddTime);
    assert_eq!(table.left(White), 75_000);
}

#[test]
fn clocks_stand_still_after_the_end() {
    let mut table = Table::timed(60_000, 0);
    table.wait(5_000).act(BLACK, Command::Resign);
    table.wait(30_000);
    let clocks = table.game.clocks(Moment::from_millis(table.now));
    assert_eq!((clocks.running, clocks.white.remaining_ms), (None, Some(55_000)));
    assert_eq!(table.game.deadline(), None);
}

#[test]
fn a_takeback_sets_the_clocks_back_and_keeps_what_was_given() {
    let mut table = Table::timed(60_000, 1_000);
    table.wait(5_000).play("e2e4").wait(7_000).play("e7e5").wait(3_000);
    table.act(BLACK, Command::AddTime);
    table.act(WHITE, Command::Offer(Proposal::Takeback));
    table.wait(2_000).act(BLACK, Command::Accept(Proposal::Takeback));
    assert_eq!((table.game.ply(), table.left(White), table.left(Black)), (0, 75_000, 60_000));
    table.wait(1_000);
    assert_eq!((table.left(White), table.left(Black)), (74_000, 60_000));
}

#[test]
fn unplayable_time_controls_are_refused() {
    let increment = |initial_ms, increment_ms| TimeControl::Increment { initial_ms, increment_ms };
    assert_eq!(increment(180_000, 2_000).check(), Ok(()));
    assert_eq!(TimeControl::Unlimited {}.check(), Ok(()));
    assert_eq!(increment(999, 5_000).check(), Err(TimeControlError::TooShort(999)));
    assert_eq!(increment(86_400_001, 0).check(), Err(TimeControlError::TooLong(86_400_001)));
    let delay = TimeControl::Delay { initial_ms: 60_000, delay_ms: 600_001 };
    assert_eq!(delay.check(), Err(TimeControlError::StepTooLong(600_001)));
}
