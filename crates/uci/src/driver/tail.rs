//! Keeps only the end of a stream of text.

use std::collections::VecDeque;

/// The last bytes written, up to a limit.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Tail {
        Tail { bytes: VecDeque::new(), limit }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend(&bytes[bytes.len().saturating_sub(self.limit)..]);
        let excess = self.bytes.len().saturating_sub(self.limit);
        self.bytes.drain(..excess);
    }

    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::new(4);
        tail.write(b"ab");
        assert_eq!(tail.text(), "ab");
        tail.write(b"cde");
        assert_eq!(tail.text(), "bcde");
        tail.write(b"0123456789");
        assert_eq!(tail.text(), "6789");
        tail.write(b"");
        assert_eq!(tail.text(), "6789");
    }
}
