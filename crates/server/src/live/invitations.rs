//! Invitations by link.
//!
//! Any user who has the link may accept the invitation, once. The link carries 128 random bits.
//! The response is the same for an invitation that never existed, was accepted, or has expired,
//! so guessing reveals nothing.

use std::sync::Arc;

use castellan_game::Settings;
use castellan_protocol::{
    CreateInvitation, Invitation as InvitationView, InvitationId, InvitationRef, ServerCode,
    ServerMessage, Terms,
};
use castellan_rules::Color;
use castellan_store::{Invitation, StoreError};

use super::begin::{GamePlan, SeatPlan};
use super::bus_events;
use super::connection::Protocol;
use super::hub::Shared;
use super::reply::{RequestRef, encode};
use super::room::Subscriber;
use super::seeking::{person, start, start_as};
use crate::identity::Identity;
use crate::random::Random;

/// How long an invitation stays open.
const LIFETIME_MS: u64 = 24 * 3_600_000;

/// Why a request about an invitation failed.
#[derive(Debug)]
pub(crate) struct InvitationError(ServerCode);

impl From<ServerCode> for InvitationError {
    fn from(code: ServerCode) -> InvitationError {
        InvitationError(code)
    }
}

impl From<StoreError> for InvitationError {
    fn from(error: StoreError) -> InvitationError {
        tracing::warn!("an invitation could not be handled: {error}");
        InvitationError(ServerCode::NotStored)
    }
}

/// A request about an invitation.
#[derive(Debug)]
pub(crate) enum InvitationRequest {
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
pub(crate) fn handle(
    shared: &Arc<Shared>,
    subscriber: Subscriber,
    request: RequestRef,
    action: InvitationRequest,
) {
    let Some(guard) = shared.tasks.guard() else {
        return request.refuse(&subscriber.connection, ServerCode::ShuttingDown);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let done = match action {
            InvitationRequest::Create(wanted) => create(&shared, &subscriber, wanted).await,
            InvitationRequest::Show(id) => show(&shared, &subscriber, &id).await,
            InvitationRequest::Accept(id) => accept(&shared, &subscriber, request, &id).await,
            InvitationRequest::Cancel(id) => cancel(&shared, &subscriber, &id).await,
        };
        if let Err(InvitationError(code)) = done {
            request.refuse(&subscriber.connection, code);
        }
        drop(guard);
    });
}

async fn create(
    shared: &Shared,
    subscriber: &Subscriber,
    wanted: CreateInvitation,
) -> Result<(), InvitationError> {
    let settings: Settings = wanted.terms.settings().map_err(|_| ServerCode::BadTerms)?;
    if settings.is_rated && !subscriber.who.is_account {
        return Err(ServerCode::NeedsAccount.into());
    }
    let services = &shared.services;
    let (store, now) = (&services.store, services.clock.now());
    let open = store.invitations_of(subscriber.player()).await?;
    let standing = open.iter().filter(|invitation| invitation.expires > now).count();
    if standing >= services.config.live.max_invitations_per_player {
        return Err(ServerCode::TooMany.into());
    }
    let secret = Random::secret::<16>().map_err(|_| ServerCode::Internal)?;
    let invitation = Invitation {
        id: hex::encode(secret),
        host: subscriber.player(),
        host_name: subscriber.who.name.clone(),
        host_color: wanted.color,
        settings,
        created: now,
        expires: now.plus_ms(LIFETIME_MS),
    };
    store.put_invitation(invitation.clone()).await?;
    tell(subscriber, &invitation)
}

async fn show(
    shared: &Shared,
    subscriber: &Subscriber,
    id: &InvitationId,
) -> Result<(), InvitationError> {
    tell(subscriber, &find(shared, id).await?)
}

/// Accepts an invitation. If several users try, exactly one succeeds.
async fn accept(
    shared: &Arc<Shared>,
    subscriber: &Subscriber,
    request: RequestRef,
    id: &InvitationId,
) -> Result<(), InvitationError> {
    let invitation = find(shared, id).await?;
    if invitation.host == subscriber.player() {
        return Err(ServerCode::OwnInvitation.into());
    }
    if invitation.settings.is_rated && !subscriber.who.is_account {
        return Err(ServerCode::NeedsAccount.into());
    }
    let host = host(shared, &invitation).await?.ok_or(ServerCode::Busy)?;
    if !shared.services.store.take_invitation(id.as_str()).await? {
        return Err(ServerCode::UnknownInvitation.into());
    }
    tell_gone(shared, &invitation, id);
    let guest = person(&subscriber.who, &subscriber.connection);
    let mut requesters = vec![(Arc::clone(&subscriber.connection), request)];
    if let SeatPlan::Person { connections, .. } = &host {
        requesters.extend(
            connections.iter().map(|connection| (Arc::clone(connection), RequestRef::default())),
        );
    }
    let settings = invitation.settings;
    let seats = match invitation.host_color {
        None => {
            start(shared, [host, guest], settings, requesters);
            return Ok(());
        }
        Some(Color::White) => [host, guest],
        Some(Color::Black) => [guest, host],
    };
    start_as(shared, GamePlan { settings, seats, rematch_of: None }, requesters);
    Ok(())
}

/// Returns the host's seat if they are connected to some node; there is no point in a game
/// against an absent player.
async fn host(
    shared: &Shared,
    invitation: &Invitation,
) -> Result<Option<SeatPlan>, InvitationError> {
    let here = shared.connections.of_player(invitation.host);
    let here: Vec<_> = here
        .into_iter()
        .filter(|(connection, _)| connection.protocol() == Protocol::Full)
        .collect();
    if let Some((_, who)) = here.first() {
        let who = Arc::clone(who);
        let connections = here.into_iter().map(|(connection, _)| connection).collect();
        return Ok(Some(SeatPlan::Person { who, connections }));
    }
    let player = invitation.host;
    if !bus_events::is_connected_elsewhere(shared, player).await {
        return Ok(None);
    }
    let is_account = shared.services.store.account_of(player).await?.is_some();
    let name = invitation.host_name.clone();
    let who = Arc::new(Identity { player, name, is_account, session: None });
    Ok(Some(SeatPlan::Person { who, connections: Vec::new() }))
}

async fn cancel(
    shared: &Shared,
    subscriber: &Subscriber,
    id: &InvitationId,
) -> Result<(), InvitationError> {
    let invitation = find(shared, id).await?;
    if invitation.host != subscriber.player() {
        return Err(ServerCode::UnknownInvitation.into());
    }
    if !shared.services.store.take_invitation(id.as_str()).await? {
        return Err(ServerCode::UnknownInvitation.into());
    }
    tell_gone(shared, &invitation, id);
    Ok(())
}

async fn find(shared: &Shared, id: &InvitationId) -> Result<Invitation, InvitationError> {
    let found = shared.services.store.invitation(id.as_str()).await?;
    let now = shared.services.clock.now();
    let standing = found.filter(|invitation| invitation.expires > now);
    Ok(standing.ok_or(ServerCode::UnknownInvitation)?)
}

fn tell(subscriber: &Subscriber, invitation: &Invitation) -> Result<(), InvitationError> {
    subscriber.connection.send(encode(&ServerMessage::Invitation(InvitationView {
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
    for (connection, _) in shared.connections.of_player(invitation.host) {
        if connection.protocol() == Protocol::Full {
            connection.send(message.clone());
        }
    }
}
