//! The functions and the two buffers through which the browser talks to this module.
//!
//! The only global state is here, one `Desk` per module. The page calls `reserve` for a buffer to
//! write a request into, then `ask`, which returns the length of the response, then `answer` for
//! its address. No pointer is ever read here: the module owns both buffers.

use std::cell::RefCell;

use crate::{Desk, MAX_QUESTION_BYTES, World};

// SAFETY: the page provides both functions when it starts the module. The first has no arguments;
// the second reads bytes that stay in place until it returns.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns the milliseconds on a monotonic clock.
    safe fn now() -> f64;
    /// Sends a message while a request is still being processed.
    safe fn tell(text: *const u8, length: usize);
}

struct Page;

impl World for Page {
    fn now_ms(&self) -> f64 {
        now()
    }

    fn tell(&self, text: &str) {
        tell(text.as_ptr(), text.len());
    }
}

#[derive(Default)]
struct Counter {
    desk: Desk,
    question: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static COUNTER: RefCell<Counter> = RefCell::default();
}

/// Returns the buffer for a request of `length` bytes, or null if it is too long.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn reserve(length: usize) -> *mut u8 {
    COUNTER.with_borrow_mut(|counter| {
        if length > MAX_QUESTION_BYTES {
            return std::ptr::null_mut();
        }
        counter.question.clear();
        counter.question.resize(length, 0);
        counter.question.as_mut_ptr()
    })
}

/// Processes the request in the buffer and returns the length of the response.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ask() -> usize {
    COUNTER.with_borrow_mut(|counter| {
        let question = std::mem::take(&mut counter.question);
        counter.answer = counter.desk.answer(&question, &Page).into_bytes();
        counter.answer.len()
    })
}

/// Processes the buffer as the next bytes of the library file and returns the length of the
/// response.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn feed() -> usize {
    COUNTER.with_borrow_mut(|counter| {
        let bytes = std::mem::take(&mut counter.question);
        counter.answer = counter.desk.feed(&bytes).into_bytes();
        counter.answer.len()
    })
}

/// Returns the address of the last response, valid until the next request.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    COUNTER.with_borrow(|counter| counter.answer.as_ptr())
}
