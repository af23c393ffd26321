//! Metrics for Prometheus.
//!
//! Each server has its own recorder instead of one for the whole process, so that two servers in
//! one process, as in tests, count separately.

mod groups;

use std::sync::OnceLock;

use axum::http::Method;
use metrics::{Counter, Gauge, Histogram, Key, Recorder};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};

use crate::bus::BusMetrics;
pub(crate) use groups::RequestRoute;
use groups::{BusHandles, METADATA, R, StoreHandles, labeled, of};

/// Handles for all metrics.
pub struct Metrics {
    recorder: PrometheusRecorder,
    /// Moves that were stored and announced.
    pub moves: Counter,
    /// Seconds from a move's arrival to its announcement, including the store.
    pub move_seconds: Histogram,
    /// Open WebSockets.
    pub sockets: Gauge,
    /// Running games.
    pub games: Gauge,
    /// Games that have ended.
    pub games_ended: Counter,
    /// Failed store operations.
    pub store_errors: Counter,
    /// Clients that were disconnected because they read too slowly.
    pub slow_consumers: Counter,
    /// HTTP requests, including refused ones.
    pub requests: Counter,
    /// Requests, messages, and connections refused because of a limit.
    pub limited: Counter,
    /// Passwords that were hashed.
    pub password_hashes: Counter,
    /// TLS handshakes that failed or took too long.
    pub tls_failures: Counter,
    /// 1 if the certificate has changed and the new one cannot be used, 0 otherwise.
    pub tls_reload_failed: Gauge,
    /// Messages that wait for the mail server.
    pub mail_queued: Gauge,
    /// Messages that the mail server has accepted.
    pub mail_sent: Counter,
    /// Messages that the server gave up sending.
    pub mail_failed: Counter,
    /// Panics that were caught, each of which is a bug.
    pub panics: Counter,
    /// Largest difference of another node's clock from this node's, in seconds.
    pub clock_offset: Gauge,
    /// How often this node's clock began to differ from those of most nodes.
    pub clock_disagreements: Counter,
    /// How often the system's clock was set while the server was running.
    pub clock_steps: Counter,
    /// Requests to engines.
    pub engine_requests: Counter,
    /// Requests that wait for an engine.
    pub engine_queued: Gauge,
    /// Games that have a room: running ones except those that sleep, and finished ones with an
    /// audience.
    pub rooms: Gauge,
    /// Calls in the longest inbox of a room.
    pub room_inbox: Gauge,
    /// Requests of players and spectators refused because something was full.
    pub busy: Counter,
    /// Games that cannot be read, or that have lost events.
    pub damaged_games: Gauge,
    /// Free space in the data folder in bytes; not shown until it is known.
    disk_free: OnceLock<Gauge>,
    bus: BusHandles,
    store: StoreHandles,
}

/// Buckets for requests, which a client waits for: from one millisecond to the timeout.
const REQUEST_BUCKETS_S: [f64; 11] =
    [0.001, 0.004, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1.0, 5.0, 30.0];

const REQUEST_SECONDS: &str = "castellan_request_seconds";

/// Buckets from a tenth of a millisecond, each about twice the previous one, with a boundary at
/// the 15 ms that we aim to stay below.
const MOVE_BUCKETS_S: [f64; 15] = [
    0.0001, 0.000_25, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1.0,
    5.0,
];

const MOVE_SECONDS: &str = "castellan_move_seconds";

fn new_recorder() -> PrometheusRecorder {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(MOVE_SECONDS.to_owned()), &MOVE_BUCKETS_S)
        .expect("the list of buckets is not empty")
        .set_buckets_for_metric(Matcher::Full(REQUEST_SECONDS.to_owned()), &REQUEST_BUCKETS_S)
        .expect("the list of buckets is not empty")
        .build_recorder()
}

/// Adds the time of requests with the route of the page. Without any route, the metric would be
/// unknown until the first request.
fn add_page_route(recorder: &R) {
    let _ = labeled(
        recorder,
        REQUEST_SECONDS,
        RequestRoute::new(&Method::GET, None).labels(),
        "seconds from the head of a request to the head of its response",
        R::register_histogram,
        R::describe_histogram,
    );
}

impl Metrics {
    /// Creates all metrics at zero.
    pub(crate) fn new() -> Metrics {
        let recorder = new_recorder();
        let counter = |name, description| {
            of(&recorder, name, description, R::register_counter, R::describe_counter)
        };
        let gauge = |name, description| {
            of(&recorder, name, description, R::register_gauge, R::describe_gauge)
        };
        add_page_route(&recorder);
        Metrics {
            moves: counter("castellan_moves_total", "moves saved and broadcast"),
            move_seconds: of(
                &recorder,
                MOVE_SECONDS,
                "seconds from receiving a move to broadcasting it",
                R::register_histogram,
                R::describe_histogram,
            ),
            sockets: gauge("castellan_sockets", "open WebSocket connections"),
            games: gauge("castellan_games", "running games"),
            games_ended: counter("castellan_games_ended_total", "finished games"),
            store_errors: counter("castellan_store_errors_total", "failed database operations"),
            slow_consumers: counter(
                "castellan_slow_consumers_total",
                "clients disconnected for reading too slowly",
            ),
            requests: counter("castellan_requests_total", "HTTP requests answered"),
            limited: counter(
                "castellan_limited_total",
                "requests and messages refused by rate limits",
            ),
            password_hashes: counter("castellan_password_hashes_total", "passwords hashed"),
            tls_failures: counter("castellan_tls_failures_total", "failed TLS handshakes"),
            tls_reload_failed: gauge(
                "castellan_tls_reload_failed",
                "whether new files are unusable",
            ),
            mail_queued: gauge("castellan_mail_queued", "messages waiting to be mailed"),
            mail_sent: counter("castellan_mail_sent_total", "messages mailed"),
            mail_failed: counter("castellan_mail_failed_total", "messages that were not mailed"),
            panics: counter("castellan_panics_total", "panics caught"),
            clock_offset: gauge(
                "castellan_clock_offset_seconds",
                "largest difference of another node's clock; positive if it is ahead",
            ),
            clock_disagreements: counter(
                "castellan_clock_disagreements_total",
                "times the clock began to differ from those of most nodes",
            ),
            clock_steps: counter(
                "castellan_clock_steps_total",
                "times the system clock was set while the server was running",
            ),
            engine_requests: counter("castellan_engine_requests_total", "requests to engines"),
            engine_queued: gauge("castellan_engine_queued", "requests waiting for an engine"),
            rooms: gauge("castellan_rooms", "games in memory"),
            room_inbox: gauge("castellan_room_inbox", "requests waiting for the busiest game"),
            busy: counter("castellan_busy_total", "requests refused because the server was busy"),
            damaged_games: gauge(
                "castellan_damaged_games",
                "games set aside because they are damaged in the database",
            ),
            disk_free: OnceLock::new(),
            bus: BusHandles::new(&recorder),
            store: StoreHandles::new(&recorder),
            recorder,
        }
    }

    /// Records how long a request took.
    pub(crate) fn record_request(&self, route: RequestRoute<'_>, seconds: f64) {
        let key = Key::from_parts(REQUEST_SECONDS, route.labels());
        self.recorder.register_histogram(&key, &METADATA).record(seconds);
    }

    /// Sets the free space in the data folder.
    pub(crate) fn set_disk_free(&self, bytes: u64) {
        let gauge = self.disk_free.get_or_init(|| {
            let description = "free bytes in the data folder";
            of(
                &self.recorder,
                "castellan_disk_free_bytes",
                description,
                R::register_gauge,
                R::describe_gauge,
            )
        });
        gauge.set(bytes as f64);
    }

    /// Returns the metrics in the Prometheus text format.
    pub(crate) fn render(&self, store: &castellan_store::StoreMetrics, bus: BusMetrics) -> String {
        self.bus.set(bus);
        self.store.set(store);
        self.recorder.handle().render()
    }

    /// Compacts the histograms. Otherwise they would grow until the metrics are read.
    pub(crate) fn upkeep(&self) {
        self.recorder.handle().run_upkeep();
    }
}

impl core::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use castellan_store::ReadMetrics;

    use super::*;

    #[test]
    fn counted_metrics_are_shown() {
        let metrics = Metrics::new();
        metrics.moves.increment(3);
        metrics.sockets.increment(2.0);
        metrics.sockets.decrement(1.0);
        metrics.move_seconds.record(0.0007);
        metrics.upkeep();
        let game = RequestRoute::new(&Method::GET, Some("/api/games/{id}"));
        metrics.record_request(game, 0.002);
        metrics.record_request(game, 0.1);
        let unusual = Method::from_bytes(b"ANYTHING").unwrap();
        metrics.record_request(RequestRoute::new(&unusual, None), 0.1);
        metrics.set_disk_free(8_000_000_000);
        let store = castellan_store::StoreMetrics {
            queued: 7,
            commits: 9,
            lookups: ReadMetrics { served: 2, ..Default::default() },
            searches: ReadMetrics {
                waiting: 1,
                waited: core::time::Duration::from_millis(1500),
                ..Default::default()
            },
            ..Default::default()
        };
        let bus = BusMetrics { sent: 4, received: 5, dropped: 6 };
        let text = metrics.render(&store, bus);
        for line in [
            "castellan_moves_total 3",
            "castellan_sockets 1",
            "castellan_move_seconds_bucket{le=\"0.0005\"} 0",
            "castellan_move_seconds_bucket{le=\"0.001\"} 1",
            "castellan_move_seconds_count 1",
            "castellan_store_queued 7",
            "castellan_store_commits_total 9",
            "castellan_news_sent_total 4",
            "castellan_news_received_total 5",
            "castellan_news_dropped_total 6",
            "castellan_store_reads_total{kind=\"lookup\"} 2",
            "castellan_store_reads_waiting{kind=\"search\"} 1",
            "castellan_store_read_wait_seconds{kind=\"search\"} 1.5",
            "castellan_disk_free_bytes 8000000000",
            "castellan_request_seconds_count{method=\"GET\",route=\"/api/games/{id}\"} 2",
            "castellan_request_seconds_count{method=\"other\",route=\"page\"} 1",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in {text}");
        }
    }
}
