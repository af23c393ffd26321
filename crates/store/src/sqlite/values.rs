//! Converts statement values to and from SQLite's types.
//!
//! Invariant: a stored value reads back as the same value, except that NULL loses its type, and
//! damaged text reads back as bytes.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql, params_from_iter};

use crate::statement::{Row, Select, Value};

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Int(None) | Value::Text(None) => ValueRef::Null,
            Value::Int(Some(number)) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Converts a column. Text that is not UTF-8 becomes bytes, so that only the row that has it counts as
/// damaged, and not the whole query.
fn from_ref(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Text(None),
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => match core::str::from_utf8(bytes) {
            Ok(text) => text.to_owned().into(),
            Err(_) => Value::Bytes(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

/// Runs one query.
pub(super) fn fetch(connection: &Connection, select: &Select) -> rusqlite::Result<Vec<Row>> {
    let mut statement: CachedStatement<'_> = connection.prepare_cached(select.sql)?;
    let width = statement.column_count();
    let rows = statement.query_map(params_from_iter(&select.args), |row| {
        let columns = (0..width).map(|index| Ok(from_ref(row.get_ref(index)?)));
        columns.collect::<rusqlite::Result<Vec<_>>>().map(Row::new)
    })?;
    rows.collect()
}
