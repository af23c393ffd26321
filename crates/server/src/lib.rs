//! Games between people over the network: HTTP, sockets, pairing, ratings.
