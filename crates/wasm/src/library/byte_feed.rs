//! A byte buffer that is filled from outside and read through `Read`.

use std::io::{self, ErrorKind, Read};

/// Bytes that have arrived but have not been read.
#[derive(Default)]
pub(super) struct ByteFeed {
    bytes: Vec<u8>,
    at: usize,
    is_closed: bool,
}

impl ByteFeed {
    /// Appends bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Marks the end of the input.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }
}

impl Read for ByteFeed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = &self.bytes[self.at..];
        if rest.is_empty() && !self.is_closed {
            return Err(ErrorKind::WouldBlock.into());
        }
        let read = rest.read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
