//! Players who wait for an opponent, at any of several nodes.
//!
//! Every node tells its own seeks, again at every beat, and knows those of the others. The node
//! of the later of two seeks that fit begins the game, and the store lets one game at most claim a
//! seek: so news may be lost, late or repeated, and nobody sits down twice. Who was not told that
//! his seek has been answered finds it out from the store.

use std::collections::HashMap;
use std::sync::Arc;

use castellan_game::{GameId, Moment, PlayerId};
use castellan_protocol::{Nothing, Queued, ServerCode, ServerMessage, Terms};

use super::begin::{NotBegun, Plan, SeatPlan, begin_claiming};
use super::hub::Shared;
use super::link::{Dialect, LinkId};
use super::lobby::{Crowded, Seeker, Wish};
use super::lock;
use super::reply::{Asked, encode};
use super::room::{Call, Visitor};
use crate::bus::{Begun, News, NodeId, PER_MESSAGE, Seek, SeekId};
use crate::identity::Identity;
use crate::random::Random;

/// The longest name of a seek that is believed to be one.
const SEEK_BYTES: usize = 32;

/// Everybody who waits, as far as this node knows.
#[derive(Debug)]
pub(crate) struct Waiting {
    own: HashMap<PlayerId, Own>,
    others: HashMap<SeekId, Other>,
    limit: usize,
}

/// Somebody who waits here.
#[derive(Clone, Debug)]
struct Own {
    id: SeekId,
    seeker: Seeker,
    wish: Wish,
    since: Moment,
    /// Whether a game is being begun for him.
    is_taken: bool,
}

/// Somebody who waits at another node.
#[derive(Clone, Debug)]
struct Other {
    node: NodeId,
    who: Arc<Identity>,
    wish: Wish,
    since: Moment,
    heard: Moment,
}

/// One side of a game that might begin.
#[derive(Clone, Debug)]
struct Side {
    id: SeekId,
    who: Arc<Identity>,
    is_own: bool,
}

impl Waiting {
    /// Nobody yet, and so many here at most.
    pub(crate) fn new(limit: usize) -> Waiting {
        Waiting { own: HashMap::new(), others: HashMap::new(), limit }
    }

    /// How many wait for the same.
    fn count(&self, wish: Wish) -> usize {
        self.own.values().filter(|own| own.wish == wish).count()
            + self.others.values().filter(|other| other.wish == wish).count()
    }

    /// An opponent for somebody who waits here: of those who fit the one who came first. Somebody
    /// at another node only if he came before; otherwise it is for that node to begin the game.
    fn table(&mut self, player: PlayerId) -> Option<(Wish, [Side; 2])> {
        let me = self.own.get(&player).filter(|me| !me.is_taken)?.clone();
        if me.seeker.link.is_closing() {
            return None;
        }
        let fits = |who: &Identity, wish| wish == me.wish && who.player != player;
        let own = self.own.values().filter(|own| {
            fits(&own.seeker.who, own.wish) && !own.is_taken && !own.seeker.link.is_closing()
        });
        let own = own.map(|own| (own.since, &own.id, &own.seeker.who, true));
        let others = self.others.iter().filter(|(id, other)| {
            fits(&other.who, other.wish) && (other.since, *id) < (me.since, &me.id)
        });
        let others = others.map(|(id, other)| (other.since, id, &other.who, false));
        let (_, id, who, is_own) = own.chain(others).min_by_key(|it| (it.0, it.1.clone()))?;
        let partner = Side { id: id.clone(), who: Arc::clone(who), is_own };
        for taken in [Some(player), is_own.then_some(partner.who.player)].into_iter().flatten() {
            if let Some(own) = self.own.get_mut(&taken) {
                own.is_taken = true;
            }
        }
        let me = Side { id: me.id, who: me.seeker.who, is_own: true };
        Some((self.own[&player].wish, [partner, me]))
    }

    /// A game did not begin, because another has one of the seeks already.
    fn give_up(&mut self, seeks: [&SeekId; 2], claim: &str) {
        for own in self.own.values_mut().filter(|own| seeks.contains(&&own.id)) {
            own.is_taken = false;
        }
        self.others.retain(|id, _| id.0 != claim);
    }

    /// Takes somebody out who waits here.
    fn remove(&mut self, id: &SeekId) -> Option<Own> {
        let player = self.own.values().find(|own| own.id == *id)?.seeker.who.player;
        self.own.remove(&player)
    }

    /// Those here who might fit a seek that has come to be known.
    fn later_than(&self, seek: &Seek, wish: Wish) -> Vec<PlayerId> {
        let is_later = |own: &&Own| {
            own.wish == wish && !own.is_taken && (own.since, &own.id) > (seek.since, &seek.id)
        };
        self.own.values().filter(is_later).map(|own| own.seeker.who.player).collect()
    }

    fn all_own(&self) -> Vec<Seek> {
        self.own.values().map(Own::told).collect()
    }
}

impl Own {
    fn told(&self) -> Seek {
        let Identity { player, name, is_account, .. } = &*self.seeker.who;
        Seek {
            id: self.id.clone(),
            player: *player,
            name: name.clone(),
            is_account: *is_account,
            time_control: self.wish.time_control,
            is_rated: self.wish.is_rated,
            since: self.since,
        }
    }
}

/// Lets somebody wait, and begins a game if somebody waits already.
pub(crate) fn seek(shared: &Arc<Shared>, seeker: Seeker, wish: Wish) {
    let (link, asked, player) = (Arc::clone(&seeker.link), seeker.asked, seeker.who.player);
    let Ok(secret) = Random::secret::<16>() else {
        return asked.refuse(&link, ServerCode::Internal);
    };
    let id = SeekId(secret.iter().map(|byte| format!("{byte:02x}")).collect());
    let since = shared.services.clock.now();
    let own = Own { id, seeker, wish, since, is_taken: false };
    let told = own.told();
    let mut waiting = lock(&shared.waiting);
    if waiting.own.len() >= waiting.limit && !waiting.own.contains_key(&player) {
        drop(waiting);
        return asked.refuse_in_words(&link, ServerCode::Busy, Crowded.to_string());
    }
    let former = waiting.own.insert(player, own);
    let count = waiting.count(wish);
    drop(waiting);
    if let Some(former) = former {
        withdraw(shared, former, Quietly(true));
    }
    if link.dialect() == Dialect::Full {
        link.say(encode(&ServerMessage::Queued(Queued {
            time_control: wish.time_control,
            is_rated: wish.is_rated,
            waiting: u32::try_from(count).unwrap_or(u32::MAX),
        })));
    }
    shared.services.bus.tell(News::Seeks { seeks: vec![told] });
    pair(shared, player);
}

/// Takes back what a socket asked for; whether there was anything.
pub(crate) fn cancel(shared: &Arc<Shared>, player: PlayerId, link: LinkId) -> bool {
    let mut waiting = lock(&shared.waiting);
    let is_meant = |own: &Own| own.seeker.link.id() == link;
    let Some(own) = waiting.own.get(&player).filter(|own| is_meant(own)).cloned() else {
        return false;
    };
    waiting.own.remove(&player);
    drop(waiting);
    withdraw(shared, own, Quietly(false));
    true
}

/// Whether the player needs not be told that he waits no longer.
struct Quietly(bool);

/// Sees to it that no game claims a seek any more; if one has, the player sits down there.
fn withdraw(shared: &Arc<Shared>, own: Own, Quietly(is_quiet): Quietly) {
    let Some(tag) = shared.tasks.tag() else { return };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let Own { id, seeker, .. } = own;
        let services = &shared.services;
        match services.store.withdraw(&id.0, services.clock.now()).await {
            Ok(false) => match services.store.claimed_by(&id.0).await {
                Ok(Some(game)) => admit(&shared, &seeker, game),
                _ => tell_over(&seeker),
            },
            // If the store is away, nobody can begin a game either.
            Ok(true) | Err(_) => {
                services.bus.tell(News::SeekOver { seek: id });
                if !is_quiet {
                    tell_over(&seeker);
                }
            }
        }
        drop(tag);
    });
}

fn tell_over(seeker: &Seeker) {
    if seeker.link.dialect() == Dialect::Full {
        seeker.link.say(encode(&ServerMessage::SeekEnded(Nothing {})));
    }
}

/// Shows somebody the game that has begun for him.
fn admit(shared: &Arc<Shared>, seeker: &Seeker, game: GameId) {
    tell_over(seeker);
    let visitor = Visitor { link: Arc::clone(&seeker.link), who: Arc::clone(&seeker.who) };
    shared.call(game, Call::Join { visitor, asked: Asked::default(), since: None });
}

/// Begins a game for somebody who waits here, if there is an opponent.
fn pair(shared: &Arc<Shared>, player: PlayerId) {
    let table = lock(&shared.waiting).table(player);
    let Some((wish, sides)) = table else { return };
    let Some(tag) = shared.tasks.tag() else { return };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        sit_down(&shared, wish, sides).await;
        drop(tag);
    });
}

async fn sit_down(shared: &Arc<Shared>, wish: Wish, sides: [Side; 2]) {
    let claims: Vec<SeekId> = sides.iter().map(|side| side.id.clone()).collect();
    match begin(shared, wish, &sides).await {
        Ok(game) => begun(shared, &claims, game),
        Err(NotBegun::Claimed(claim)) => {
            let [partner, me] = sides;
            lock(&shared.waiting).give_up([&partner.id, &me.id], &claim);
            for side in [&partner, &me].into_iter().filter(|it| it.is_own && it.id.0 == claim) {
                look_up(shared, &side.id, IsClaimed(true)).await;
            }
            pair(shared, me.who.player);
        }
        Err(NotBegun::Refused(code)) => {
            for side in sides.iter().filter(|side| side.is_own) {
                let own = lock(&shared.waiting).remove(&side.id);
                if let Some(own) = own {
                    withdraw(shared, own.clone(), Quietly(true));
                    own.seeker.asked.refuse(&own.seeker.link, code);
                }
            }
        }
    }
}

async fn begin(shared: &Arc<Shared>, wish: Wish, sides: &[Side; 2]) -> Result<GameId, NotBegun> {
    let terms = Terms { is_rated: wish.is_rated, ..Terms::new(wish.time_control) };
    let settings = terms.settings().map_err(|_| NotBegun::Refused(ServerCode::BadTerms))?;
    let lot = shared.services.random.number();
    let lot = lot.map_err(|_| NotBegun::Refused(ServerCode::Internal))?;
    // Sockets come in when the game is there, wherever they are.
    let seat = |side: &Side| SeatPlan::Person { who: Arc::clone(&side.who), links: Vec::new() };
    let [one, other] = sides.each_ref().map(seat);
    let seats = if lot & 1 == 0 { [one, other] } else { [other, one] };
    let claims = sides.iter().map(|side| side.id.clone()).collect();
    begin_claiming(shared, Plan { settings, seats, rematch_of: None }, claims).await
}

/// A game has begun that answers seeks; whoever waits here for one of them sits down.
pub(crate) fn begun(shared: &Arc<Shared>, seeks: &[SeekId], game: GameId) {
    for id in seeks {
        let own = {
            let mut waiting = lock(&shared.waiting);
            waiting.others.remove(id);
            waiting.remove(id)
        };
        if let Some(own) = own {
            admit(shared, &own.seeker, game);
        }
    }
}

/// Whether the store has said that a seek is claimed.
struct IsClaimed(bool);

/// Asks the store whether a seek has been answered.
async fn look_up(shared: &Arc<Shared>, id: &SeekId, IsClaimed(is_claimed): IsClaimed) {
    match shared.services.store.claimed_by(&id.0).await {
        Ok(Some(game)) => begun(shared, core::slice::from_ref(id), game),
        // It was withdrawn.
        Ok(None) if is_claimed => drop(lock(&shared.waiting).remove(id)),
        Ok(None) => {}
        Err(error) => tracing::warn!("a seek could not be looked up: {error}"),
    }
}

/// Players wait at another node.
pub(crate) fn hear(shared: &Arc<Shared>, node: NodeId, seeks: Vec<Seek>, now: Moment) {
    for seek in seeks.into_iter().take(PER_MESSAGE).filter(|seek| seek.id.0.len() <= SEEK_BYTES) {
        let wish = Wish { time_control: seek.time_control, is_rated: seek.is_rated };
        let mut waiting = lock(&shared.waiting);
        let own = waiting.own.get(&seek.player).filter(|own| !own.is_taken);
        // A player waits once, and the later wish counts.
        let forgotten = own.filter(|own| (own.since, &own.id) < (seek.since, &seek.id)).cloned();
        if let Some(own) = &forgotten {
            waiting.remove(&own.id);
        }
        if waiting.others.len() < waiting.limit || waiting.others.contains_key(&seek.id) {
            let (player, name, is_account) = (seek.player, seek.name.clone(), seek.is_account);
            let who = Arc::new(Identity { player, name, is_account, session: None });
            let other = Other { node, who, wish, since: seek.since, heard: now };
            waiting.others.insert(seek.id.clone(), other);
        }
        let later = waiting.later_than(&seek, wish);
        drop(waiting);
        if let Some(own) = forgotten {
            withdraw(shared, own, Quietly(false));
        }
        for player in later {
            pair(shared, player);
        }
    }
}

/// Somebody at another node waits no longer.
pub(crate) fn hear_over(shared: &Shared, seek: &SeekId) {
    lock(&shared.waiting).others.remove(seek);
}

/// A node has gone, and with it whoever waited there.
pub(crate) fn left(shared: &Shared, node: NodeId) {
    lock(&shared.waiting).others.retain(|_, other| other.node != node);
}

/// Tells who waits here, forgets of whom nothing was heard since a moment, and asks the store
/// whether somebody has an opponent without having been told.
pub(crate) async fn beat(shared: &Arc<Shared>, since: Moment) {
    let seeks = {
        let mut waiting = lock(&shared.waiting);
        waiting.others.retain(|_, other| other.heard >= since);
        waiting.all_own()
    };
    for seeks in seeks.chunks(PER_MESSAGE) {
        shared.services.bus.tell(News::Seeks { seeks: seeks.to_vec() });
    }
    for seek in seeks {
        look_up(shared, &seek.id, IsClaimed(false)).await;
        pair(shared, seek.player);
    }
}

/// What the others are told of a game that has begun.
pub(crate) fn begun_news(game: GameId, plan: &Plan, seeks: Vec<SeekId>) -> News {
    let people = plan.seats.iter().filter_map(|seat| match seat {
        SeatPlan::Person { who, .. } => Some(who.player),
        SeatPlan::Engine(_) => None,
    });
    News::Begun(Begun { game, players: people.collect(), seeks, rematch_of: plan.rematch_of })
}

#[cfg(test)]
mod tests {
    use castellan_game::TimeControl;

    use super::super::link::Link;
    use super::*;

    const QUICK: Wish = Wish {
        time_control: TimeControl::Increment { initial_ms: 60_000, increment_ms: 0 },
        is_rated: false,
    };
    const RATED: Wish = Wish { is_rated: true, ..QUICK };

    fn person(player: u64) -> Arc<Identity> {
        let (player, name) = (PlayerId(player), "anna".to_owned());
        Arc::new(Identity { player, name, is_account: false, session: None })
    }

    fn wait_here(waiting: &mut Waiting, player: u64, since: u64, wish: Wish) {
        let link = Arc::new(Link::new(LinkId(player), Dialect::Full));
        let seeker = Seeker { who: person(player), link, asked: Asked::default() };
        let (id, since) = (SeekId(format!("own {player}")), Moment::from_millis(since));
        let own = Own { id, seeker, wish, since, is_taken: false };
        waiting.own.insert(PlayerId(player), own);
    }

    fn wait_elsewhere(waiting: &mut Waiting, player: u64, since: u64, wish: Wish) {
        let (since, heard) = (Moment::from_millis(since), Moment::default());
        let other = Other { node: NodeId(1), who: person(player), wish, since, heard };
        waiting.others.insert(SeekId(format!("other {player}")), other);
    }

    #[track_caller]
    fn check(waiting: &mut Waiting, player: u64, opponent: Option<u64>) {
        let table = waiting.table(PlayerId(player));
        assert_eq!(table.map(|(_, [partner, _])| partner.who.player.0), opponent);
    }

    #[test]
    fn the_node_of_the_later_seek_begins_the_game() {
        let mut waiting = Waiting::new(9);
        wait_here(&mut waiting, 1, 10, QUICK);
        wait_elsewhere(&mut waiting, 2, 20, QUICK);
        check(&mut waiting, 1, None);
        wait_elsewhere(&mut waiting, 3, 5, RATED);
        check(&mut waiting, 1, None);
        wait_elsewhere(&mut waiting, 4, 9, QUICK);
        wait_elsewhere(&mut waiting, 5, 8, QUICK);
        check(&mut waiting, 1, Some(5));
        // Whoever is being seated is not seated again, until that has failed.
        check(&mut waiting, 1, None);
        let mine = SeekId("own 1".to_owned());
        waiting.give_up([&SeekId("other 5".to_owned()), &mine], "other 5");
        check(&mut waiting, 1, Some(4));
    }

    #[test]
    fn two_who_wait_here_play_and_nobody_plays_himself() {
        let mut waiting = Waiting::new(9);
        wait_here(&mut waiting, 1, 10, QUICK);
        wait_elsewhere(&mut waiting, 1, 5, QUICK);
        check(&mut waiting, 1, None);
        waiting.others.clear();
        wait_here(&mut waiting, 2, 5, QUICK);
        check(&mut waiting, 2, Some(1));
        wait_here(&mut waiting, 3, 20, QUICK);
        check(&mut waiting, 3, None);
        assert_eq!((waiting.count(QUICK), waiting.count(RATED)), (3, 0));
    }
}
