//! The OpenAPI description of the HTTP API, generated from the handlers.

use axum::Json;
use utoipa::OpenApi;

use crate::{accounts, guests, health, moderation, reading};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Castellan",
        description = "Games, players and sessions. Games are played over the WebSocket /ws, or \
            on /ws/simple for clients that know only the plain protocol; see docs/PROTOCOL.md. \
            Errors are JSON with a `code` for programs and a `message` for people. Requests that \
            change something must send `Content-Type: application/json` and, if they send the \
            cookie, the `Origin` of the server's own page.",
        license(name = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "people", description = "Guests, accounts, sessions"),
        (name = "games", description = "Finished and running games"),
        (name = "operation", description = "For operators"),
    ),
    paths(
        guests::become_guest,
        accounts::register,
        accounts::login,
        accounts::logout,
        accounts::change_password,
        accounts::recover,
        accounts::request_reset,
        accounts::set_email,
        accounts::confirm_email,
        accounts::remove_email,
        accounts::create_recovery_codes,
        accounts::security,
        accounts::set_second_factor,
        accounts::create_secret,
        accounts::remove_second_factor,
        accounts::export_own_data,
        accounts::delete_own_account,
        accounts::who_am_i,
        accounts::list_sessions,
        accounts::end_other_sessions,
        accounts::end_session,
        moderation::report_player,
        moderation::administer,
        reading::list_games,
        reading::longest_games,
        reading::running_games,
        reading::export_games,
        reading::game,
        reading::game_pgn,
        reading::player,
        reading::find_player,
        document,
        health::health,
        health::metrics,
    )
)]
struct Document;

/// Get this document.
#[utoipa::path(get, path = "/api/openapi.json", tag = "operation",
    responses((status = 200, body = Object, description = "The OpenAPI description")))]
pub(crate) async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::router::routes;

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let described: serde_json::Value = serde_json::to_value(Document::openapi()).unwrap();
        let paths = described["paths"].as_object().unwrap();
        let described: BTreeSet<(String, String)> = paths
            .iter()
            .flat_map(|(path, item)| {
                let methods = item.as_object().unwrap().keys();
                methods.map(|method| (method.to_uppercase(), path.clone()))
            })
            .collect();
        let served: BTreeSet<(String, String)> = routes()
            .listed
            .iter()
            .map(|(method, path)| (method.to_string(), (*path).to_owned()))
            .collect();
        assert_eq!(described, served);
    }
}
