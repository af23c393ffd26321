//! Interned texts of an index: the same players occur over and over.

use std::collections::HashMap;
use std::rc::Rc;

use super::fold::cut;

/// The number of a text in [`Names`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NameId(u32);

impl NameId {
    /// Returns the index of the text, in order of insertion.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of texts, each stored once.
#[derive(Default)]
pub(super) struct Names {
    texts: Vec<Rc<str>>,
    ids: HashMap<Rc<str>, NameId>,
    bytes: usize,
}

/// Memory per text besides its bytes: two pointers, a count and its entry in the map.
const OVERHEAD_BYTES: usize = 48;

impl Names {
    /// Returns the number of a text, which is shortened to the maximum length.
    pub(super) fn id(&mut self, text: &str) -> NameId {
        let text = cut(text);
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let kept: Rc<str> = text.into();
        self.bytes += text.len() + OVERHEAD_BYTES;
        self.texts.push(Rc::clone(&kept));
        self.ids.insert(kept, id);
        id
    }

    pub(super) fn text(&self, id: NameId) -> &str {
        self.texts.get(id.index()).map_or("", |text| text)
    }

    /// Returns all texts from index `first` on, in order of insertion.
    pub(super) fn since(&self, first: usize) -> impl Iterator<Item = &str> {
        self.texts.iter().skip(first).map(|text| &**text)
    }

    /// Returns the approximate memory used.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
