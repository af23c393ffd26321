//! Measures durable appends per second: many games at once, each of which waits until its last move
//! is durable.
//!
//! `cargo run --release -p castellan-store --example appends [FOLDER or postgres URL] [TASKS]
//! [SECONDS] [PAUSE_MS]`: each task pauses for PAUSE_MS after every move, by default not at all.
//! For comparison, the program also measures a bare loop that commits as many rows in one
//! transaction, which is the most that the disk can do.

use std::env;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use castellan_game::{ClockStart, Event, GameId, Moment, Recorded, Settings, TimeControl};
use castellan_rules::Position;
use castellan_store::{Batch, NewGame, Store, postgres, sqlite};
use rusqlite::Connection;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut args = env::args().skip(1);
    let place = args.next().unwrap_or_else(|| ".".to_owned());
    let tasks: usize = args.next().map_or(Ok(500), |text| text.parse())?;
    let seconds = Duration::from_secs(args.next().map_or(Ok(5), |text| text.parse())?);
    let pause = Duration::from_millis(args.next().map_or(Ok(0), |text| text.parse())?);
    let load = Load { tasks, time: seconds, pause };
    if place.starts_with("postgres") {
        let store = postgres::connect(&place, postgres::PostgresOptions::default()).await?;
        return measure(store, load).await;
    }
    let folder = tempfile::tempdir_in(&place)?;
    println!("fsync of 4 KiB: {:.2} ms", sync_ms(folder.path())?);
    let store = sqlite::open(folder.path().join("games.db"), sqlite::SqliteOptions::default())?;
    measure(store, load).await?;
    for rows in [1, 100, tasks] {
        let rate = bare_rate(&folder.path().join(format!("bare{rows}.db")), rows, seconds / 2)?;
        println!("bare loop, {rows} rows a commit: {rate:.0} rows/s");
    }
    Ok(())
}

/// The median time of a small write that is synced.
fn sync_ms(folder: &Path) -> Outcome<f64> {
    use std::io::Write;

    let mut file = std::fs::File::create(folder.join("sync"))?;
    let mut times = Vec::new();
    for _ in 0..50 {
        let start = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2].as_secs_f64() * 1e3)
}

/// The load on the store.
#[derive(Clone, Copy)]
struct Load {
    tasks: usize,
    time: Duration,
    pause: Duration,
}

async fn measure(store: Arc<dyn Store>, load: Load) -> Outcome<()> {
    let tasks = load.tasks;
    let start = Instant::now();
    let seed = store.reserve_player_ids(1).await?.0;
    let games = (0..tasks).map(|task| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            // With pauses, the tasks take turns instead of moving all at once.
            tokio::time::sleep(load.pause * task as u32 / tasks as u32).await;
            play(&*store, game_id(seed, task), load).await
        })
    });
    let mut waits = Vec::new();
    for game in games.collect::<Vec<_>>() {
        waits.extend(game.await??);
    }
    let elapsed = start.elapsed();
    waits.sort();
    let at = |share: f64| waits[(waits.len() as f64 * share) as usize].as_secs_f64() * 1e3;
    let metrics = store.metrics();
    println!(
        "{tasks} tasks: {:.0} durable appends/s, {} appends in {} commits, p50 {:.1} ms, p99 {:.1} ms",
        waits.len() as f64 / elapsed.as_secs_f64(),
        waits.len(),
        metrics.commits,
        at(0.50),
        at(0.99),
    );
    store.close().await?;
    Ok(())
}

/// Appends moves to one game, one after the other, and returns how long each took.
async fn play(store: &dyn Store, id: GameId, load: Load) -> Outcome<Vec<Duration>> {
    let settings = Settings {
        start: Position::start(),
        is_chess960: false,
        time_control: TimeControl::Increment { initial_ms: 180_000, increment_ms: 2_000 },
        clock_start: ClockStart::Game,
        is_rated: true,
        is_touch_move: false,
        allows_takeback: false,
    };
    let at = Moment::from_millis(1_700_000_000_000);
    store.create_game(NewGame { id, settings, created: at }).await?;
    let start = Instant::now();
    let mut waits = Vec::new();
    for version in 1.. {
        if start.elapsed() > load.time {
            break;
        }
        let event = Event::Moved {
            ply: version - 1,
            mv: "e2e4".parse()?,
            spent_ms: 1234,
            compensated_ms: 21,
            remaining_ms: Some(176_543),
        };
        let asked = Instant::now();
        store.append(Batch::new(id, vec![Recorded { version, at, event }])).await?;
        waits.push(asked.elapsed());
        if load.pause > Duration::ZERO {
            tokio::time::sleep(load.pause).await;
        }
    }
    Ok(waits)
}

fn game_id(seed: u64, task: usize) -> GameId {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&task.to_le_bytes());
    GameId::from_random(bytes)
}

/// Measures what the disk allows: commits rows of the same size, `rows` in each transaction, and
/// does nothing else.
fn bare_rate(path: &Path, rows: usize, time: Duration) -> Outcome<f64> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE events (game INTEGER, version INTEGER, event TEXT, UNIQUE (game, version))",
    )?;
    let event = "x".repeat(100);
    let start = Instant::now();
    let mut version = 0;
    while start.elapsed() < time {
        version += 1;
        let transaction = connection.unchecked_transaction()?;
        let mut insert = transaction.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3)")?;
        for game in 0..rows {
            insert.execute((game, version, &event))?;
        }
        drop(insert);
        transaction.commit()?;
    }
    Ok((version * rows) as f64 / start.elapsed().as_secs_f64())
}
