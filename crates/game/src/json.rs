//! JSON forms of the types from the rules crate, to be named in `#[serde(with = "...")]`.
//!
//! `castellan-rules` does not use serde, so this module defines how its types are written. Invariant: a
//! written value reads back as the same value, and no other text is accepted.

/// Types whose `Display` text parses back: squares, UCI moves, game identifiers.
pub mod text {
    use std::fmt::{self, Display};
    use std::marker::PhantomData;
    use std::str::FromStr;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    /// Writes a value as its text.
    pub fn serialize<T: Display, S: Serializer>(value: &T, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(value)
    }

    /// Reads a value from its text.
    pub fn deserialize<'de, T, D>(d: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        d.deserialize_str(TextVisitor(PhantomData))
    }

    struct TextVisitor<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for TextVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
}

/// The same types, or null.
pub mod maybe_text {
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::Deserialize;
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    /// Writes a value as its text.
    pub fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        s: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => s.collect_str(value),
            None => s.serialize_none(),
        }
    }

    /// Reads a value from its text.
    pub fn deserialize<'de, T, D>(d: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<Cow<'de, str>>::deserialize(d)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

/// A color: `"white"` or `"black"`.
pub mod color {
    use castellan_rules::Color;
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum ColorName {
        White,
        Black,
    }

    impl From<ColorName> for Color {
        fn from(name: ColorName) -> Color {
            match name {
                ColorName::White => Color::White,
                ColorName::Black => Color::Black,
            }
        }
    }

    /// Writes the name of a color.
    pub fn serialize<S: Serializer>(color: &Color, s: S) -> Result<S::Ok, S::Error> {
        color.fold(ColorName::White, ColorName::Black).serialize(s)
    }

    /// Reads the name of a color.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Color, D::Error> {
        ColorName::deserialize(d).map(Color::from)
    }
}

/// A color or null.
pub mod maybe_color {
    use castellan_rules::Color;
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    use super::color::ColorName;

    /// Writes the name of a color.
    pub fn serialize<S: Serializer>(color: &Option<Color>, s: S) -> Result<S::Ok, S::Error> {
        color.map(|color| color.fold(ColorName::White, ColorName::Black)).serialize(s)
    }

    /// Reads the name of a color.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Color>, D::Error> {
        Option::<ColorName>::deserialize(d).map(|name| name.map(Color::from))
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
