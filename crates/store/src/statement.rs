//! Statements as values, so that both databases run the same SQL.
//!
//! This module defines arguments, rows, and writes as lists of steps; the backends run them.
//! Invariant: the SQL is constant text with numbered parameters `?1`, `?2`; no outside input is
//! ever part of it.

use std::borrow::Cow;

use castellan_game::GameId;

use crate::error::StoreError;

/// An argument of a statement or a column of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Int(Option<i64>),
    Real(f64),
    Text(Option<Cow<'static, str>>),
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(Some(number))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Int(Some(number.into()))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Real(number)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(Some(text.into()))
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Value {
        Value::Text(Some(text.into()))
    }
}

/// A query and its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Select {
    pub(crate) kind: ReadKind,
    pub(crate) sql: &'static str,
    pub(crate) args: Vec<Value>,
}

/// What a query is for. Each kind has connections of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadKind {
    /// A lookup that games and sessions wait for.
    Lookup,
    /// A search or a statistic that may read many rows. It ends when its time is up.
    Search,
}

/// One row of a result, read from left to right.
#[derive(Debug)]
pub(crate) struct Row {
    columns: std::vec::IntoIter<Value>,
}

impl Row {
    pub(crate) fn new(columns: Vec<Value>) -> Row {
        Row { columns: columns.into_iter() }
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        self.maybe_int()?.ok_or_else(|| unexpected("a number, not NULL"))
    }

    pub(crate) fn maybe_int(&mut self) -> Result<Option<i64>, StoreError> {
        match self.columns.next() {
            Some(Value::Int(number)) => Ok(number),
            // SQLite reports NULL without a type.
            Some(Value::Text(None)) => Ok(None),
            _ => Err(unexpected("a number")),
        }
    }

    pub(crate) fn real(&mut self) -> Result<f64, StoreError> {
        match self.columns.next() {
            Some(Value::Real(number)) => Ok(number),
            _ => Err(unexpected("a fraction")),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String, StoreError> {
        self.maybe_text()?.ok_or_else(|| unexpected("text, not NULL"))
    }

    pub(crate) fn maybe_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.columns.next() {
            Some(Value::Text(text)) => Ok(text.map(Cow::into_owned)),
            _ => Err(unexpected("text")),
        }
    }

    /// Reads text that may be damaged, and replaces what is not UTF-8.
    pub(crate) fn lossy_text(&mut self) -> Result<String, StoreError> {
        match self.columns.next() {
            Some(Value::Text(Some(text))) => Ok(text.into_owned()),
            Some(Value::Bytes(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            _ => Err(unexpected("text, not NULL")),
        }
    }

    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>, StoreError> {
        match self.columns.next() {
            Some(Value::Bytes(bytes)) => Ok(bytes),
            _ => Err(unexpected("bytes")),
        }
    }
}

fn unexpected(expected: &str) -> StoreError {
    StoreError::Damaged { what: format!("expected {expected} in a column") }
}

/// A write that is stored atomically.
#[derive(Debug)]
pub(crate) enum Write {
    /// Events and nothing else: most of a server's writes, so they can be stored in bulk.
    Events(Vec<NewEvent>),
    /// Any other write, in order; its result is the sum of the numbers that the steps return.
    Steps(Vec<Step>),
}

impl Write {
    /// Converts the write to steps.
    pub(crate) fn into_steps(self) -> Vec<Step> {
        match self {
            Write::Events(events) => events.into_iter().map(Step::event).collect(),
            Write::Steps(steps) => steps,
        }
    }
}

/// An encoded event that is ready to be stored.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    pub(crate) game: GameId,
    pub(crate) version: u32,
    pub(crate) at: i64,
    pub(crate) json: String,
}

/// One statement, and the result it must have.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) sql: &'static str,
    pub(crate) args: Vec<Value>,
    pub(crate) result: StepResult,
    pub(crate) on_zero: OnZero,
}

/// The number that a step returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepResult {
    /// The number of rows it changed.
    Changes,
    /// The only column of its only row; 0 if there is no row.
    Value,
}

/// What it means if a step returns 0.
#[derive(Debug, Clone)]
pub(crate) enum OnZero {
    /// The step has succeeded anyway.
    Fine,
    /// The write fails with this error.
    Fail(StoreError),
    /// The game is missing, or its version is not the one before `offered`.
    Conflict { game: GameId, offered: u32 },
}

impl Step {
    /// Creates a step that may change any number of rows.
    pub(crate) fn new(sql: &'static str, args: Vec<Value>) -> Step {
        Step { sql, args, result: StepResult::Changes, on_zero: OnZero::Fine }
    }

    /// Makes the write fail with `error` if the step changes nothing.
    pub(crate) fn or_fail(self, error: StoreError) -> Step {
        Step { on_zero: OnZero::Fail(error), ..self }
    }

    /// Creates the step that stores an event if it is the next of its game.
    pub(crate) fn event(event: NewEvent) -> Step {
        let NewEvent { game, version, at, json } = event;
        let args = vec![game.to_string().into(), version.into(), at.into(), json.into()];
        let on_zero = OnZero::Conflict { game, offered: version };
        Step { sql: crate::sql::ADD_EVENT, args, result: StepResult::Changes, on_zero }
    }
}

impl OnZero {
    /// Returns the error for a step that returned 0. `stored` is the version of the game; `None`
    /// if the game does not exist.
    pub(crate) fn error(&self, stored: Option<u32>) -> Option<StoreError> {
        match (self, stored) {
            (OnZero::Fine, _) => None,
            (OnZero::Fail(error), _) => Some(error.clone()),
            (&OnZero::Conflict { game, offered }, Some(stored)) => {
                Some(StoreError::Conflict { game, stored, offered })
            }
            (&OnZero::Conflict { game, .. }, None) => Some(StoreError::NoSuchGame { game }),
        }
    }
}
