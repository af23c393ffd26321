-- Seeks that were paired or withdrawn. Several nodes may try to pair a seek, and the primary key lets
-- only one of them succeed. `game` is the game that the seek led to, or NULL if it was withdrawn.

CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    game TEXT,
    expires BIGINT NOT NULL
);

CREATE INDEX claims_by_end ON claims (expires);

-- A random identity, so that servers on one bus recognize which of them share this database.
INSERT INTO counters (name, value) VALUES ('identity', floor(random() * 9007199254740991)::bigint);
