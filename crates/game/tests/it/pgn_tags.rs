//! What is written into a PGN reads back as the same.

use castellan_game::{End, EndReason, TimeControl};
use castellan_rules::Color;
use proptest::prelude::*;

fn read_control(tags: &[(&'static str, String)]) -> TimeControl {
    TimeControl::from_pgn_tags(|name| value(tags, name))
}

fn value<'a>(tags: &'a [(&'static str, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| value.as_str())
}

fn any_control() -> impl Strategy<Value = TimeControl> {
    let times = || (1..=86_400_000_u32, 0..=86_400_000_u32);
    prop_oneof![
        1 => Just(TimeControl::CountUp {}),
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
        prop_assert_eq!(read_control(&control.pgn_tags()), control);
    }

    #[test]
    fn any_text_is_some_time_control(text in "[-+?/0-9.e: ]{0,12}", delay in "[-+0-9.]{0,6}") {
        let control = read_control(&[("TimeControl", text), ("Delay", delay)]);
        prop_assert_eq!(read_control(&control.pgn_tags()).initial_ms(), control.initial_ms());
    }
}

#[test]
fn an_end_reads_back() {
    for reason in EndReason::ALL {
        for winner in [Some(Color::White), Some(Color::Black), None] {
            let end = End { reason, winner };
            if end.is_consistent() {
                let tags = end.pgn_tags();
                let read = End::from_pgn_tags(end.score(), |name| value(&tags, name));
                assert_eq!(read, Some(end));
            }
        }
    }
}

#[test]
fn an_end_has_no_reason_that_the_tags_do_not_state() {
    let normal = [("Termination", "Normal".to_owned())];
    let abandoned = [("Termination", "Abandoned".to_owned())];
    let timeout = [("Termination", "Time forfeit".to_owned())];
    for (result, tags, expected) in [
        ("1-0", &[][..], Some(End::win(EndReason::Unstated, Color::White))),
        ("0-1", &normal[..], Some(End::win(EndReason::Unstated, Color::Black))),
        ("0-1", &abandoned[..], Some(End::win(EndReason::Abandoned, Color::Black))),
        ("0-1", &timeout[..], Some(End::win(EndReason::Timeout, Color::Black))),
        ("1/2-1/2", &[], Some(End::without_winner(EndReason::Unstated))),
        ("1/2-1/2", &timeout, Some(End::without_winner(EndReason::TimeoutAgainstNoMate))),
        ("*", &timeout, None),
        ("?", &[], None),
    ] {
        assert_eq!(End::from_pgn_tags(result, |name| value(tags, name)), expected, "{result}");
    }
    let contradiction = [("Ending", "Black wins by checkmate".to_owned())];
    let read = End::from_pgn_tags("1-0", |name| value(&contradiction, name));
    assert_eq!(read, Some(End::win(EndReason::Unstated, Color::White)));
}
