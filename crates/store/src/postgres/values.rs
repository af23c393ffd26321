//! Converts statement values to and from PostgreSQL's types.
//!
//! Invariant: a stored value reads back as the same value.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Error, PgExecutor, Postgres, Row as _, TypeInfo, ValueRef};

use crate::statement::{Row, Select, Value};

/// Converts a statement to PostgreSQL's parameter syntax, `$1` for `?1`.
pub(super) fn dialect(sql: &str) -> String {
    sql.replace('?', "$")
}

/// Binds the arguments to a statement.
pub(super) fn query<'q>(sql: &'q str, args: &'q [Value]) -> Query<'q, Postgres, PgArguments> {
    args.iter().fold(sqlx::query(sql), |query, value| match value {
        Value::Int(number) => query.bind(*number),
        Value::Real(number) => query.bind(*number),
        Value::Text(text) => query.bind(text.as_deref()),
        Value::Bytes(bytes) => query.bind(bytes.as_slice()),
    })
}

/// Runs one query.
pub(super) async fn fetch(
    executor: impl PgExecutor<'_>,
    select: &Select,
) -> Result<Vec<Row>, Error> {
    let sql = dialect(select.sql);
    let rows = query(&sql, &select.args).fetch_all(executor).await?;
    rows.iter().map(from_row).collect()
}

fn from_row(row: &PgRow) -> Result<Row, Error> {
    (0..row.len()).map(|index| from_column(row, index)).collect::<Result<_, _>>().map(Row::new)
}

fn from_column(row: &PgRow, index: usize) -> Result<Value, Error> {
    let raw = row.try_get_raw(index)?;
    let kind = raw.type_info();
    Ok(match kind.name() {
        "INT8" => Value::Int(row.try_get(index)?),
        "FLOAT8" => Value::Real(row.try_get(index)?),
        "BYTEA" => Value::Bytes(row.try_get(index)?),
        _ => Value::Text(row.try_get::<Option<String>, _>(index)?.map(Into::into)),
    })
}
