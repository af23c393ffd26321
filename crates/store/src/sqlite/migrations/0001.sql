-- The first schema. Tables are joined by game number instead of game ID: games that are played at
-- the same time are then neighbors in the index of events, so a commit touches few pages.

CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    created INTEGER NOT NULL,
    white_player INTEGER,
    white_name TEXT,
    white_folded TEXT,
    white_rating INTEGER,
    black_player INTEGER,
    black_name TEXT,
    black_folded TEXT,
    black_rating INTEGER,
    plies INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    winner TEXT CHECK (winner IN ('white', 'black')),
    finished INTEGER,
    CHECK ((finished IS NULL) = (reason IS NULL))
) STRICT;

CREATE INDEX games_unfinished ON games (number) WHERE finished IS NULL;
-- The index contains the folded names, so that a search by name reads only the index.
CREATE INDEX games_finished ON games (finished, number, white_folded, black_folded)
    WHERE finished IS NOT NULL;
CREATE INDEX games_longest ON games (plies DESC, number) WHERE finished IS NOT NULL;
CREATE INDEX games_of_white ON games (white_folded, winner, reason) WHERE finished IS NOT NULL;
CREATE INDEX games_of_black ON games (black_folded, winner, reason) WHERE finished IS NOT NULL;

-- Rows are stored in order of arrival, so that a commit writes one page instead of one for each game.
CREATE TABLE events (
    game INTEGER NOT NULL REFERENCES games (number),
    version INTEGER NOT NULL CHECK (version > 0),
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    UNIQUE (game, version)
) STRICT;

CREATE TABLE accounts (
    player INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    player INTEGER NOT NULL,
    account INTEGER REFERENCES accounts (player) ON DELETE CASCADE,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    device TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_of_player ON sessions (player, seen);
CREATE INDEX sessions_by_end ON sessions (expires);
CREATE INDEX sessions_of_account ON sessions (account) WHERE account IS NOT NULL;

CREATE TABLE ratings (
    player INTEGER NOT NULL REFERENCES accounts (player) ON DELETE CASCADE,
    category TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    rated INTEGER NOT NULL,
    PRIMARY KEY (player, category)
) STRICT, WITHOUT ROWID;

CREATE TABLE chat (
    number INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES games (number),
    at INTEGER NOT NULL,
    player INTEGER NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX chat_of_game ON chat (game, number);

CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    host INTEGER NOT NULL,
    host_name TEXT NOT NULL,
    host_color TEXT CHECK (host_color IN ('white', 'black')),
    settings TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_of_host ON invitations (host, created);
CREATE INDEX invitations_by_end ON invitations (expires);

CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A random identity and the number of commits. A file next to the database contains both, so that
-- the server detects a database that has lost commits.
INSERT INTO counters (name, value) VALUES ('identity', random()), ('commits', 0);
