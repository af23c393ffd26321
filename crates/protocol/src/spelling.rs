//! JSON forms of values from other crates.
//!
//! This module writes colors as `"white"` and `"black"`, and squares and moves as in UCI. The
//! rules crate does not use serde, so fields name these modules in `#[serde(with = "...")]`.

/// A color: `"white"` or `"black"`.
pub(crate) mod color {
    use castellan_rules::Color;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// A color by its name.
    #[derive(Clone, Copy, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum ColorName {
        White,
        Black,
    }

    impl From<Color> for ColorName {
        fn from(color: Color) -> ColorName {
            color.fold(ColorName::White, ColorName::Black)
        }
    }

    impl From<ColorName> for Color {
        fn from(name: ColorName) -> Color {
            match name {
                ColorName::White => Color::White,
                ColorName::Black => Color::Black,
            }
        }
    }

    pub(crate) fn serialize<S: Serializer>(color: &Color, to: S) -> Result<S::Ok, S::Error> {
        ColorName::from(*color).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Color, D::Error> {
        ColorName::deserialize(from).map(Color::from)
    }
}

/// A color or null.
pub(crate) mod maybe_color {
    use castellan_rules::Color;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::color::ColorName;

    pub(crate) fn serialize<S: Serializer>(
        color: &Option<Color>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        color.map(ColorName::from).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Color>, D::Error> {
        Ok(Option::<ColorName>::deserialize(from)?.map(Color::from))
    }
}

/// Types whose `Display` text parses back: squares and moves.
pub(crate) mod text {
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        Cow::<'de, str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// The same types, or null.
pub(crate) mod maybe_text {
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<Cow<'de, str>>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
