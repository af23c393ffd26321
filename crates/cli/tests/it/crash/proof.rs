//! What must be true after a server has come back.

use std::time::Duration;

use castellan_game::{Event, Game, Moment, Proposal, Recorded};
use castellan_protocol::{ClocksView, GameEvent, OfferView, Snapshot};
use castellan_rules::{Color, UciMove};
use castellan_store::StoredGame;

use super::pair::{Memory, Pair, spelled};

/// What rounding to milliseconds and the time between two readings of a clock may amount to.
const SLACK_MS: u64 = 50;
/// The server gives larger debts back at once.
const OWED_MS: u64 = 1_000;
/// What a move adds to a clock, as the tables are set up.
const INCREMENT_MS: u64 = 1_000;

/// Everything that was announced is in the snapshot. Whether a move is there of which nobody has
/// heard: it was stored, but the server died before it could say so.
pub(super) fn assert_kept(memory: &Memory, seen: &Snapshot) -> bool {
    let announced: Vec<UciMove> = memory.line.moves().iter().map(|&mv| spelled(mv)).collect();
    let (kept, more) = seen.moves.0.split_at_checked(announced.len()).unwrap_or_else(|| {
        panic!("moves are lost: {:?} of {announced:?}", seen.moves);
    });
    assert_eq!(kept, announced, "moves have changed");
    let unheard: Vec<UciMove> = memory.unheard.iter().map(|&mv| spelled(mv)).collect();
    assert!(more.is_empty() || more == unheard, "moves that nobody made: {more:?}");
    assert!(seen.version >= memory.version(), "{} < {}", seen.version, memory.version());
    assert!(seen.end.is_none(), "the game has ended: {:?}", seen.end);
    let has_unheard = !more.is_empty();
    assert_offer(memory, seen, has_unheard);
    if let Some(last) = memory.events.values().rev().find(|event| event.clocks.is_some()) {
        let moves_since = seen.moves.0.len() - moves_up_to(memory, last.version);
        assert_clocks(memory, last, seen, moves_since as u64);
    }
    has_unheard
}

/// How many moves had been made at a version. The line may have more of them: a move can be known
/// from a snapshot alone, without an event that says what the clocks showed.
fn moves_up_to(memory: &Memory, version: u32) -> usize {
    let last = memory.events.range(..=version).rev().find_map(|(_, told)| match told.event {
        Event::Moved { ply, .. } => Some(ply as usize + 1),
        _ => None,
    });
    last.unwrap_or(0)
}

/// The draw offer that was announced last and not answered since, if there is one.
pub(super) fn open_offer(memory: &Memory) -> Option<Color> {
    let mut offer = None;
    let mut heard = 0;
    for (version, GameEvent { event, .. }) in &memory.events {
        if let Event::Moved { ply, .. } = event {
            heard = ply + 1;
        }
        match event {
            Event::Offered { by, what: Proposal::Draw } if *version > memory.answered_up_to => {
                offer = Some(*by);
            }
            Event::Declined { what: Proposal::Draw, .. } => offer = None,
            // Whoever moves instead of answering declines (FIDE 9.1.2.1).
            Event::Moved { ply, .. } if offer == Some(!color_of(*ply)) => offer = None,
            _ => {}
        }
    }
    // A move may be known from a snapshot alone, if the server died before the event came.
    let known = u32::try_from(memory.line.moves().len()).expect("games are short");
    offer.filter(|by| (heard..known).all(|ply| color_of(ply) == *by))
}

fn color_of(ply: u32) -> Color {
    if ply.is_multiple_of(2) { Color::White } else { Color::Black }
}

fn assert_offer(memory: &Memory, seen: &Snapshot, has_unheard: bool) {
    let Some(by) = open_offer(memory) else {
        return;
    };
    let mover = memory.line.turn();
    if has_unheard && mover != by {
        return;
    }
    let is_there = seen.offers.contains(&OfferView { by, what: Proposal::Draw });
    // An answer, too, may be stored without anybody having heard of it.
    let may_be_answered = seen.version > memory.version() && by == mover;
    assert!(is_there || may_be_answered, "the offer of {by} is lost: {:?}", seen.offers);
}

/// The clock that stood shows what it showed; the one that ran has not run while the server was
/// away.
fn assert_clocks(memory: &Memory, last: &GameEvent, seen: &Snapshot, moves_since: u64) {
    let before = last.clocks.expect("it was chosen for them");
    for color in Color::ALL {
        let (was, is) = (remaining(&before, color), remaining(&seen.clocks, color));
        // A move is given its increment, and what it spent on the wire may be forgiven. What the
        // server owes for its own slowness is given back by the end of the turn.
        let gained = OWED_MS + moves_since * (INCREMENT_MS + SLACK_MS);
        assert!(is <= was + gained, "{color} has won time: {was} ms, then {is} ms");
        let ran = before.running == Some(color) || moves_since > 0;
        // A debt that was not large enough to be written down dies with the server.
        let forgotten = if memory.away.is_zero() { 0 } else { OWED_MS };
        let may_have_run = if ran { here_ms(memory, last.at, seen) + forgotten } else { 0 };
        assert!(
            is + may_have_run >= was,
            "{color} has lost time: {was} ms, then {is} ms, though at most {may_have_run} ms \
             have passed with a server"
        );
    }
}

fn remaining(clocks: &ClocksView, color: Color) -> u64 {
    color.fold(clocks.white, clocks.black).remaining_ms.expect("these clocks count down")
}

/// How long a server was there between an event and a snapshot.
fn here_ms(memory: &Memory, from: Moment, seen: &Snapshot) -> u64 {
    let away_ms = u64::try_from(Duration::as_millis(&memory.away)).expect("not that long");
    seen.clocks.at.since_ms(from).saturating_sub(away_ms) + SLACK_MS
}

/// Whatever either player has seen stands in the record as it was announced, and the record gives
/// the clocks that were announced, to the millisecond.
pub(super) fn assert_recorded(pair: &Pair, stored: &StoredGame) {
    for event in pair.memory().events.values() {
        let GameEvent { version, at, event, .. } = event.clone();
        let announced = Recorded { version, at, event };
        let kept = stored.events.get(version as usize - 1);
        assert_eq!(kept, Some(&announced), "pair {}", pair.number());
    }
    assert_clocks_follow(pair.memory(), stored);
    let moves = stored.events.iter().filter(|it| matches!(it.event, Event::Moved { .. })).count();
    assert_eq!(moves, pair.memory().line.moves().len(), "pair {}", pair.number());
}

/// The clocks of every announcement are those that the record leads to. A turn begins when it is
/// announced, so then nobody's time has passed. Later in the turn the clock that runs shows no less
/// than the record says and no more than at its beginning: the server may owe the player time.
fn assert_clocks_follow(memory: &Memory, stored: &StoredGame) {
    let mut game = Game::new(stored.settings.clone(), stored.created);
    let mut turn_at = stored.created;
    for recorded in &stored.events {
        game.evolve(recorded).expect("the record can be followed");
        let begins_turn = matches!(
            recorded.event,
            Event::Started {} | Event::Moved { .. } | Event::TakenBack { .. }
        );
        if begins_turn {
            turn_at = recorded.at;
        }
        let announced = memory.events.get(&recorded.version).and_then(|event| event.clocks);
        let Some(announced) = announced else { continue };
        assert!(announced.at >= recorded.at, "{recorded:?}, announced at {:?}", announced.at);
        let shown_at = |moment| ClocksView::new(game.clocks(moment), announced.at);
        let most = shown_at(turn_at);
        let least = if begins_turn { most } else { shown_at(announced.at) };
        assert_eq!(announced.running, most.running, "{recorded:?}");
        for color in Color::ALL {
            let range = remaining(&least, color)..=remaining(&most, color);
            assert!(
                range.contains(&remaining(&announced, color)),
                "{color} {range:?}: {announced:?}"
            );
        }
    }
}
