//! Stores the events of many games with two statements.
//!
//! This is the fast path for a server's most frequent write; `writer` handles everything else.
//! Invariant: the outcomes are the same as if the batches had been stored one by one, in order.

use std::collections::HashMap;

use castellan_game::GameId;
use sqlx::{Error, PgConnection, Row};

use crate::error::StoreError;
use crate::queue::WriteOutcome;
use crate::statement::NewEvent;

/// Reads the row number and the last version of each game.
const SELECT_HEADS: &str = "\
SELECT id, number, COALESCE((SELECT MAX(version) FROM events WHERE game = games.number), 0)
FROM games WHERE id = ANY($1)";

const INSERT: &str = "\
INSERT INTO events (game, version, at, event)
SELECT * FROM UNNEST($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])";

/// A game's row number and last version.
struct Head {
    number: i64,
    version: u32,
}

/// The columns of the rows to insert.
#[derive(Default)]
struct Columns<'a> {
    games: Vec<i64>,
    versions: Vec<i64>,
    times: Vec<i64>,
    events: Vec<&'a str>,
}

/// Stores batches of events. The result has one outcome for each batch; an error means that the
/// whole transaction failed.
pub(super) async fn store(
    connection: &mut PgConnection,
    batches: &[&[NewEvent]],
) -> Result<Vec<WriteOutcome>, Error> {
    let mut heads = heads(connection, batches).await?;
    let mut columns = Columns::default();
    let outcomes =
        batches.iter().map(|batch| append_rows(batch, &mut heads, &mut columns)).collect();
    if !columns.games.is_empty() {
        let insert = sqlx::query(INSERT).bind(&columns.games).bind(&columns.versions);
        insert.bind(&columns.times).bind(&columns.events).execute(connection).await?;
    }
    Ok(outcomes)
}

async fn heads(
    connection: &mut PgConnection,
    batches: &[&[NewEvent]],
) -> Result<HashMap<String, Head>, Error> {
    let ids: Vec<String> = batches.iter().flat_map(|batch| batch.first()).map(id).collect();
    let rows = sqlx::query(SELECT_HEADS).bind(&ids).fetch_all(connection).await?;
    let head = |row: &sqlx::postgres::PgRow| {
        let version = u32::try_from(row.try_get::<i64, _>(2)?).unwrap_or(u32::MAX);
        Ok((row.try_get(0)?, Head { number: row.try_get(1)?, version }))
    };
    rows.iter().map(head).collect()
}

fn id(event: &NewEvent) -> String {
    event.game.to_string()
}

/// Adds the rows of one batch if it follows the last stored version.
fn append_rows<'a>(
    batch: &'a [NewEvent],
    heads: &mut HashMap<String, Head>,
    columns: &mut Columns<'a>,
) -> WriteOutcome {
    let Some(first) = batch.first() else {
        return Ok(0);
    };
    let head = head_of(first.game, heads)?;
    if first.version.checked_sub(1) != Some(head.version) {
        let (game, stored, offered) = (first.game, head.version, first.version);
        return Err(StoreError::Conflict { game, stored, offered });
    }
    for event in batch {
        head.version = event.version;
        columns.games.push(head.number);
        columns.versions.push(event.version.into());
        columns.times.push(event.at);
        columns.events.push(&event.json);
    }
    Ok(batch.len() as u64)
}

fn head_of(game: GameId, heads: &mut HashMap<String, Head>) -> Result<&mut Head, StoreError> {
    heads.get_mut(&game.to_string()).ok_or(StoreError::NoSuchGame { game })
}
