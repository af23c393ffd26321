//! Live games. Each module covers a class of faults that other chess servers have had, or one of
//! our features.

mod client;
mod faulty_store;
mod server;
mod simple_client;

mod chat;
mod client_clocks;
mod cross_site;
mod damaged_games;
mod duplicates;
mod engine_games;
mod enumeration;
mod floods;
mod illegal_moves;
mod invitations;
mod lag_abuse;
mod moderation;
mod node_clocks;
mod node_deaths;
mod node_time;
mod nodes;
mod pairing;
mod plain_protocol;
mod ratings;
mod reconnecting;
mod restarts;
mod server_time;
mod sleeping;
mod stalling;
mod store_faults;
mod upgrades;
mod wrong_player;
