//! Invitations by link.
//!
//! Any user who has the link may accept the invitation, once. The link carries 128 random bits.
//! The response is the same for an invitation that never existed, was accepted, or has expired,
//! so guessing reveals nothing.

use std::sync::Arc;

use castellan_game::Settings;
use castellan_protocol::{
    CreateInvitation, Invitation as Shown, InvitationId, InvitationRef, ServerCode, ServerMessage,
    Terms,
};
use castellan_rules::Color;
use castellan_store::{Invitation, StoreError};

use super::begin::{Plan, SeatPlan};
use super::hearing;
use super::hub::Shared;
use super::link::Dialect;
use super::reply::{Asked, encode};
use super::room::Visitor;
use super::seeking::{person, start, start_as};
use crate::identity::Identity;
use crate::random::Random;

/// How long an invitation stays open.
const STANDS_MS: u64 = 24 * 3_600_000;

/// Why a request about an invitation failed.
#[derive(Debug)]
pub(crate) struct No(ServerCode);

impl From<ServerCode> for No {
    fn from(code: ServerCode) -> No {
        No(code)
    }
}

impl From<StoreError> for No {
    fn from(error: StoreError) -> No {
        tracing::warn!("an invitation could not be handled: {error}");
        No(ServerCode::NotStored)
    }
}

/// A request about an invitation.
#[derive(Debug)]
pub(crate) enum Request {
    /// Create an invitation.
    Create(CreateInvitation),
    /// Show an invitation.
    Show(InvitationId),
    /// Accept an invitation.
    Accept(InvitationId),
    /// Cancel the user's own invitation.
    Cancel(InvitationId),
}

/// Handles a request in a separate task, so that the connection does not wait.
pub(crate) fn deal_with(shared: &Arc<Shared>, visitor: Visitor, asked: Asked, request: Request) {
    let Some(tag) = shared.tasks.tag() else {
        return asked.refuse(&visitor.link, ServerCode::ShuttingDown);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let done = match request {
            Request::Create(wanted) => create(&shared, &visitor, wanted).await,
            Request::Show(id) => show(&shared, &visitor, &id).await,
            Request::Accept(id) => accept(&shared, &visitor, asked, &id).await,
            Request::Cancel(id) => cancel(&shared, &visitor, &id).await,
        };
        if let Err(No(code)) = done {
            asked.refuse(&visitor.link, code);
        }
        drop(tag);
    });
}

async fn create(shared: &Shared, visitor: &Visitor, wanted: CreateInvitation) -> Result<(), No> {
    let settings: Settings = wanted.terms.settings().map_err(|_| ServerCode::BadTerms)?;
    if settings.is_rated && !visitor.who.is_account {
        return Err(ServerCode::NeedsAccount.into());
    }
    let services = &shared.services;
    let (store, now) = (&services.store, services.clock.now());
    let open = store.invitations_of(visitor.player()).await?;
    let standing = open.iter().filter(|invitation| invitation.expires > now).count();
    if standing >= services.config.live.max_invitations_per_player {
        return Err(ServerCode::TooMany.into());
    }
    let secret = Random::secret::<16>().map_err(|_| ServerCode::Internal)?;
    let invitation = Invitation {
        id: secret.iter().map(|byte| format!("{byte:02x}")).collect(),
        host: visitor.player(),
        host_name: visitor.who.name.clone(),
        host_color: wanted.color,
        settings,
        created: now,
        expires: now.plus_ms(STANDS_MS),
    };
    store.put_invitation(invitation.clone()).await?;
    tell(visitor, &invitation)
}

async fn show(shared: &Shared, visitor: &Visitor, id: &InvitationId) -> Result<(), No> {
    tell(visitor, &find(shared, id).await?)
}

/// Accepts an invitation. If several users try, exactly one succeeds.
async fn accept(
    shared: &Arc<Shared>,
    visitor: &Visitor,
    asked: Asked,
    id: &InvitationId,
) -> Result<(), No> {
    let invitation = find(shared, id).await?;
    if invitation.host == visitor.player() {
        return Err(ServerCode::OwnInvitation.into());
    }
    if invitation.settings.is_rated && !visitor.who.is_account {
        return Err(ServerCode::NeedsAccount.into());
    }
    let host = host(shared, &invitation).await?.ok_or(ServerCode::Busy)?;
    if !shared.services.store.take_invitation(id.as_str()).await? {
        return Err(ServerCode::UnknownInvitation.into());
    }
    tell_gone(shared, &invitation, id);
    let guest = person(&visitor.who, &visitor.link);
    let mut askers = vec![(Arc::clone(&visitor.link), asked)];
    if let SeatPlan::Person { links, .. } = &host {
        askers.extend(links.iter().map(|link| (Arc::clone(link), Asked::default())));
    }
    let settings = invitation.settings;
    let seats = match invitation.host_color {
        None => {
            start(shared, [host, guest], settings, askers);
            return Ok(());
        }
        Some(Color::White) => [host, guest],
        Some(Color::Black) => [guest, host],
    };
    start_as(shared, Plan { settings, seats, rematch_of: None }, askers);
    Ok(())
}

/// Returns the host's seat if they are connected to some node; there is no point in a game
/// against an absent player.
async fn host(shared: &Shared, invitation: &Invitation) -> Result<Option<SeatPlan>, No> {
    let here = shared.people.visitors_of(invitation.host);
    let here: Vec<_> =
        here.into_iter().filter(|(link, _)| link.dialect() == Dialect::Full).collect();
    if let Some((_, who)) = here.first() {
        let who = Arc::clone(who);
        let links = here.into_iter().map(|(link, _)| link).collect();
        return Ok(Some(SeatPlan::Person { who, links }));
    }
    let player = invitation.host;
    if !hearing::is_elsewhere(shared, player).await {
        return Ok(None);
    }
    let is_account = shared.services.store.account_of(player).await?.is_some();
    let name = invitation.host_name.clone();
    let who = Arc::new(Identity { player, name, is_account, session: None });
    Ok(Some(SeatPlan::Person { who, links: Vec::new() }))
}

async fn cancel(shared: &Shared, visitor: &Visitor, id: &InvitationId) -> Result<(), No> {
    let invitation = find(shared, id).await?;
    if invitation.host != visitor.player() {
        return Err(ServerCode::UnknownInvitation.into());
    }
    if !shared.services.store.take_invitation(id.as_str()).await? {
        return Err(ServerCode::UnknownInvitation.into());
    }
    tell_gone(shared, &invitation, id);
    Ok(())
}

async fn find(shared: &Shared, id: &InvitationId) -> Result<Invitation, No> {
    let found = shared.services.store.invitation(id.as_str()).await?;
    let now = shared.services.clock.now();
    let standing = found.filter(|invitation| invitation.expires > now);
    Ok(standing.ok_or(ServerCode::UnknownInvitation)?)
}

fn tell(visitor: &Visitor, invitation: &Invitation) -> Result<(), No> {
    visitor.link.say(encode(&ServerMessage::Invitation(Shown {
        invitation: invitation.id.parse().map_err(|_| ServerCode::Internal)?,
        by: invitation.host_name.clone(),
        terms: Terms::from(&invitation.settings),
        color: invitation.host_color,
        until: invitation.expires,
    })));
    Ok(())
}

fn tell_gone(shared: &Shared, invitation: &Invitation, id: &InvitationId) {
    let gone = ServerMessage::InvitationGone(InvitationRef { invitation: id.clone() });
    let message = encode(&gone);
    for (link, _) in shared.people.visitors_of(invitation.host) {
        if link.dialect() == Dialect::Full {
            link.say(message.clone());
        }
    }
}
