//! The tags of a game.

use crate::comment::cut;
use crate::{MAX_TAG_NAME_BYTES, MAX_TAG_VALUE_BYTES};

/// The seven tags that every exported game has, in order, each with its value if nothing is
/// known.
pub const SEVEN_TAGS: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// A tag: a name and a value.
///
/// A name consists of letters, digits and underscores; a value contains no line breaks.
/// Characters that cannot be written are dropped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag {
    name: Box<str>,
    value: Box<str>,
}

impl Tag {
    /// Creates a tag; `None` if the name has no valid character.
    fn new(name: &str, value: &str) -> Option<Tag> {
        let is_part = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
        let name: String = name.chars().filter(is_part).take(MAX_TAG_NAME_BYTES).collect();
        let value = value.replace(['\n', '\r'], " ");
        let value = cut(&value, MAX_TAG_VALUE_BYTES);
        (!name.is_empty()).then(|| Tag { name: name.into(), value: value.into() })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value.
    pub fn value(&self) -> &str {
        &self.value
    }
}

/// The tags of a game, as they were read. If a name occurs more than once, the last value counts,
/// and the others are kept.
///
/// ```
/// use castellan_pgn::Tags;
/// let mut tags = Tags::default();
/// tags.set("White", "Polgár, Judit");
/// assert_eq!(tags.get("White"), Some("Polgár, Judit"));
/// assert_eq!(tags.get("Black"), None);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tags {
    list: Vec<Tag>,
}

impl Tags {
    /// Returns the value of a tag, or `None` if the game does not have it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.list.iter().rev().find(|tag| tag.name() == name).map(Tag::value)
    }

    /// Sets the value of a tag, replacing the old value if there is one.
    pub fn set(&mut self, name: &str, value: &str) {
        let Some(tag) = Tag::new(name, value) else { return };
        match self.list.iter_mut().rev().find(|old| old.name == tag.name) {
            Some(old) => *old = tag,
            None => self.list.push(tag),
        }
    }

    /// Appends a tag, even if the name already occurs.
    pub fn push(&mut self, name: &str, value: &str) {
        self.list.extend(Tag::new(name, value));
    }

    /// Removes all tags with this name.
    pub fn remove(&mut self, name: &str) {
        self.list.retain(|tag| tag.name() != name);
    }

    /// Returns all tags in the order they were read.
    pub fn iter(&self) -> std::slice::Iter<'_, Tag> {
        self.list.iter()
    }

    /// Returns the tags in export order: the seven required ones first, then the others sorted by
    /// name. Tags with the same name keep their order, so that the value that counts stays last.
    pub fn sorted(&self) -> Tags {
        let mut list = self.list.clone();
        for (name, unknown) in SEVEN_TAGS {
            if self.get(name).is_none() {
                list.extend(Tag::new(name, unknown));
            }
        }
        let rank = |tag: &Tag| {
            SEVEN_TAGS.iter().position(|(name, _)| *name == tag.name()).unwrap_or(SEVEN_TAGS.len())
        };
        list.sort_by(|one, other| {
            rank(one).cmp(&rank(other)).then_with(|| one.name.cmp(&other.name))
        });
        Tags { list }
    }
}

impl<'a> IntoIterator for &'a Tags {
    type Item = &'a Tag;
    type IntoIter = std::slice::Iter<'a, Tag>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
