-- Claims that only one game can hold, such as a seek that several nodes could pair. `game` is the
-- game that holds the claim, or NULL if the claim was withdrawn.

CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    game TEXT,
    expires BIGINT NOT NULL
);

CREATE INDEX claims_by_end ON claims (expires);

-- The identity of this database, which separates its servers from others on the same bus.
INSERT INTO counters (name, value) VALUES ('identity', floor(random() * 9007199254740991)::bigint);
