//! Every text of an index once: the same players meet again and again.

use std::collections::HashMap;
use std::rc::Rc;

use super::fold::cut;

/// A text of [`Names`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NameId(u32);

impl NameId {
    /// Its place in the order in which the texts came.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Texts, each of them once.
#[derive(Default)]
pub(super) struct Names {
    texts: Vec<Rc<str>>,
    ids: HashMap<Rc<str>, NameId>,
    bytes: usize,
}

/// What a text takes up beside its letters: two pointers, a count and its place in the map.
const OVERHEAD_BYTES: usize = 48;

impl Names {
    /// The number of a text, of which only a sensible length is kept.
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

    /// All texts from one on, in the order in which they came.
    pub(super) fn since(&self, first: usize) -> impl Iterator<Item = &str> {
        self.texts.iter().skip(first).map(|text| &**text)
    }

    /// How much memory they take up, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
