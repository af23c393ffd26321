-- What can be had once: a seek that several nodes could pair. `game` is the game that took it; NULL
-- if whoever sought has withdrawn.
CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    game TEXT,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_end ON claims (expires);
