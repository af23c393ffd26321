//! Strategies that generate random messages of every kind.

use castellan_game::{
    End, EndReason, Event, GameId, Moment, Player, PlayerId, Proposal, Recorded, Settings,
    TimeControl,
};
use castellan_protocol::simple::{
    GameEnd, GameStart, MatchmakeRequest, ResponseToOffer, SimpleClientMessage, SimpleError,
    SimpleMove, SimpleServerMessage,
};
use castellan_protocol::{
    Announcement, Chat, ChatHistory, ChatLine, ChatText, Claim, ClientMessage, ClockView,
    ClocksView, Code, CreateInvitation, ErrorReport, Feature, Features, GameEvent, GameRef, Hello,
    Invitation, InvitationId, InvitationRef, Level, MAX_LEVEL, MIN_LEVEL, MakeMove, MoveText, Mute,
    Name, Nothing, OfferView, Ping, PlayEngine, Pong, Presence, PresenceView, ProposalRef, Queued,
    RatingChange, Ratings, Refused, Resync, Seat, Seek, ServerCode, ServerMessage, SessionToken,
    ShuttingDown, Snapshot, Terms, Touch, Welcome, You,
};
use castellan_rules::{Color, Promotion, Square, UciMove};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn name() -> impl Strategy<Value = Name> {
    let letters = prop_oneof![
        "[a-zA-Z0-9]{2,20}",
        "[a-z]{1,8}[-_.' ][A-Z0-9]{1,8}",
        "[а-я]{2,20}",
        "[α-ω]{2,20}",
        "[ぁ-ん一-龠]{2,20}",
        "[अ-ह]{2,20}",
    ];
    letters.prop_filter_map("a name", |text| text.parse().ok())
}

pub(crate) fn chat_text() -> impl Strategy<Value = ChatText> {
    let text = prop_oneof!["[ -~]{1,200}", "\\PC{1,80}", "[a-z\"\\\\<>&/ ♔🎉]{1,60}"];
    text.prop_filter_map("a line of chat", |text| text.parse().ok())
}

fn words() -> impl Strategy<Value = String> {
    any::<String>()
}

fn game_id() -> impl Strategy<Value = GameId> {
    any::<[u8; 16]>().prop_map(GameId::from_random)
}

fn color() -> impl Strategy<Value = Color> {
    select(&Color::ALL)
}

fn square() -> impl Strategy<Value = Square> {
    (0_usize..64).prop_map(|index| Square::from_index(index).expect("below 64"))
}

fn uci_move() -> impl Strategy<Value = UciMove> {
    let normal = (square(), square(), option::of(select(&Promotion::ALL)))
        .prop_map(|(from, to, promotion)| UciMove::Normal { from, to, promotion });
    prop_oneof![9 => normal, 1 => Just(UciMove::Null)]
}

fn proposal() -> impl Strategy<Value = Proposal> {
    select(&Proposal::ALL)
}

fn moment() -> impl Strategy<Value = Moment> {
    any::<u64>().prop_map(Moment::from_millis)
}

fn time_control() -> impl Strategy<Value = TimeControl> {
    let initial = TimeControl::MIN_INITIAL_MS..=TimeControl::MAX_INITIAL_MS;
    let step = 0..=TimeControl::MAX_STEP_MS;
    prop_oneof![
        Just(TimeControl::Unlimited {}),
        Just(TimeControl::CountUp {}),
        (initial.clone(), step.clone()).prop_map(|(initial_ms, increment_ms)| {
            TimeControl::Increment { initial_ms, increment_ms }
        }),
        (initial, step)
            .prop_map(|(initial_ms, delay_ms)| TimeControl::Delay { initial_ms, delay_ms }),
    ]
}

const STARTS: [&str; 3] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 7",
    "nrkqbbrn/pppppppp/8/8/8/8/PPPPPPPP/NRKQBBRN w GBgb - 0 1",
];

pub(crate) fn terms() -> impl Strategy<Value = Terms> {
    let fen = option::of(select(STARTS.as_slice()).prop_map(str::to_owned));
    (time_control(), fen, any::<[bool; 4]>()).prop_map(|(time_control, fen, flags)| Terms {
        time_control,
        fen,
        is_chess960: flags[0],
        is_rated: flags[1],
        is_touch_move: flags[2],
        allows_takeback: flags[3],
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    terms().prop_map(|terms| {
        let plain = Terms { is_rated: false, ..terms.clone() };
        let settings = plain.settings().expect("the starts are sound");
        Settings { is_rated: terms.is_rated, ..settings }
    })
}

fn level() -> impl Strategy<Value = Level> {
    let elo = (MIN_LEVEL..=MAX_LEVEL).prop_map(|elo| Level::from_elo(elo).expect("a level"));
    prop_oneof![elo, Just(Level::FULL)]
}

fn invitation_id() -> impl Strategy<Value = InvitationId> {
    "[a-zA-Z0-9_-]{22,64}".prop_map(|text| text.parse().expect("a token"))
}

fn session() -> impl Strategy<Value = SessionToken> {
    "[a-zA-Z0-9_-]{22,64}".prop_map(|text| text.parse().expect("a token"))
}

fn features() -> impl Strategy<Value = Features> {
    let feature =
        "[a-z]{1,10}( [a-z]{1,10})?".prop_map(|text| text.parse::<Feature>().expect("a feature"));
    vec(feature, 0..16).prop_map(|features| features.try_into().expect("few of them"))
}

fn game_ref() -> impl Strategy<Value = GameRef> {
    game_id().prop_map(|game| GameRef { game })
}

fn invitation_ref() -> impl Strategy<Value = InvitationRef> {
    invitation_id().prop_map(|invitation| InvitationRef { invitation })
}

fn proposal_ref() -> impl Strategy<Value = ProposalRef> {
    (game_id(), proposal()).prop_map(|(game, what)| ProposalRef { game, what })
}

fn client_arrival() -> impl Strategy<Value = ClientMessage> {
    let hello = (any::<u16>(), option::of(name()), option::of(session()), features());
    let invite = (terms(), option::of(color()));
    let engine = (level(), terms(), option::of(color()));
    prop_oneof![
        hello.prop_map(|(version, name, session, features)| {
            ClientMessage::Hello(Hello { version, name, session, features })
        }),
        (time_control(), any::<bool>()).prop_map(|(time_control, is_rated)| {
            ClientMessage::Seek(Seek { time_control, is_rated })
        }),
        Just(ClientMessage::CancelSeek(Nothing {})),
        invite.prop_map(|(terms, color)| {
            ClientMessage::CreateInvitation(CreateInvitation { terms, color })
        }),
        invitation_ref().prop_map(ClientMessage::ShowInvitation),
        invitation_ref().prop_map(ClientMessage::AcceptInvitation),
        invitation_ref().prop_map(ClientMessage::CancelInvitation),
        engine.prop_map(|(level, terms, color)| {
            ClientMessage::PlayEngine(PlayEngine { level, terms, color })
        }),
    ]
}

fn client_at_game() -> impl Strategy<Value = ClientMessage> {
    let claim = (game_id(), any::<u32>(), option::of(uci_move()));
    prop_oneof![
        game_ref().prop_map(ClientMessage::Watch),
        game_ref().prop_map(ClientMessage::Leave),
        (game_id(), any::<u32>())
            .prop_map(|(game, version)| ClientMessage::Resync(Resync { game, version })),
        (game_id(), any::<u32>(), uci_move())
            .prop_map(|(game, ply, mv)| ClientMessage::MakeMove(MakeMove { game, ply, mv })),
        (game_id(), any::<u32>(), square())
            .prop_map(|(game, ply, square)| ClientMessage::Touch(Touch { game, ply, square })),
        game_ref().prop_map(ClientMessage::Resign),
        proposal_ref().prop_map(ClientMessage::Offer),
        proposal_ref().prop_map(ClientMessage::Accept),
        proposal_ref().prop_map(ClientMessage::Decline),
        claim.prop_map(|(game, ply, announced)| {
            ClientMessage::Claim(Claim { game, ply, announced })
        }),
        game_ref().prop_map(ClientMessage::Abort),
        game_ref().prop_map(ClientMessage::AddTime),
        (game_id(), chat_text()).prop_map(|(game, text)| ClientMessage::Chat(Chat { game, text })),
        (name(), any::<bool>())
            .prop_map(|(name, is_muted)| ClientMessage::Mute(Mute { name, is_muted })),
        any::<u32>().prop_map(|id| ClientMessage::Ping(Ping { id })),
    ]
}

/// Any message of a client.
pub(crate) fn client_message() -> impl Strategy<Value = ClientMessage> {
    prop_oneof![client_arrival(), client_at_game()]
}

fn player() -> impl Strategy<Value = Player> {
    let id = any::<u64>().prop_map(PlayerId);
    (id, words(), option::of(any::<u16>())).prop_map(|(id, name, rating)| Player {
        id,
        name,
        rating,
    })
}

fn end() -> impl Strategy<Value = End> {
    (select(&EndReason::ALL), option::of(color()))
        .prop_map(|(reason, winner)| End { reason, winner })
}

/// Any event of a game.
fn event() -> impl Strategy<Value = Event> {
    let moved = (any::<u32>(), uci_move(), any::<[u64; 2]>(), option::of(any::<u64>()));
    prop_oneof![
        (color(), player()).prop_map(|(color, player)| Event::Seated { color, player }),
        Just(Event::Started {}),
        moved.prop_map(|(ply, mv, [spent_ms, compensated_ms], remaining_ms)| {
            Event::Moved { ply, mv, spent_ms, compensated_ms, remaining_ms }
        }),
        square().prop_map(|square| Event::Touched { square }),
        (color(), proposal()).prop_map(|(by, what)| Event::Offered { by, what }),
        (color(), proposal()).prop_map(|(by, what)| Event::Declined { by, what }),
        any::<u32>().prop_map(|ply| Event::TakenBack { ply }),
        (color(), any::<u64>()).prop_map(|(to, added_ms)| Event::TimeAdded { to, added_ms }),
        any::<u64>().prop_map(|credited_ms| Event::Resumed { credited_ms }),
        end().prop_map(Event::Ended),
        Just(Event::RematchAgreed {}),
    ]
}

fn clocks() -> impl Strategy<Value = ClocksView> {
    let clock = || {
        (option::of(any::<u64>()), any::<u64>())
            .prop_map(|(remaining_ms, used_ms)| ClockView { remaining_ms, used_ms })
    };
    (clock(), clock(), option::of(color()), moment())
        .prop_map(|(white, black, running, at)| ClocksView { white, black, running, at })
}

fn presence() -> impl Strategy<Value = PresenceView> {
    (any::<[bool; 2]>(), any::<u32>(), option::of(moment())).prop_map(
        |([white, black], watchers, abandoned_at)| PresenceView {
            white,
            black,
            watchers,
            abandoned_at,
        },
    )
}

fn seats() -> impl Strategy<Value = (Option<Player>, Option<Player>, Option<Seat>)> {
    let you = option::of(select(&[Seat::White, Seat::Black, Seat::Both]));
    (option::of(player()), option::of(player()), you)
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let offers = vec((color(), proposal()), 0..3)
        .prop_map(|all| all.into_iter().map(|(by, what)| OfferView { by, what }).collect());
    let board = (settings(), vec(uci_move(), 0..30), vec(square(), 0..3), option::of(end()));
    let around = (clocks(), offers, presence(), option::of(level()), any::<bool>());
    let games = (game_id(), any::<u32>(), option::of(game_id()), option::of(game_id()));
    let times = (option::of(moment()), option::of(moment()));
    (games, seats(), times, board, around).prop_map(|(games, seats, times, board, around)| {
        let (game, version, rematch_of, rematch) = games;
        let (white, black, you) = seats;
        let (started_at, ended_at) = times;
        let (settings, moves, touched, end) = board;
        let (clocks, offers, presence, level, can_abort) = around;
        let moves = MoveText(moves);
        Snapshot {
            game,
            version,
            settings,
            white,
            black,
            you,
            started_at,
            ended_at,
            moves,
            clocks,
            offers,
            touched,
            end,
            can_abort,
            presence,
            level,
            rematch_of,
            rematch,
        }
    })
}

fn code() -> impl Strategy<Value = Code> {
    let any = "[a-z_]{1,40}".prop_map(|text| text.try_into().expect("a code"));
    prop_oneof![any, select(ServerCode::ALL).prop_map(Code::from)]
}

fn welcome() -> impl Strategy<Value = Welcome> {
    let you = (words(), any::<bool>(), option::of(any::<u16>()))
        .prop_map(|(name, is_guest, rating)| You { name, is_guest, rating });
    (any::<u16>(), features(), you, option::of(session()), vec(game_id(), 0..4), moment()).prop_map(
        |(version, features, you, session, games, at)| Welcome {
            version,
            features,
            you,
            session,
            games,
            at,
        },
    )
}

fn invitation() -> impl Strategy<Value = Invitation> {
    (invitation_id(), words(), terms(), option::of(color()), moment()).prop_map(
        |(invitation, by, terms, color, until)| Invitation { invitation, by, terms, color, until },
    )
}

fn game_event() -> impl Strategy<Value = GameEvent> {
    (game_id(), any::<u32>(), moment(), event(), option::of(clocks())).prop_map(
        |(game, version, at, event, clocks)| {
            GameEvent::new(game, &Recorded { version, at, event }, clocks)
        },
    )
}

fn chat_line() -> impl Strategy<Value = ChatLine> {
    (game_id(), words(), option::of(color()), words(), moment())
        .prop_map(|(game, name, color, text, at)| ChatLine { game, name, color, text, at })
}

fn chat_history() -> impl Strategy<Value = ChatHistory> {
    (game_id(), vec(chat_line(), 0..4)).prop_map(|(game, lines)| ChatHistory { game, lines })
}

fn ratings() -> impl Strategy<Value = Ratings> {
    let change = || any::<[u16; 2]>().prop_map(|[before, after]| RatingChange { before, after });
    (game_id(), change(), change()).prop_map(|(game, white, black)| Ratings { game, white, black })
}

fn refused() -> impl Strategy<Value = Refused> {
    (client_message(), code(), words()).prop_map(|(request, code, message)| Refused {
        of: (&request).into(),
        game: request.game(),
        code,
        message,
    })
}

fn server_about_people() -> impl Strategy<Value = ServerMessage> {
    let queued = (time_control(), any::<bool>(), any::<u32>());
    prop_oneof![
        welcome().prop_map(ServerMessage::Welcome),
        queued.prop_map(|(time_control, is_rated, waiting)| {
            ServerMessage::Queued(Queued { time_control, is_rated, waiting })
        }),
        Just(ServerMessage::SeekEnded(Nothing {})),
        invitation().prop_map(ServerMessage::Invitation),
        invitation_ref().prop_map(ServerMessage::InvitationGone),
        chat_line().prop_map(ServerMessage::ChatLine),
        chat_history().prop_map(ServerMessage::ChatHistory),
        refused().prop_map(ServerMessage::Refused),
        (code(), words(), option::of(any::<u32>())).prop_map(|(code, message, at)| {
            ServerMessage::Error(ErrorReport { code, message, at })
        }),
        (any::<u32>(), moment()).prop_map(|(id, at)| ServerMessage::Pong(Pong { id, at })),
        any::<u32>().prop_map(|about_s| ServerMessage::ShuttingDown(ShuttingDown { about_s })),
        words().prop_map(|text| ServerMessage::Announcement(Announcement { text })),
    ]
}

fn server_about_games() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![
        snapshot().prop_map(|snapshot| ServerMessage::Game(Box::new(snapshot))),
        game_event().prop_map(ServerMessage::Event),
        (game_id(), presence())
            .prop_map(|(game, presence)| { ServerMessage::Presence(Presence { game, presence }) }),
        ratings().prop_map(ServerMessage::Ratings),
    ]
}

/// Any message of the server.
pub(crate) fn server_message() -> impl Strategy<Value = ServerMessage> {
    prop_oneof![server_about_people(), server_about_games()]
}

pub(crate) fn simple_move() -> impl Strategy<Value = SimpleMove> {
    (square(), square(), option::of(select(&Promotion::ALL)))
        .prop_map(|(from, to, promotion)| SimpleMove { from, to, promotion })
}

fn response() -> impl Strategy<Value = ResponseToOffer> {
    any::<bool>().prop_map(|accepted| ResponseToOffer { accepted })
}

/// Any message of a client of the plain protocol.
pub(crate) fn simple_client_message() -> impl Strategy<Value = SimpleClientMessage> {
    prop_oneof![
        name().prop_map(|username| {
            SimpleClientMessage::MatchmakeRequest(MatchmakeRequest { username })
        }),
        simple_move().prop_map(SimpleClientMessage::MakeMove),
        Just(SimpleClientMessage::DrawOffer(Nothing {})),
        response().prop_map(SimpleClientMessage::ResponseToOffer),
        Just(SimpleClientMessage::Surrender(Nothing {})),
        option::of(color()).prop_map(|winner| SimpleClientMessage::GameEnd(GameEnd { winner })),
    ]
}

/// Any message of the server in the plain protocol.
pub(crate) fn simple_server_message() -> impl Strategy<Value = SimpleServerMessage> {
    prop_oneof![
        (words(), color()).prop_map(|(opponent, color)| {
            SimpleServerMessage::GameStart(GameStart { opponent, color })
        }),
        simple_move().prop_map(SimpleServerMessage::MakeMove),
        Just(SimpleServerMessage::DrawOffer(Nothing {})),
        response().prop_map(SimpleServerMessage::ResponseToOffer),
        Just(SimpleServerMessage::Surrender(Nothing {})),
        option::of(color()).prop_map(|winner| SimpleServerMessage::GameEnd(GameEnd { winner })),
        words().prop_map(|message| SimpleServerMessage::Error(SimpleError { message })),
    ]
}
