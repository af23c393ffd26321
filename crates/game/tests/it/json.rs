//! The record as JSON: spelled as documented, read back the same, and nothing else is read.

use castellan_game::{
    ClockStart, End, EndReason, Event, GameId, Moment, Player, PlayerId, Proposal, Recorded,
    Settings, TimeControl,
};
use castellan_rules::{Color, Position, Square, UciMove};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
    assert_eq!(serde_json::to_string(value).expect("plain values"), text);
    assert_eq!(serde_json::from_str::<T>(text).expect(text), *value);
}

#[track_caller]
fn refuse<T: DeserializeOwned + std::fmt::Debug>(text: &str, expected: &str) {
    let error = serde_json::from_str::<T>(text).expect_err(text).to_string();
    assert!(error.contains(expected), "{error}");
}

fn ended(reason: EndReason, winner: Option<Color>) -> Event {
    Event::Ended(End { reason, winner })
}

#[test]
fn every_event_has_its_spelling() {
    let player = Player { id: PlayerId(7), name: "Ada".into(), rating: Some(1500) };
    check(
        &Event::Seated { color: Color::White, player },
        r#"{"type":"seated","color":"white","player":{"id":7,"name":"Ada","rating":1500}}"#,
    );
    let guest = Player { id: PlayerId(8), name: "Bob".into(), rating: None };
    check(
        &Event::Seated { color: Color::Black, player: guest },
        r#"{"type":"seated","color":"black","player":{"id":8,"name":"Bob"}}"#,
    );
    check(&Event::Started {}, r#"{"type":"started"}"#);
    let mv = UciMove::parse("e7e8q").unwrap();
    check(
        &Event::Moved { ply: 3, mv, spent_ms: 9, compensated_ms: 1, remaining_ms: Some(5) },
        r#"{"type":"moved","ply":3,"mv":"e7e8q","spent_ms":9,"compensated_ms":1,"remaining_ms":5}"#,
    );
    check(
        &Event::Moved { ply: 3, mv, spent_ms: 9, compensated_ms: 0, remaining_ms: None },
        r#"{"type":"moved","ply":3,"mv":"e7e8q","spent_ms":9,"compensated_ms":0}"#,
    );
    check(&Event::Touched { square: Square::E4 }, r#"{"type":"touched","square":"e4"}"#);
    check(
        &Event::Offered { by: Color::Black, what: Proposal::Draw },
        r#"{"type":"offered","by":"black","what":"draw"}"#,
    );
    check(
        &Event::Declined { by: Color::White, what: Proposal::Takeback },
        r#"{"type":"declined","by":"white","what":"takeback"}"#,
    );
    check(&Event::TakenBack { ply: 4 }, r#"{"type":"taken_back","ply":4}"#);
    check(
        &Event::TimeAdded { to: Color::White, added_ms: 15_000 },
        r#"{"type":"time_added","to":"white","added_ms":15000}"#,
    );
    check(&Event::Resumed { credited_ms: 12 }, r#"{"type":"resumed","credited_ms":12}"#);
    check(
        &ended(EndReason::Timeout, Some(Color::Black)),
        r#"{"type":"ended","reason":"timeout","winner":"black"}"#,
    );
    check(&ended(EndReason::Agreement, None), r#"{"type":"ended","reason":"agreement"}"#);
    check(&Event::RematchAgreed {}, r#"{"type":"rematch_agreed"}"#);
    check(
        &Recorded { version: 1, at: Moment::from_millis(5), event: Event::Started {} },
        r#"{"version":1,"at":5,"event":{"type":"started"}}"#,
    );
}

#[test]
fn every_reason_for_an_end_has_its_spelling() {
    for (reason, text) in [
        (EndReason::Checkmate, "checkmate"),
        (EndReason::Stalemate, "stalemate"),
        (EndReason::DeadPosition, "dead_position"),
        (EndReason::FivefoldRepetition, "fivefold_repetition"),
        (EndReason::SeventyFiveMoves, "seventy_five_moves"),
        (EndReason::ThreefoldRepetition, "threefold_repetition"),
        (EndReason::FiftyMoves, "fifty_moves"),
        (EndReason::Resignation, "resignation"),
        (EndReason::Agreement, "agreement"),
        (EndReason::Timeout, "timeout"),
        (EndReason::TimeoutAgainstNoMate, "timeout_against_no_mate"),
        (EndReason::Abandoned, "abandoned"),
        (EndReason::PlyLimit, "ply_limit"),
        (EndReason::Unstated, "unstated"),
        (EndReason::Aborted, "aborted"),
    ] {
        check(&reason, &format!("\"{text}\""));
    }
}

#[test]
fn settings_have_their_spelling() {
    let settings = Settings {
        start: Position::start(),
        is_chess960: false,
        time_control: TimeControl::Increment { initial_ms: 180_000, increment_ms: 2_000 },
        clock_start: ClockStart::Game,
        is_rated: true,
        is_touch_move: false,
        allows_takeback: false,
    };
    check(
        &settings,
        concat!(
            r#"{"start":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","#,
            r#""is_chess960":false,"#,
            r#""time_control":{"type":"increment","initial_ms":180000,"increment_ms":2000},"#,
            r#""clock_start":"game","is_rated":true,"is_touch_move":false,"#,
            r#""allows_takeback":false}"#,
        ),
    );
    check(&TimeControl::Unlimited {}, r#"{"type":"unlimited"}"#);
    check(&TimeControl::CountUp {}, r#"{"type":"count_up"}"#);
    check(
        &TimeControl::Delay { initial_ms: 5, delay_ms: 1 },
        r#"{"type":"delay","initial_ms":5,"delay_ms":1}"#,
    );
    check(&ClockStart::FirstMove, r#""first_move""#);
}

#[test]
fn settings_differ_by_the_counters_of_their_start() {
    let settings = |fen: &str| Settings {
        start: Position::from_fen(fen).unwrap(),
        is_chess960: false,
        time_control: TimeControl::Unlimited {},
        clock_start: ClockStart::Game,
        is_rated: false,
        is_touch_move: false,
        allows_takeback: false,
    };
    let [early, late] = ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w Q - 9 30"];
    assert_eq!(settings(early), settings(early));
    assert_ne!(settings(early), settings(late));
}

#[test]
fn unknown_names_are_errors() {
    refuse::<Event>(r#"{"type":"exploded"}"#, "unknown variant");
    refuse::<Event>(r#"{"type":"started","why":1}"#, "unknown field");
    refuse::<Event>(r#"{"type":"taken_back","ply":1,"by":"white"}"#, "unknown field");
    refuse::<Event>(r#"{"type":"ended","reason":"agreement","loser":"white"}"#, "unknown field");
    refuse::<Recorded>(r#"{"version":1,"at":5,"event":{"type":"started"},"x":0}"#, "unknown field");
    refuse::<TimeControl>(r#"{"type":"unlimited","initial_ms":5}"#, "unknown field");
    refuse::<Event>(r#"{"type":"touched","square":"e9"}"#, "expected a square");
    refuse::<Event>(r#"{"type":"offered","by":"red","what":"draw"}"#, "unknown variant");
    refuse::<GameId>(r#""abc""#, "expected a game ID of 12 characters");
    refuse::<GameId>(r#""abc/56789012""#, "at byte 3");
}

pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    let color = || prop_oneof![Just(Color::White), Just(Color::Black)];
    let what = || proptest::sample::select(Proposal::ALL.to_vec());
    let square = || (0..64_usize).prop_map(|index| Square::from_index(index).expect("below 64"));
    let mv =
        (square(), square()).prop_map(|(from, to)| UciMove::Normal { from, to, promotion: None });
    let player = (any::<u64>(), any::<String>(), any::<Option<u16>>())
        .prop_map(|(id, name, rating)| Player { id: PlayerId(id), name, rating });
    prop_oneof![
        (color(), player).prop_map(|(color, player)| Event::Seated { color, player }),
        (any::<u32>(), mv, any::<(u64, u64, Option<u64>)>()).prop_map(|(ply, mv, times)| {
            let (spent_ms, compensated_ms, remaining_ms) = times;
            Event::Moved { ply, mv, spent_ms, compensated_ms, remaining_ms }
        }),
        square().prop_map(|square| Event::Touched { square }),
        (color(), what()).prop_map(|(by, what)| Event::Offered { by, what }),
        (color(), what()).prop_map(|(by, what)| Event::Declined { by, what }),
        any::<u32>().prop_map(|ply| Event::TakenBack { ply }),
        (color(), any::<u64>()).prop_map(|(to, added_ms)| Event::TimeAdded { to, added_ms }),
        any::<u64>().prop_map(|credited_ms| Event::Resumed { credited_ms }),
        proptest::option::of(color()).prop_map(|winner| ended(EndReason::Abandoned, winner)),
    ]
}

proptest! {
    #[test]
    fn written_values_read_back(version: u32, at: u64, event in any_event()) {
        let recorded = Recorded { version, at: Moment::from_millis(at), event };
        let text = serde_json::to_string(&recorded).unwrap();
        prop_assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), recorded);
    }

    #[test]
    fn names_of_games_read_back(bytes: [u8; 16]) {
        let id = GameId::from_random(bytes);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        let text = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(text.len(), 14);
        prop_assert_eq!(serde_json::from_str::<GameId>(&text).unwrap(), id);
    }

    #[test]
    fn settings_of_any_chess960_start_read_back(number in 0..960_u16, initial_ms: u32) {
        let settings = Settings {
            start: Position::chess960(number).unwrap(),
            is_chess960: true,
            time_control: TimeControl::Delay { initial_ms, delay_ms: 1 },
            clock_start: ClockStart::Game,
            is_rated: false,
            is_touch_move: true,
            allows_takeback: true,
        };
        let text = serde_json::to_string(&settings).unwrap();
        prop_assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    }
}
