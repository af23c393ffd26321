//! JSON forms of the types from the rules crate.
//!
//! This module defines how they are written. `castellan-rules` does not use serde, so the modules
//! here are named in `with` attributes. Invariant: a written value reads back as the same value,
//! and no other text is accepted.

/// Types whose `Display` text parses back: squares, UCI moves, game identifiers.
pub(crate) mod as_display {
    use std::fmt::{self, Display};
    use std::marker::PhantomData;
    use std::str::FromStr;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_str(Text(PhantomData))
    }

    struct Text<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
}

/// A color: `"white"` or `"black"`.
pub(crate) mod color {
    use castellan_rules::Color;
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum Word {
        White,
        Black,
    }

    impl From<Word> for Color {
        fn from(word: Word) -> Color {
            match word {
                Word::White => Color::White,
                Word::Black => Color::Black,
            }
        }
    }

    pub(crate) fn serialize<S: Serializer>(color: &Color, s: S) -> Result<S::Ok, S::Error> {
        color.fold(Word::White, Word::Black).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Color, D::Error> {
        Word::deserialize(d).map(Color::from)
    }
}

/// An optional color; `None` is `null`.
pub(crate) mod maybe_color {
    use castellan_rules::Color;
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    use super::color::Word;

    pub(crate) fn serialize<S: Serializer>(color: &Option<Color>, s: S) -> Result<S::Ok, S::Error> {
        color.map(|color| color.fold(Word::White, Word::Black)).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Color>, D::Error> {
        Option::<Word>::deserialize(d).map(|word| word.map(Color::from))
    }
}

/// A position as a FEN that loses no information: it names the en passant square after every
/// double step.
pub(crate) mod position {
    use castellan_rules::{EnPassantField, FenStyle, Position};
    use serde::Deserialize;
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(position: &Position, s: S) -> Result<S::Ok, S::Error> {
        let style = FenStyle { en_passant: EnPassantField::Always, ..FenStyle::default() };
        s.serialize_str(&position.to_fen_in(style))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Position, D::Error> {
        let fen = String::deserialize(d)?;
        Position::from_fen(&fen).map_err(|error| D::Error::custom(format!("a FEN: {error}")))
    }
}
