//! The tags of a game.

use crate::comment::cut;
use crate::{MAX_TAG_NAME_BYTES, MAX_TAG_VALUE_BYTES};

/// The seven tags every game has when it is written, in order, and what stands there if nothing
/// is known.
pub const SEVEN_TAGS: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// One tag: a name and what it says.
///
/// A name is made of letters, digits and underscores; a value has no line ends in it. What
/// cannot be written is not kept.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag {
    name: Box<str>,
    value: Box<str>,
}

impl Tag {
    /// A tag; nothing if no letter of the name can stand in one.
    fn new(name: &str, value: &str) -> Option<Tag> {
        let is_part = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
        let name: String = name.chars().filter(is_part).take(MAX_TAG_NAME_BYTES).collect();
        let value = value.replace(['\n', '\r'], " ");
        let value = cut(&value, MAX_TAG_VALUE_BYTES);
        (!name.is_empty()).then(|| Tag { name: name.into(), value: value.into() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it says.
    pub fn value(&self) -> &str {
        &self.value
    }
}

/// The tags of a game, as they were read. If a name comes twice the last one counts, and the
/// others are kept.
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
    /// What the tag of a name says.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.list.iter().rev().find(|tag| tag.name() == name).map(Tag::value)
    }

    /// Gives a name a new value, in the place of the old one if there is one.
    pub fn set(&mut self, name: &str, value: &str) {
        let Some(tag) = Tag::new(name, value) else { return };
        match self.list.iter_mut().rev().find(|old| old.name == tag.name) {
            Some(old) => *old = tag,
            None => self.list.push(tag),
        }
    }

    /// Adds a tag at the end, even if there is one of that name.
    pub fn push(&mut self, name: &str, value: &str) {
        self.list.extend(Tag::new(name, value));
    }

    /// Takes all tags of a name away.
    pub fn remove(&mut self, name: &str) {
        self.list.retain(|tag| tag.name() != name);
    }

    /// All tags, in the order they were read.
    pub fn iter(&self) -> std::slice::Iter<'_, Tag> {
        self.list.iter()
    }

    /// The tags as they are written: the seven in order, then the others sorted by name. Of
    /// several with one name the last one comes last.
    pub fn sorted(&self) -> Tags {
        let mut list = self.list.clone();
        for (name, unknown) in SEVEN_TAGS {
            if self.get(name).is_none() {
                list.extend(Tag::new(name, unknown));
            }
        }
        let place = |tag: &Tag| SEVEN_TAGS.iter().position(|(name, _)| *name == tag.name());
        list.sort_by(|one, other| {
            let places = (place(one).unwrap_or(7), place(other).unwrap_or(7));
            places.0.cmp(&places.1).then_with(|| one.name.cmp(&other.name))
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
