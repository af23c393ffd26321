-- Seeks that were paired or withdrawn. Several nodes may try to pair a seek, and the primary key lets
-- only one of them succeed. `game` is the game that the seek led to, or NULL if it was withdrawn.
CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    game TEXT,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_end ON claims (expires);
