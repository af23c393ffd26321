//! What server and clients say to each other, as types and as JSON.
