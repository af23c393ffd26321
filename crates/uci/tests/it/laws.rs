//! A written message parses back to the same value, and no input makes a parser panic.

use std::time::Duration;

use castellan_rules::{Promotion, Square, UciMove};
use castellan_uci::{
    BestMove, Bound, CheckState, CurrentLine, EngineOption, EngineReply, Go, GuiCommand, Id,
    OptionKind, PositionCommand, Register, Report, Score, ScoreValue, SetOption, Start,
    WinDrawLoss,
};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Names and values whose words are no keywords.
fn name() -> impl Strategy<Value = String> {
    "[A-Z][a-z0-9]{0,6}( [A-Z][a-z0-9_]{0,5}){0,3}"
}

fn square() -> impl Strategy<Value = Square> {
    select(Square::ALL.to_vec())
}

fn mv() -> impl Strategy<Value = UciMove> {
    let promotions =
        [Promotion::Queen, Promotion::Rook, Promotion::Bishop, Promotion::Knight].to_vec();
    let normal = (square(), square(), option::of(select(promotions)))
        .prop_map(|(from, to, promotion)| UciMove::Normal { from, to, promotion });
    prop_oneof![20 => normal, 1 => Just(UciMove::Null)]
}

fn moves() -> impl Strategy<Value = Vec<UciMove>> {
    prop::collection::vec(mv(), 0..12)
}

fn time() -> impl Strategy<Value = Option<Duration>> {
    option::of(any::<u64>().prop_map(Duration::from_millis))
}

fn go() -> impl Strategy<Value = GuiCommand> {
    let limits = (option::of(any::<u32>()), option::of(any::<u32>()), option::of(any::<u64>()));
    let times = (time(), time(), time(), time(), time());
    (moves(), any::<(bool, bool)>(), times, limits, option::of(any::<u32>())).prop_map(
        |(search_moves, flags, times, (moves_to_go, depth, nodes), mate)| {
            GuiCommand::Go(Box::new(Go {
                search_moves,
                is_ponder: flags.0,
                is_infinite: flags.1,
                white_time: times.0,
                black_time: times.1,
                white_increment: times.2,
                black_increment: times.3,
                move_time: times.4,
                moves_to_go,
                depth,
                nodes,
                mate,
            }))
        },
    )
}

fn position() -> impl Strategy<Value = GuiCommand> {
    let fen = Just(Start::Fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned()));
    let start = prop_oneof![Just(Start::Startpos), fen];
    (start, moves())
        .prop_map(|(start, moves)| GuiCommand::Position(PositionCommand { start, moves }))
}

fn command() -> impl Strategy<Value = GuiCommand> {
    let set = (name(), option::of(prop_oneof![name(), Just(String::new())]))
        .prop_map(|(name, value)| GuiCommand::SetOption(SetOption { name, value }));
    let register = (option::of(name()), option::of(name()))
        .prop_map(|(name, code)| GuiCommand::Register(Register::Now { name, code }));
    let bare = select(vec![
        GuiCommand::Uci,
        GuiCommand::Debug(true),
        GuiCommand::Debug(false),
        GuiCommand::IsReady,
        GuiCommand::Register(Register::Later),
        GuiCommand::UciNewGame,
        GuiCommand::Stop,
        GuiCommand::PonderHit,
        GuiCommand::Quit,
    ]);
    prop_oneof![bare, set, register, position(), go()]
}

fn score() -> impl Strategy<Value = Score> {
    let value = prop_oneof![
        any::<i32>().prop_map(ScoreValue::Centipawns),
        any::<i32>().prop_map(ScoreValue::Mate)
    ];
    (value, select(vec![Bound::Exact, Bound::Lower, Bound::Upper]))
        .prop_map(|(value, bound)| Score { value, bound })
}

fn current_line() -> impl Strategy<Value = CurrentLine> {
    (option::of(any::<u32>()), moves()).prop_map(|(cpu, moves)| CurrentLine { cpu, moves })
}

fn win_draw_loss() -> impl Strategy<Value = WinDrawLoss> {
    any::<(u16, u16, u16)>().prop_map(|(win, draw, loss)| WinDrawLoss { win, draw, loss })
}

prop_compose! {
    fn report()(
        small in any::<[Option<u32>; 6]>(),
        large in any::<[Option<u64>; 4]>(),
        score in option::of(score()),
        win_draw_loss in option::of(win_draw_loss()),
        time in time(),
        current_move in option::of(mv()),
        refutation in moves(),
        current_line in option::of(current_line()),
        pv in moves(),
        text in option::of("([a-z]{1,8}( {1,3}[a-z]{1,8}){0,3})?"),
    ) -> EngineReply {
        let [depth, selective_depth, multi_pv, hash_full, cpu_load, current_move_number] = small;
        let [nodes, nodes_per_second, table_hits, shredder_hits] = large;
        EngineReply::Info(Box::new(Report {
            depth, selective_depth, multi_pv, score, win_draw_loss, nodes, nodes_per_second, hash_full,
            table_hits, shredder_hits, cpu_load, time, current_move, current_move_number,
            refutation, current_line, pv, text,
        }))
    }
}

fn option_kind() -> impl Strategy<Value = OptionKind> {
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        any::<(i64, i64, i64)>().prop_map(|(default, min, max)| OptionKind::Spin {
            default,
            min,
            max
        }),
        (name(), prop::collection::vec(name(), 0..4))
            .prop_map(|(default, choices)| OptionKind::Combo { default, choices }),
        Just(OptionKind::Button),
        prop_oneof![name(), Just(String::new())].prop_map(|default| OptionKind::Text { default }),
    ]
}

fn reply() -> impl Strategy<Value = EngineReply> {
    let permission = || select(vec![CheckState::Checking, CheckState::Ok, CheckState::Error]);
    prop_oneof![
        Just(EngineReply::UciOk),
        Just(EngineReply::ReadyOk),
        name().prop_map(|name| EngineReply::Id(Id::Name(name))),
        name().prop_map(|name| EngineReply::Id(Id::Author(name))),
        (option::of(mv()), option::of(mv()))
            .prop_map(|(mv, ponder)| EngineReply::BestMove(BestMove { mv, ponder })),
        permission().prop_map(EngineReply::CopyProtection),
        permission().prop_map(EngineReply::Registration),
        (name(), option_kind())
            .prop_map(|(name, kind)| EngineReply::Option(EngineOption { name, kind })),
        report(),
    ]
}

/// A line of words that mean something, in any order, and of some that do not.
fn word_salad() -> impl Strategy<Value = String> {
    let words = "uci debug on off isready setoption name value register later code ucinewgame \
        position startpos fen moves go searchmoves ponder wtime btime winc binc movestogo depth \
        nodes mate movetime infinite stop ponderhit quit id author uciok readyok bestmove \
        copyprotection checking ok error registration info seldepth time multipv score cp \
        lowerbound upperbound wdl currmove currmovenumber hashfull nps tbhits sbhits cpuload \
        string refutation currline pv option type check spin combo button default min max var \
        true false (none) 0000 e2e4 e7e8q e7e8Q e2e9 -1 0 7 99999999999999999999 +3 -- é <empty>";
    let words: Vec<&str> = words.split_whitespace().collect();
    let gaps = select(vec![" ", "  ", "\t", " \r"]);
    prop::collection::vec((select(words), gaps), 0..16)
        .prop_map(|words| words.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

/// Reads a line as both kinds; what is understood reads back as itself once it is written.
fn settle(line: &str) -> Result<(), TestCaseError> {
    match GuiCommand::parse(line) {
        Ok(command) => {
            prop_assert_eq!(GuiCommand::parse(&command.to_string()), Ok(command));
        }
        Err(error) => prop_assert!(error.at <= line.len()),
    }
    match EngineReply::parse(line) {
        Ok(reply) => {
            prop_assert_eq!(EngineReply::parse(&reply.to_string()), Ok(reply));
        }
        Err(error) => prop_assert!(error.at <= line.len()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_command_is_read_back(command in command()) {
        let line = command.to_string();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(GuiCommand::parse(&line), Ok(command));
    }

    #[test]
    fn a_reply_is_read_back(reply in reply()) {
        let line = reply.to_string();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(EngineReply::parse(&line), Ok(reply));
    }

    #[test]
    fn blanks_do_not_matter(command in command()) {
        let line = format!("\t {}\r\n", command.to_string().replace(' ', "   "));
        let read = GuiCommand::parse(&line).map(|command| command.to_string().replace("   ", " "));
        prop_assert_eq!(read, Ok(command.to_string()));
    }

    #[test]
    fn any_salad_of_words_is_settled(line in word_salad()) {
        settle(&line)?;
    }

    #[test]
    fn any_bytes_are_settled(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        settle(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn a_text_cannot_smuggle_a_second_line_in(text in any::<String>()) {
        let set = SetOption { name: text.clone(), value: Some(text.clone()) };
        prop_assert!(!GuiCommand::SetOption(set).to_string().contains(['\n', '\r']));
        let report = EngineReply::Info(Box::new(Report::of_text(text)));
        prop_assert!(!report.to_string().contains(['\n', '\r']));
    }
}
