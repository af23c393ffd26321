-- The first schema, with the same tables and columns as in SQLite.

CREATE TABLE games (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    created BIGINT NOT NULL,
    white_player BIGINT,
    white_name TEXT,
    white_folded TEXT,
    white_rating BIGINT,
    black_player BIGINT,
    black_name TEXT,
    black_folded TEXT,
    black_rating BIGINT,
    plies BIGINT NOT NULL DEFAULT 0,
    reason TEXT,
    winner TEXT CHECK (winner IN ('white', 'black')),
    finished BIGINT,
    CHECK ((finished IS NULL) = (reason IS NULL))
);

CREATE INDEX games_unfinished ON games (number) WHERE finished IS NULL;
-- The index contains the folded names, so that a search by name reads only the index.
CREATE INDEX games_finished ON games (finished, number, white_folded, black_folded)
    WHERE finished IS NOT NULL;
CREATE INDEX games_longest ON games (plies DESC, number) WHERE finished IS NOT NULL;
CREATE INDEX games_of_white ON games (white_folded, winner, reason) WHERE finished IS NOT NULL;
CREATE INDEX games_of_black ON games (black_folded, winner, reason) WHERE finished IS NOT NULL;

CREATE TABLE events (
    game BIGINT NOT NULL REFERENCES games (number),
    version BIGINT NOT NULL CHECK (version > 0),
    at BIGINT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (game, version)
);

CREATE TABLE accounts (
    player BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE sessions (
    digest BYTEA PRIMARY KEY CHECK (length(digest) = 32),
    player BIGINT NOT NULL,
    account BIGINT REFERENCES accounts (player) ON DELETE CASCADE,
    name TEXT NOT NULL,
    created BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    device TEXT NOT NULL
);

CREATE INDEX sessions_of_player ON sessions (player, seen);
CREATE INDEX sessions_by_end ON sessions (expires);
CREATE INDEX sessions_of_account ON sessions (account) WHERE account IS NOT NULL;

CREATE TABLE ratings (
    player BIGINT NOT NULL REFERENCES accounts (player) ON DELETE CASCADE,
    category TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    rated BIGINT NOT NULL,
    PRIMARY KEY (player, category)
);

CREATE TABLE chat (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game BIGINT NOT NULL REFERENCES games (number),
    at BIGINT NOT NULL,
    player BIGINT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL
);

CREATE INDEX chat_of_game ON chat (game, number);

CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    host BIGINT NOT NULL,
    host_name TEXT NOT NULL,
    host_color TEXT CHECK (host_color IN ('white', 'black')),
    settings TEXT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL
);

CREATE INDEX invitations_of_host ON invitations (host, created);
CREATE INDEX invitations_by_end ON invitations (expires);

CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
