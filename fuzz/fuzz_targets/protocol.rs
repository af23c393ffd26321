//! `cargo fuzz` drives the law of the same name.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| castellan_fuzz::protocol(data));
