//! Runs the property of the same name under `cargo fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| castellan_fuzz::doctor(data));
