//! The server over loopback, as a browser and as an attacker would use it.
//!
//! Each class of bugs that other chess servers have had over HTTP is a module: [`enumeration`],
//! [`session_theft`], [`csrf`], [`secrets`], [`hostile_text`], [`flood`], [`oversized`].

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed, wherever it stands")]

mod accounts;
mod csrf;
mod email;
mod enumeration;
mod flood;
mod harness;
mod hostile_text;
#[cfg(unix)]
mod local;
mod moderation;
mod operation;
mod oversized;
mod page;
mod reading;
mod secrets;
mod session_theft;
mod tls;
