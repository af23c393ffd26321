//! What a game writes into a PGN reads back as the same.

use castellan_game::{End, EndReason, Event, Moment, TimeControl};
use castellan_pgn::{Game as Pgn, GameResult};
use castellan_rules::Color;
use proptest::prelude::*;

use crate::support::{BEGIN, START, Table, settings};

const NOW: Moment = Moment::from_millis(BEGIN);

fn written(control: TimeControl) -> Pgn {
    Table::with(settings(START, control)).game.to_pgn(Some(NOW))
}

fn with_tags(result: GameResult, tags: &[(&str, &str)]) -> Pgn {
    let mut pgn = Pgn::default();
    pgn.result = result;
    tags.iter().for_each(|(name, value)| pgn.tags.set(name, value));
    pgn
}

fn any_control() -> impl Strategy<Value = TimeControl> {
    let times = || (1..=86_400_000_u32, 0..=86_400_000_u32);
    prop_oneof![
        1 => Just(TimeControl::CountUp {}),
        1 => Just(TimeControl::Unlimited {}),
        4 => times().prop_map(|(initial_ms, increment_ms)| {
            TimeControl::Increment { initial_ms, increment_ms }
        }),
        4 => times().prop_map(|(initial_ms, delay_ms)| {
            TimeControl::Delay { initial_ms, delay_ms }
        }),
    ]
}

proptest! {
    #[test]
    fn a_time_control_reads_back(control in any_control()) {
        prop_assert_eq!(TimeControl::of_pgn(&written(control)), control);
    }

    #[test]
    fn any_text_is_some_time_control(text in "[-+?/0-9.e: ]{0,12}", delay in "[-+0-9.]{0,6}") {
        let tags = [("TimeControl", &*text), ("Delay", &*delay), ("WhiteClock", "0:01:00")];
        let control = TimeControl::of_pgn(&with_tags(GameResult::Open, &tags));
        prop_assert_eq!(TimeControl::of_pgn(&written(control)), control);
    }
}

#[test]
fn an_end_reads_back() {
    for reason in EndReason::ALL {
        for winner in [Some(Color::White), Some(Color::Black), None] {
            let end = End { reason, winner };
            if end.is_consistent() {
                let mut game = Table::untimed(START).game;
                let recorded = game.record(vec![Event::Ended(end)], NOW);
                game.evolve(&recorded[0]).expect("the game is running");
                let pgn = game.to_pgn(None);
                assert_eq!((End::of_pgn(&pgn), pgn.result.as_str()), (Some(end), end.score()));
            }
        }
    }
}

#[test]
fn an_end_has_no_reason_that_the_tags_do_not_state() {
    let [white, black] = [Color::White, Color::Black].map(GameResult::Win);
    let [normal, abandoned, timeout] =
        ["Normal", "Abandoned", "Time forfeit"].map(|word| [("Termination", word)]);
    for (result, tags, expected) in [
        (white, &[][..], Some(End::win(EndReason::Unstated, Color::White))),
        (black, &normal[..], Some(End::win(EndReason::Unstated, Color::Black))),
        (black, &abandoned[..], Some(End::win(EndReason::Abandoned, Color::Black))),
        (black, &timeout[..], Some(End::win(EndReason::Timeout, Color::Black))),
        (GameResult::Draw, &[], Some(End::without_winner(EndReason::Unstated))),
        (GameResult::Draw, &timeout, Some(End::without_winner(EndReason::TimeoutAgainstNoMate))),
        (GameResult::Open, &timeout, None),
        (GameResult::Open, &[], None),
    ] {
        assert_eq!(End::of_pgn(&with_tags(result, tags)), expected, "{result}");
    }
    let contradiction = with_tags(white, &[("Ending", "Black wins by checkmate")]);
    assert_eq!(End::of_pgn(&contradiction), Some(End::win(EndReason::Unstated, Color::White)));
}

#[test]
fn an_update_keeps_what_is_still_true() {
    let mut table = Table::timed(60_000, 0);
    let mut pgn = table.game.to_pgn(Some(NOW));
    pgn.tags.set("TimeControl", "60.0");
    pgn.tags.set("Termination", "unterminated");
    table.game.update_pgn(&mut pgn, Some(NOW));
    assert_eq!(pgn.tags.get("TimeControl"), Some("60.0"), "it is the same time");
    let end = End::win(EndReason::Resignation, Color::White);
    let recorded = table.game.record(vec![Event::Ended(end)], NOW);
    table.game.evolve(&recorded[0]).expect("the game is running");
    table.game.update_pgn(&mut pgn, Some(NOW));
    assert_eq!(pgn.tags.get("Termination"), Some("normal"));
    assert_eq!((End::of_pgn(&pgn), pgn.result), (Some(end), GameResult::Win(Color::White)));
}
