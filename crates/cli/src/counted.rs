//! Numbers of things in words.

/// Returns a number with the name of what it counts, in the singular or the plural.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(
            [0, 1, 2].map(|number| counted(number, "game")),
            ["0 games", "1 game", "2 games"]
        );
    }
}
