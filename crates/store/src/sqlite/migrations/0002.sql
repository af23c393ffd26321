-- Claims that only one game can hold, such as a seek that several nodes could pair. `game` is the
-- game that holds the claim, or NULL if the claim was withdrawn.
CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    game TEXT,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_end ON claims (expires);
