//! Draw offers, takebacks and rematches.

use castellan_game::{
    Command, End, EndReason, Event, MAX_REMATCH_OFFERS, MAX_TAKEBACKS, MOVES_BETWEEN_DRAW_OFFERS,
    Proposal, Settings, TimeControl,
};
use castellan_rules::Color;

use crate::support::{BLACK, START, Table, UNSEATED, WHITE, settings};

const OFFER: Command = Command::Offer(Proposal::Draw);
const ACCEPT: Command = Command::Accept(Proposal::Draw);
const DECLINE: Command = Command::Decline(Proposal::Draw);
const TAKEBACK: Command = Command::Offer(Proposal::Takeback);
const REMATCH: Command = Command::Offer(Proposal::Rematch);

/// Four plies that change nothing but the count.
const ROUND: &str = "g1f3 g8f6 f3g1 f6g8";

#[test]
fn a_draw_is_offered_on_the_own_move_and_agreed() {
    let mut table = Table::untimed(START);
    assert_eq!(table.refused(BLACK, OFFER).code(), "not_your_turn");
    table.act(WHITE, OFFER);
    assert_eq!(table.refused(WHITE, ACCEPT).code(), "nothing_offered");
    table.act(BLACK, ACCEPT);
    table.assert_score("1/2-1/2", "draw by agreement");
}

#[test]
fn an_offer_made_with_a_move_stands_until_the_opponent_moves() {
    let mut table = Table::untimed(START);
    table.act(WHITE, OFFER);
    table.play("e2e4");
    assert_eq!(table.game.offer(Proposal::Draw), Some(Color::White));
    table.play("e7e5");
    assert_eq!(table.game.offer(Proposal::Draw), None);
    assert_eq!(table.refused(BLACK, ACCEPT).code(), "nothing_offered");
}

#[test]
fn a_draw_can_be_declined_but_not_withdrawn() {
    let mut table = Table::untimed(START);
    table.act(WHITE, OFFER);
    assert_eq!(table.refused(WHITE, DECLINE).code(), "cannot_withdraw");
    assert_eq!(table.refused(UNSEATED, DECLINE).code(), "not_seated");
    assert_eq!(
        table.act(BLACK, DECLINE),
        [Event::Declined { by: Color::Black, what: Proposal::Draw }]
    );
    assert_eq!(table.refused(BLACK, DECLINE).code(), "nothing_offered");
}

#[test]
fn two_offers_are_an_agreement() {
    let mut table = Table::untimed(START);
    table.act(WHITE, OFFER);
    table.play("e2e4").act(BLACK, OFFER);
    assert_eq!(table.end(), End::without_winner(EndReason::Agreement));
}

#[test]
fn a_draw_is_not_offered_again_for_some_moves() {
    let mut table = Table::untimed(START);
    table.act(WHITE, OFFER);
    assert_eq!(table.refused(WHITE, OFFER).code(), "already_offered");
    table.act(BLACK, DECLINE);
    let mut own_moves = 0;
    for mv in ROUND.split_whitespace().cycle() {
        if table.mover() == WHITE {
            let is_refused = table.try_act(WHITE, &OFFER).is_err();
            assert_eq!(is_refused, own_moves < MOVES_BETWEEN_DRAW_OFFERS);
            own_moves += 1;
        } else if own_moves == 1 {
            // The limit is each player's own.
            table.act(BLACK, OFFER);
            table.act(WHITE, DECLINE);
        }
        if own_moves > MOVES_BETWEEN_DRAW_OFFERS {
            break;
        }
        table.play(mv);
    }
}

#[test]
fn a_takeback_gives_the_asker_the_move_again() {
    for (asker, other, left) in [(WHITE, BLACK, 2), (BLACK, WHITE, 1)] {
        let mut table = Table::untimed(START);
        table.play("e2e4 e7e5 d2d4");
        table.act(asker, TAKEBACK);
        let events = table.act(other, Command::Accept(Proposal::Takeback));
        assert_eq!(events, [Event::TakenBack { ply: left }]);
        assert_eq!(table.mover(), asker);
        assert_eq!(table.game.played().len(), left as usize);
        assert_eq!(table.game.offer(Proposal::Takeback), None);
    }
}

#[test]
fn only_a_player_who_has_moved_can_take_back() {
    let mut table = Table::untimed(START);
    assert_eq!(table.refused(WHITE, TAKEBACK).code(), "nothing_to_take_back");
    table.play("e2e4");
    assert_eq!(table.refused(BLACK, TAKEBACK).code(), "nothing_to_take_back");
    table.act(WHITE, TAKEBACK);
}

#[test]
fn a_takeback_lapses_with_a_move_and_can_be_withdrawn() {
    let mut table = Table::untimed(START);
    table.play("e2e4").act(WHITE, TAKEBACK);
    table.act(WHITE, Command::Decline(Proposal::Takeback));
    assert_eq!(table.refused(WHITE, TAKEBACK).code(), "offered_too_often");
    table.play("e7e5 d2d4").act(WHITE, TAKEBACK);
    assert_eq!(table.refused(BLACK, TAKEBACK).code(), "answer_first");
    table.play("e5d4");
    let accept = Command::Accept(Proposal::Takeback);
    assert_eq!(table.refused(BLACK, accept).code(), "nothing_offered");
}

#[test]
fn takebacks_need_the_setting_and_have_a_limit() {
    let unlimited = settings(START, TimeControl::Unlimited {});
    let mut table = Table::with(Settings { allows_takeback: false, ..unlimited });
    table.play("e2e4");
    assert_eq!(table.refused(WHITE, TAKEBACK).code(), "takeback_off");
    let mut table = Table::untimed(START);
    for _ in 0..MAX_TAKEBACKS {
        table.play("e2e4").act(WHITE, TAKEBACK);
        table.act(BLACK, Command::Accept(Proposal::Takeback));
    }
    table.play("e2e4");
    assert_eq!(table.refused(WHITE, TAKEBACK).code(), "takebacks_spent");
}

#[test]
fn taking_back_does_not_make_a_begun_game_one_that_can_be_called_off() {
    let mut table = Table::untimed(START);
    table.play("e2e4 e7e5").act(WHITE, TAKEBACK);
    table.act(BLACK, Command::Accept(Proposal::Takeback));
    assert_eq!(table.game.ply(), 0);
    assert_eq!(table.refused(WHITE, Command::Abort).code(), "too_late_to_abort");
    table.play("d2d4");
    assert_eq!(table.refused(BLACK, Command::Abort).code(), "too_late_to_abort");
}

#[test]
fn a_rematch_is_agreed_after_the_end_and_once() {
    let mut table = Table::untimed(START);
    assert_eq!(table.refused(WHITE, REMATCH).code(), "not_over");
    table.act(WHITE, Command::Resign);
    assert_eq!(table.refused(UNSEATED, REMATCH).code(), "not_seated");
    table.act(WHITE, REMATCH);
    assert_eq!(table.game.offer(Proposal::Rematch), Some(Color::White));
    let events = table.act(BLACK, Command::Accept(Proposal::Rematch));
    assert_eq!(events, [Event::RematchAgreed {}]);
    assert!(table.game.is_rematch_agreed());
    assert_eq!(table.refused(BLACK, REMATCH).code(), "rematch_agreed");
}

#[test]
fn two_offers_of_a_rematch_are_an_agreement() {
    let mut table = Table::untimed(START);
    table.act(BLACK, Command::Resign);
    table.act(BLACK, REMATCH);
    assert_eq!(table.act(WHITE, REMATCH), [Event::RematchAgreed {}]);
}

#[test]
fn rematch_offers_are_limited() {
    let mut table = Table::untimed(START);
    table.act(BLACK, Command::Resign);
    for round in 0..MAX_REMATCH_OFFERS {
        table.act(BLACK, REMATCH);
        let by = if round == 0 { BLACK } else { WHITE };
        table.act(by, Command::Decline(Proposal::Rematch));
    }
    assert_eq!(table.refused(BLACK, REMATCH).code(), "offered_too_often");
    table.act(WHITE, REMATCH);
}

#[test]
fn after_the_end_nothing_else_is_accepted() {
    let mut table = Table::untimed(START);
    table.play("e2e4 e7e5").act(WHITE, Command::Resign);
    for command in
        [OFFER, ACCEPT, DECLINE, TAKEBACK, Command::Resign, Command::AddTime, Command::Flag]
    {
        assert_eq!(table.refused(BLACK, command).code(), "over");
    }
    assert_eq!(table.refused(BLACK, Command::Abort).code(), "over");
}
