//! The options that an engine declares.

use std::fmt;

use crate::words::{OneLine, Words};
use crate::{Expected, ParseUciError};

/// The word that represents an empty text.
const EMPTY: &str = "<empty>";

/// `option name NAME type KIND ...`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// The option's name, with single spaces.
    pub name: String,
    /// The type of the option, with its default and its allowed values.
    pub kind: OptionKind,
}

/// The type of an option, with its default and its allowed values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The initial value; `false` if the engine does not say.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The initial value; the minimum if the engine does not say, or 0 if it gives no minimum
        /// either.
        default: i64,
        /// The minimum; `i64::MIN` if the engine does not say.
        min: i64,
        /// The maximum; `i64::MAX` if the engine does not say.
        max: i64,
    },
    /// One of several predefined texts.
    Combo {
        /// The initial value; empty if the engine does not say.
        default: String,
        /// The allowed values.
        choices: Vec<String>,
    },
    /// An action that runs when the option is set.
    Button,
    /// Any text.
    Text {
        /// The initial value; empty if the engine does not say.
        default: String,
    },
}

impl EngineOption {
    /// Returns whether this is the option with the given name, ignoring ASCII case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Parses the words after `option`.
    pub(super) fn parse(words: &mut Words<'_>) -> Result<EngineOption, ParseUciError> {
        if !words.take("name") {
            return Err(words.expected(Expected::Name));
        }
        let name = words.until(&["type"]);
        if name.is_empty() {
            return Err(words.expected(Expected::Name));
        }
        words.take("type");
        let kind = words.value(Expected::OptionKind, |word| {
            ["check", "spin", "combo", "button", "string"].into_iter().find(|kind| *kind == word)
        })?;
        let kind = match kind {
            "check" => OptionKind::Check { default: check(words)? },
            "spin" => spin(words)?,
            "combo" => combo(words),
            "button" => OptionKind::Button,
            _ => OptionKind::Text { default: text(words) },
        };
        Ok(EngineOption { name, kind })
    }
}

fn check(words: &mut Words<'_>) -> Result<bool, ParseUciError> {
    if !words.take("default") {
        return Ok(false);
    }
    words.value(Expected::TrueOrFalse, |word| match word {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    })
}

fn spin(words: &mut Words<'_>) -> Result<OptionKind, ParseUciError> {
    let (mut default, mut min, mut max) = (None, None, None);
    while let Some(word) = words.next() {
        match word.text {
            "default" => default = Some(words.number()?),
            "min" => min = Some(words.number()?),
            "max" => max = Some(words.number()?),
            _ => {}
        }
    }
    Ok(OptionKind::Spin {
        default: default.or(min).unwrap_or(0),
        min: min.unwrap_or(i64::MIN),
        max: max.unwrap_or(i64::MAX),
    })
}

fn combo(words: &mut Words<'_>) -> OptionKind {
    let (mut default, mut choices) = (String::new(), Vec::new());
    while let Some(word) = words.next() {
        let value = words.until(&["default", "var"]);
        match word.text {
            "default" => default = value,
            "var" => choices.push(value),
            _ => {}
        }
    }
    OptionKind::Combo { default, choices }
}

fn text(words: &mut Words<'_>) -> String {
    let rest = if words.take("default") { words.rest() } else { String::new() };
    if rest == EMPTY { String::new() } else { rest }
}

impl fmt::Display for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", OneLine(&self.name))?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {}", OneLine(default))?;
                choices.iter().try_for_each(|choice| write!(f, " var {}", OneLine(choice)))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Text { default } if default.is_empty() => {
                write!(f, "string default {EMPTY}")
            }
            OptionKind::Text { default } => write!(f, "string default {}", OneLine(default)),
        }
    }
}
