//! The functions and the two buffers through which the browser talks to this module.
//!
//! The only global state is here, one `Api` per module. The page calls `reserve` for a buffer to
//! write a request into, then `ask`, which returns the length of the response, then `answer` for
//! its address. No pointer is ever read here: the module owns both buffers.

use std::cell::RefCell;

use crate::{Api, Host, MAX_REQUEST_BYTES};

// SAFETY: the page provides both functions when it starts the module. `tell` only reads the bytes
// that it is given, before it returns.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns the milliseconds on a monotonic clock.
    safe fn now() -> f64;
    /// Takes a report of a running search.
    #[cfg(feature = "engine")]
    safe fn tell(report: *const u8, length: usize);
}

struct Page;

impl Host for Page {
    fn now_ms(&self) -> f64 {
        now()
    }

    #[cfg(feature = "engine")]
    fn tell(&self, report: &str) {
        tell(report.as_ptr(), report.len());
    }
}

#[derive(Default)]
struct Instance {
    api: Api,
    request: Vec<u8>,
    response: Vec<u8>,
}

thread_local! {
    static INSTANCE: RefCell<Instance> = RefCell::default();
}

/// Returns the buffer for a request of `length` bytes, or null if it is too long.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn reserve(length: usize) -> *mut u8 {
    INSTANCE.with_borrow_mut(|instance| {
        if length > MAX_REQUEST_BYTES {
            return std::ptr::null_mut();
        }
        instance.request.clear();
        instance.request.resize(length, 0);
        instance.request.as_mut_ptr()
    })
}

/// Processes the request in the buffer and returns the length of the response.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ask() -> usize {
    INSTANCE.with_borrow_mut(|instance| {
        let request = std::mem::take(&mut instance.request);
        instance.response = instance.api.respond(&request, &Page).into_bytes();
        instance.response.len()
    })
}

/// Processes the buffer as the next bytes of the library file and returns the length of the
/// response.
#[cfg(feature = "library")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn feed() -> usize {
    INSTANCE.with_borrow_mut(|instance| {
        let bytes = std::mem::take(&mut instance.request);
        instance.response = instance.api.feed(&bytes).into_bytes();
        instance.response.len()
    })
}

/// Returns the address of the last response, valid until the next request.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    INSTANCE.with_borrow(|instance| instance.response.as_ptr())
}
