//! The store as a user sees it: one suite of laws on both databases, and what happens when
//! disks and servers fail.

mod cluster;
mod conformance;
mod damage;
mod fixtures;
mod migrations;
mod postgres_faults;
mod postgres_network;
mod postgres_searches;
mod rig;
mod sqlite_faults;
