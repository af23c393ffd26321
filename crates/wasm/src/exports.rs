//! The few functions and the two buffers through which the browser speaks to this module.
//!
//! Owns: the only state there is, one desk per module. The page calls `reserve` for a place to
//! write a question of so many bytes, then `ask`, which says how long the answer is, then `answer`
//! for where it is. No pointer is ever read here: the buffers are our own.

use std::cell::RefCell;

use crate::{Desk, MAX_QUESTION_BYTES, World};

// SAFETY: the page gives both functions when it starts the module. The first has no arguments;
// the second reads bytes that stay where they are until it returns.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds on a clock that never goes back.
    safe fn now() -> f64;
    /// Something to tell while a question is still being answered.
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

/// Where a question of so many bytes is to be written; null if it is too long.
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

/// Answers the question that was written, and says how many bytes the answer has.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ask() -> usize {
    COUNTER.with_borrow_mut(|counter| {
        let question = std::mem::take(&mut counter.question);
        counter.answer = counter.desk.answer(&question, &Page).into_bytes();
        counter.answer.len()
    })
}

/// Takes what was written as the next bytes of the file in the library, and says how many bytes
/// the answer has.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn feed() -> usize {
    COUNTER.with_borrow_mut(|counter| {
        let bytes = std::mem::take(&mut counter.question);
        counter.answer = counter.desk.feed(&bytes).into_bytes();
        counter.answer.len()
    })
}

/// Where the last answer is, until the next question.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    COUNTER.with_borrow(|counter| counter.answer.as_ptr())
}
