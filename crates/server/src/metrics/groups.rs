//! Groups of metrics that are set together, and how a metric is registered.

use axum::http::Method;
use castellan_store::{ReadMetrics, StoreMetrics};
use metrics::{Counter, Gauge, Key, KeyName, Label, Level, Metadata, Recorder, SharedString, Unit};
pub(super) use metrics_exporter_prometheus::PrometheusRecorder as R;

use crate::bus::BusMetrics;

/// Metrics of the store, which counts by itself.
pub(super) struct StoreHandles {
    queued: Gauge,
    commits: Counter,
    commit_seconds: Gauge,
    lookups: ReadCounters,
    searches: ReadCounters,
}

impl StoreHandles {
    pub(super) fn new(recorder: &R) -> StoreHandles {
        let gauge = |name, description| {
            of(recorder, name, description, R::register_gauge, R::describe_gauge)
        };
        StoreHandles {
            queued: gauge("castellan_store_queued", "writes waiting for the database"),
            commits: of(
                recorder,
                "castellan_store_commits_total",
                "database transactions",
                R::register_counter,
                R::describe_counter,
            ),
            commit_seconds: gauge(
                "castellan_store_commit_seconds",
                "duration of the last commit in seconds",
            ),
            lookups: ReadCounters::new(recorder, "lookup"),
            searches: ReadCounters::new(recorder, "search"),
        }
    }

    pub(super) fn set(&self, metrics: &StoreMetrics) {
        self.queued.set(metrics.queued as f64);
        self.commits.absolute(metrics.commits);
        self.commit_seconds.set(metrics.last_commit.as_secs_f64());
        self.lookups.set(&metrics.lookups);
        self.searches.set(&metrics.searches);
    }
}

/// Metrics of the bus, which counts by itself.
pub(super) struct BusHandles {
    sent: Counter,
    received: Counter,
    dropped: Counter,
}

impl BusHandles {
    pub(super) fn new(recorder: &R) -> BusHandles {
        let counter = |name, description| {
            of(recorder, name, description, R::register_counter, R::describe_counter)
        };
        BusHandles {
            sent: counter("castellan_news_sent_total", "messages sent to other nodes"),
            received: counter(
                "castellan_news_received_total",
                "messages received from other nodes",
            ),
            dropped: counter(
                "castellan_news_dropped_total",
                "messages dropped: not sent, not decoded, or queue full",
            ),
        }
    }

    pub(super) fn set(&self, metrics: BusMetrics) {
        self.sent.absolute(metrics.sent);
        self.received.absolute(metrics.received);
        self.dropped.absolute(metrics.dropped);
    }
}

/// Metrics of one kind of database query.
struct ReadCounters {
    served: Counter,
    refused: Counter,
    waiting: Gauge,
    waited_seconds: Gauge,
}

impl ReadCounters {
    fn new(recorder: &R, kind: &'static str) -> ReadCounters {
        let label = || vec![Label::from_static_parts("kind", kind)];
        let counter = |name, description| {
            labeled(recorder, name, label(), description, R::register_counter, R::describe_counter)
        };
        let gauge = |name, description| {
            labeled(recorder, name, label(), description, R::register_gauge, R::describe_gauge)
        };
        ReadCounters {
            served: counter("castellan_store_reads_total", "database queries"),
            refused: counter(
                "castellan_store_reads_refused_total",
                "database queries refused because no connection was free in time",
            ),
            waiting: gauge(
                "castellan_store_reads_waiting",
                "database queries waiting for a connection",
            ),
            waited_seconds: gauge(
                "castellan_store_read_wait_seconds",
                "seconds that all database queries together have waited for a connection",
            ),
        }
    }

    fn set(&self, metrics: &ReadMetrics) {
        self.served.absolute(metrics.served);
        self.refused.absolute(metrics.refused);
        self.waiting.set(metrics.waiting as f64);
        self.waited_seconds.set(metrics.waited.as_secs_f64());
    }
}

/// The handler of a request, for metrics. Both parts have few values: a client cannot make metrics
/// grow by asking for many paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RequestRoute<'a> {
    method: &'static str,
    /// The path with placeholders, such as `/api/games/{id}`.
    path: &'a str,
}

impl<'a> RequestRoute<'a> {
    /// Creates a route from the path of a handler; without one, the request is for a file of the
    /// page.
    pub(crate) fn new(method: &Method, path: Option<&'a str>) -> RequestRoute<'a> {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            Method::HEAD => "HEAD",
            _ => "other",
        };
        RequestRoute { method, path: path.unwrap_or("page") }
    }

    pub(super) fn labels(self) -> Vec<Label> {
        let RequestRoute { method, path } = self;
        vec![Label::from_static_parts("method", method), Label::new("route", path.to_owned())]
    }
}

/// Describes and registers a metric.
pub(super) fn of<T>(
    recorder: &R,
    name: &'static str,
    description: &'static str,
    register: fn(&R, &Key, &Metadata<'_>) -> T,
    describe: fn(&R, KeyName, Option<Unit>, SharedString),
) -> T {
    labeled(recorder, name, Vec::new(), description, register, describe)
}

/// Describes and registers a metric with labels.
pub(super) fn labeled<T>(
    recorder: &R,
    name: &'static str,
    labels: Vec<Label>,
    description: &'static str,
    register: fn(&R, &Key, &Metadata<'_>) -> T,
    describe: fn(&R, KeyName, Option<Unit>, SharedString),
) -> T {
    describe(recorder, KeyName::from(name), None, SharedString::from(description));
    register(recorder, &Key::from_parts(name, labels), &METADATA)
}

pub(super) const METADATA: Metadata<'static> =
    Metadata::new(module_path!(), Level::INFO, Some(module_path!()));
