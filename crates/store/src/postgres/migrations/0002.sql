-- What can be had once: a seek that several nodes could pair. `game` is the game that took it, NULL
-- if whoever sought has withdrawn.

CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    game TEXT,
    expires BIGINT NOT NULL
);

CREATE INDEX claims_by_end ON claims (expires);

-- Which database this is, so that servers that share another one are told apart on a bus.
INSERT INTO counters (name, value) VALUES ('identity', floor(random() * 9007199254740991)::bigint);
