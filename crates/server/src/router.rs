//! The routes, and the checks that every request passes first.
//!
//! A request is refused before any work is done for it if its URL is too long, if its client
//! exceeds the rate limit, or if it could change something and does not come from our page. Every
//! error is reported in our own JSON format.

use core::any::Any;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state, map_response_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use tower_http::catch_panic::CatchPanicLayer;

use crate::address::ClientAddress;
use crate::error::{ApiError, StoreFailure};
use crate::metrics::RequestRoute;
use crate::rates::Action;
use crate::state::{AppState, Services};
use crate::{
    accounts, guests, headers, health, live, local, moderation, openapi, origin, pages, reading,
};

/// Maximum length of a request's path and query in bytes.
const ADDRESS_LIMIT: usize = 2048;

/// Returns the whole server as a service.
pub fn router(state: &AppState) -> Router {
    let routes = routes().router.merge(live::routes()).merge(local::routes());
    protect(routes.fallback(pages::page), state).with_state(state.clone())
}

/// Returns only what the operator of this machine needs, as a service.
pub(crate) fn operator_router(state: &AppState) -> Router {
    let administer = on(MethodFilter::POST, moderation::administer);
    let routes = Router::new().route("/api/admin", administer);
    protect(routes.fallback(async || ApiError::NotFound), state).with_state(state.clone())
}

/// Wraps all routes in the checks and headers for every request.
fn protect(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    let services = Arc::clone(&state.services);
    let on_panic = move |_: Box<dyn Any + Send>| {
        services.metrics.panics.increment(1);
        // The panic itself has already printed its message, which is not meant for clients.
        tracing::error!("a request panicked");
        ApiError::Internal.into_response()
    };
    routes
        .method_not_allowed_fallback(async || ApiError::Method)
        .layer(from_fn_with_state(state.clone(), guard))
        .layer(CatchPanicLayer::custom(on_panic))
        .layer(map_response_with_state(state.clone(), headers::add))
}

/// The routes, and a list of them, because axum cannot list its routes.
pub(crate) struct Routes {
    router: Router<AppState>,
    pub(crate) listed: Vec<(Method, &'static str)>,
}

impl Routes {
    fn with<H, T>(mut self, method: Method, path: &'static str, handler: H) -> Routes
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(method.clone()).expect("the methods here are common");
        self.router = self.router.route(path, on(filter, handler));
        self.listed.push((method, path));
        self
    }
}

/// Returns all routes except the WebSockets, the local API, and the page.
pub(crate) fn routes() -> Routes {
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const DELETE: Method = Method::DELETE;
    Routes { router: Router::new(), listed: Vec::new() }
        .with(POST, "/api/guest", guests::become_guest)
        .with(POST, "/api/register", accounts::register)
        .with(POST, "/api/login", accounts::login)
        .with(POST, "/api/logout", accounts::logout)
        .with(POST, "/api/password", accounts::change_password)
        .with(POST, "/api/recover", accounts::recover)
        .with(POST, "/api/recover/mail", accounts::request_reset)
        .with(POST, "/api/email", accounts::set_email)
        .with(POST, "/api/email/confirm", accounts::confirm_email)
        .with(POST, "/api/email/remove", accounts::remove_email)
        .with(POST, "/api/recovery-codes", accounts::create_recovery_codes)
        .with(GET, "/api/security", accounts::security)
        .with(POST, "/api/second-factor", accounts::set_second_factor)
        .with(POST, "/api/second-factor/secret", accounts::create_secret)
        .with(POST, "/api/second-factor/remove", accounts::remove_second_factor)
        .with(GET, "/api/me/export", accounts::export_own_data)
        .with(POST, "/api/me/delete", accounts::delete_own_account)
        .with(GET, "/api/me", accounts::who_am_i)
        .with(GET, "/api/sessions", accounts::list_sessions)
        .with(DELETE, "/api/sessions", accounts::end_other_sessions)
        .with(DELETE, "/api/sessions/{id}", accounts::end_session)
        .with(POST, "/api/reports", moderation::report_player)
        .with(POST, "/api/admin", moderation::administer)
        .with(GET, "/api/games", reading::list_games)
        .with(GET, "/api/games/longest", reading::longest_games)
        .with(GET, "/api/games/running", reading::running_games)
        .with(GET, "/api/games/pgn", reading::export_games)
        .with(GET, "/api/games/{id}", reading::game)
        .with(GET, "/api/games/{id}/pgn", reading::game_pgn)
        .with(GET, "/api/players", reading::find_player)
        .with(GET, "/api/players/{name}", reading::player)
        .with(GET, "/api/openapi.json", openapi::document)
        .with(GET, "/healthz", health::health)
        .with(GET, "/metrics", health::metrics)
}

/// Runs the checks for every request and enforces the timeout.
async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Services { metrics, config, .. } = &*state.services;
    metrics.requests.increment(1);
    let method = request.method().clone();
    let template = request.extensions().get::<MatchedPath>().cloned();
    let logged = config.is_logging_requests.then(|| {
        let trusted = &config.trusted_proxies;
        let address = ClientAddress::of(request.extensions(), request.headers(), trusted).0;
        (address, request.uri().path().to_owned())
    });
    let began = Instant::now();
    let response = answer(&state, request, next).await;
    let took = began.elapsed();
    let route = RequestRoute::new(&method, template.as_ref().map(MatchedPath::as_str));
    metrics.record_request(route, took.as_secs_f64());
    if let Some((address, path)) = logged {
        let (status, took_ms) = (response.status().as_u16(), took.as_millis());
        // The query may contain what a user searches for, or a secret.
        tracing::info!(target: "castellan::access", %address, %method, path, status, took_ms, "request");
    }
    response
}

async fn answer(state: &AppState, request: Request, next: Next) -> Response {
    let services = &state.services;
    if let Err(error) = check(state, &request) {
        if matches!(error, ApiError::TooMany(_)) {
            services.metrics.limited.increment(1);
        }
        return error.into_response();
    }
    let answered = tokio::time::timeout(services.config.request_timeout, next.run(request));
    let response = answered.await.unwrap_or_else(|_| ApiError::Timeout.into_response());
    if response.extensions().get::<StoreFailure>().is_some() {
        services.metrics.store_errors.increment(1);
    }
    response
}

fn check(state: &AppState, request: &Request) -> Result<(), ApiError> {
    let services = &state.services;
    let length = request.uri().path_and_query().map_or(0, |text| text.as_str().len());
    if length > ADDRESS_LIMIT {
        return Err(ApiError::AddressTooLong { limit: ADDRESS_LIMIT });
    }
    let trusted = &services.config.trusted_proxies;
    let address = ClientAddress::of(request.extensions(), request.headers(), trusted);
    services.check_address(Action::Request, address)?;
    if !origin::is_safe(request.method()) {
        origin::check(request.headers(), &services.config)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::routing::get;
    use castellan_store::sqlite;
    use tower::ServiceExt;

    use super::*;
    use crate::clock::Clock;
    use crate::config::Config;
    use crate::live::Hub;
    use crate::random::Random;

    #[tokio::test]
    async fn a_panic_is_caught_and_tells_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = sqlite::open(path, sqlite::SqliteOptions::default()).unwrap();
        let services = Services::new(Config::default(), store, Clock::system(), Random::system());
        let services = Arc::new(services);
        let hub = Hub::start(Arc::clone(&services)).await.unwrap();
        let state = AppState { services, hub };
        let panics = get(async || -> () { panic!("the secret is {}", 42) });
        let routes = Router::new().route("/", panics);
        let router = protect(routes, &state).with_state(state.clone());
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), 500);
        assert!(response.headers().contains_key("content-security-policy"));
        let body = to_bytes(response.into_body(), 1000).await.unwrap();
        assert_eq!(body, r#"{"code":"internal","message":"internal server error"}"#);
        let counted = state.services.metrics.render(&Default::default(), Default::default());
        assert!(counted.contains("castellan_panics_total 1"));
    }
}
