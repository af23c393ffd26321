//! Checks of what must be true after a restart.

use std::time::Duration;

use castellan_game::{Event, Game, Moment, Proposal, Recorded};
use castellan_protocol::{ClocksView, GameEvent, OfferView, Snapshot};
use castellan_rules::{Color, UciMove};
use castellan_store::StoredGame;

use super::memory::{Memory, spelled};
use super::pair::Pair;

/// Tolerance for rounding to milliseconds and for the time between two readings of a clock.
const SLACK_MS: u64 = 50;
/// The server credits time that it owes to a player at once if it is more than this.
const OWED_MS: u64 = 1_000;
/// The increment of these games.
const INCREMENT_MS: u64 = 1_000;

/// Checks that the snapshot contains everything that was announced. Returns whether it also
/// contains a move that was stored, but not announced before the server was killed.
pub(super) fn assert_snapshot(memory: &Memory, seen: &Snapshot) -> bool {
    let announced: Vec<UciMove> = memory.line.moves().iter().map(|&mv| spelled(mv)).collect();
    let (kept, more) = seen.moves.0.split_at_checked(announced.len()).unwrap_or_else(|| {
        panic!("moves are lost: {:?} of {announced:?}", seen.moves);
    });
    assert_eq!(kept, announced, "moves have changed");
    let unannounced: Vec<UciMove> = memory.unannounced.iter().map(|&mv| spelled(mv)).collect();
    assert!(more.is_empty() || more == unannounced, "moves that were never sent: {more:?}");
    assert!(seen.version >= memory.version(), "{} < {}", seen.version, memory.version());
    assert!(seen.end.is_none(), "the game has ended: {:?}", seen.end);
    let has_unannounced = !more.is_empty();
    assert_offer(memory, seen, has_unannounced);
    if let Some(last) = memory.events.values().rev().find(|event| event.clocks.is_some()) {
        let moves_since = seen.moves.0.len() - moves_up_to(memory, last.version);
        assert_clocks(memory, last, seen, moves_since as u64);
    }
    has_unannounced
}

/// Returns the number of moves at a version. The line may have more, because a move can be known
/// from a snapshot alone, without an event that has the clocks.
fn moves_up_to(memory: &Memory, version: u32) -> usize {
    let last = memory.events.range(..=version).rev().find_map(|(_, told)| match told.event {
        Event::Moved { ply, .. } => Some(ply as usize + 1),
        _ => None,
    });
    last.unwrap_or(0)
}

/// Returns who made the last announced draw offer, if it has not been answered since.
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
            // A player who moves instead of answering declines (FIDE 9.1.2.1).
            Event::Moved { ply, .. } if offer == Some(!color_of(*ply)) => offer = None,
            _ => {}
        }
    }
    // A move may be known from a snapshot alone, if the server was killed before the announcement.
    let known = u32::try_from(memory.line.moves().len()).expect("games are short");
    offer.filter(|by| (heard..known).all(|ply| color_of(ply) == *by))
}

fn color_of(ply: u32) -> Color {
    if ply.is_multiple_of(2) { Color::White } else { Color::Black }
}

fn assert_offer(memory: &Memory, seen: &Snapshot, has_unannounced: bool) {
    let Some(by) = open_offer(memory) else {
        return;
    };
    let mover = memory.line.turn();
    if has_unannounced && mover != by {
        return;
    }
    let is_there = seen.offers.contains(&OfferView { by, what: Proposal::Draw });
    // A reply, too, may be stored without having been announced.
    let may_be_answered = seen.version > memory.version() && by == mover;
    assert!(is_there || may_be_answered, "the offer of {by} is lost: {:?}", seen.offers);
}

/// Checks that the stopped clock is unchanged, and that the running clock did not run while the
/// server was down.
fn assert_clocks(memory: &Memory, last: &GameEvent, seen: &Snapshot, moves_since: u64) {
    let before = last.clocks.expect("it was chosen for them");
    for color in Color::ALL {
        let (was, is) = (remaining(&before, color), remaining(&seen.clocks, color));
        // A move adds its increment, and network lag may be compensated. The server credits the
        // time that it owes for its own delays by the end of the turn.
        let gained = OWED_MS + moves_since * (INCREMENT_MS + SLACK_MS);
        assert!(is <= was + gained, "{color} has gained time: {was} ms, then {is} ms");
        let ran = before.running == Some(color) || moves_since > 0;
        // Time that the server owes is forgotten in a crash if it was too little to be stored.
        let forgotten = if memory.downtime.is_zero() { 0 } else { OWED_MS };
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

/// Returns how long a server was running between an event and a snapshot.
fn here_ms(memory: &Memory, from: Moment, seen: &Snapshot) -> u64 {
    let away_ms = u64::try_from(Duration::as_millis(&memory.downtime)).expect("not that long");
    seen.clocks.at.since_ms(from).saturating_sub(away_ms) + SLACK_MS
}

/// Checks that every announced event is stored as it was announced, and that the stored events lead
/// to the announced clocks, to the millisecond.
pub(super) fn assert_recorded(pair: &Pair, stored: &StoredGame) {
    assert_stored(pair.memory(), stored, &format!("pair {}", pair.number()));
    assert_clocks_follow(pair.memory(), stored);
}

/// Checks that every announced event is stored as it was announced, and no move twice.
pub(crate) fn assert_stored(memory: &Memory, stored: &StoredGame, who: &str) {
    for event in memory.events.values() {
        let GameEvent { version, at, event, .. } = event.clone();
        let announced = Recorded { version, at, event };
        let kept = stored.events.get(version as usize - 1);
        assert_eq!(kept, Some(&announced), "{who}");
    }
    let moves = stored.events.iter().filter_map(|it| match it.event {
        Event::Moved { mv, .. } => Some(mv),
        _ => None,
    });
    let announced = memory.line.moves().iter().map(|&mv| spelled(mv));
    assert!(moves.eq(announced), "{who}: the stored moves differ from {:?}", memory.line.moves());
}

/// Checks that the clocks of every announcement follow from the stored events. A turn begins when
/// it is announced, so no time has passed at that point. Later in the turn, the running clock shows
/// at least what the events say and at most what it showed at the beginning, because the server may
/// owe the player time.
fn assert_clocks_follow(memory: &Memory, stored: &StoredGame) {
    let mut game = Game::new(stored.settings.clone(), stored.created);
    let mut turn_at = stored.created;
    for recorded in &stored.events {
        game.evolve(recorded).expect("the record can be replayed");
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
