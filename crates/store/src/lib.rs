//! Games, accounts and sessions that outlive the process: SQLite or PostgreSQL.
