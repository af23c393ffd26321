//! Checks the value of an option.

use super::DriverError;
use crate::{EngineOption, OptionKind};

/// Returns the value in the engine's spelling; `None` for a button.
pub(super) fn check(option: &EngineOption, value: &str) -> Result<Option<String>, DriverError> {
    let refuse = |expected: String| DriverError::BadValue {
        name: option.name.clone(),
        value: value.to_owned(),
        expected,
    };
    match &option.kind {
        OptionKind::Check { .. } => {
            let known = ["true", "false"].into_iter().find(|word| word.eq_ignore_ascii_case(value));
            let known = known.ok_or_else(|| refuse("true or false".to_owned()))?;
            Ok(Some(known.to_owned()))
        }
        OptionKind::Spin { min, max, .. } => {
            let number = value.parse::<i64>().ok().filter(|number| (min..=max).contains(&number));
            let number = number.ok_or_else(|| refuse(format!("a number from {min} to {max}")))?;
            Ok(Some(number.to_string()))
        }
        OptionKind::Combo { choices, .. } => {
            let known = choices.iter().find(|choice| choice.eq_ignore_ascii_case(value));
            let known = known.ok_or_else(|| refuse(format!("one of {}", choices.join(", "))))?;
            Ok(Some(known.clone()))
        }
        OptionKind::Button if value.is_empty() => Ok(None),
        OptionKind::Button => Err(refuse("no value, because it is a button".to_owned())),
        OptionKind::Text { .. } if value.contains(['\n', '\r']) => {
            Err(refuse("text on one line".to_owned()))
        }
        OptionKind::Text { .. } if value.trim().is_empty() => Ok(Some("<empty>".to_owned())),
        OptionKind::Text { .. } => Ok(Some(value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_value(kind: &str, value: &str, expected: Result<Option<&str>, &str>) {
        let line = format!("option name X type {kind}");
        let Ok(crate::EngineReply::Option(option)) = crate::EngineReply::parse(&line) else {
            panic!("{line}");
        };
        let checked = check(&option, value).map_err(|error| error.to_string());
        let found = checked.as_ref().map(Option::as_deref).map_err(String::as_str);
        assert_eq!(found, expected, "{kind}");
    }

    #[test]
    fn allowed_values_are_accepted_in_the_spelling_of_the_engine() {
        check_value("check", "TRUE", Ok(Some("true")));
        check_value("spin min 1 max 9", "9", Ok(Some("9")));
        check_value("combo var Very Risky var b", "very risky", Ok(Some("Very Risky")));
        check_value("button", "", Ok(None));
        check_value("string", "a b", Ok(Some("a b")));
        check_value("string", "", Ok(Some("<empty>")));
    }

    #[test]
    fn the_error_for_another_value_lists_the_allowed_ones() {
        let refused = |value: &str, expected: &str| {
            format!("option \"X\" cannot be {value:?}: expected {expected}")
        };
        check_value("check", "yes", Err(&refused("yes", "true or false")));
        let message = refused("10", "a number from 1 to 9");
        check_value("spin min 1 max 9", "10", Err(&message));
        check_value("spin min 1 max 9", "x", Err(&refused("x", "a number from 1 to 9")));
        check_value("combo var a var b", "c", Err(&refused("c", "one of a, b")));
        check_value("button", "x", Err(&refused("x", "no value, because it is a button")));
        check_value("string", "a\nquit", Err(&refused("a\nquit", "text on one line")));
    }
}
