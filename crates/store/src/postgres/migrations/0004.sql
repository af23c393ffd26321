-- Moderation, and what protects an account besides its password.
ALTER TABLE accounts ADD COLUMN is_admin BIGINT NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1));

-- `target` is a player ID, a folded name, or an address with the length of its prefix. `label` is what
-- people read. A ban without `until` has no end.
CREATE TABLE bans (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('player', 'name', 'network')),
    target TEXT NOT NULL,
    label TEXT NOT NULL,
    reason TEXT NOT NULL,
    banned_by TEXT NOT NULL,
    since BIGINT NOT NULL,
    until BIGINT
);

CREATE INDEX bans_of_target ON bans (kind, target);
CREATE INDEX bans_by_end ON bans (until) WHERE until IS NOT NULL;

-- Codes that allow somebody to register while registration is by invitation.
CREATE TABLE registration_codes (
    digest BYTEA PRIMARY KEY CHECK (length(digest) = 32),
    uses_left BIGINT NOT NULL CHECK (uses_left >= 0),
    expires BIGINT NOT NULL
);

CREATE INDEX registration_codes_by_end ON registration_codes (expires);

CREATE TABLE reports (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    reporter BIGINT NOT NULL,
    reporter_name TEXT NOT NULL,
    reported BIGINT NOT NULL,
    reported_name TEXT NOT NULL,
    game TEXT NOT NULL,
    text TEXT NOT NULL,
    closed BIGINT,
    closed_by TEXT,
    UNIQUE (reporter, reported, game),
    CHECK ((closed IS NULL) = (closed_by IS NULL))
);

CREATE INDEX reports_open ON reports (number) WHERE closed IS NULL;

CREATE TABLE audit (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    details TEXT NOT NULL
);

-- The log only grows, whatever a bug in the program or a hasty operator tries.
CREATE FUNCTION castellan_refuse_change() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN RAISE EXCEPTION ''the audit log cannot be changed''; END';

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION castellan_refuse_change();

-- Codes that replace a forgotten password or a lost second factor, each once. Those that an operator
-- creates expire; those of the owner do not.
CREATE TABLE recovery_codes (
    player BIGINT NOT NULL REFERENCES accounts (player) ON DELETE CASCADE,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    expires BIGINT,
    PRIMARY KEY (player, digest)
);

-- `last_step` is the time step of the last code that was used, so that no code works twice.
CREATE TABLE second_factors (
    player BIGINT PRIMARY KEY REFERENCES accounts (player) ON DELETE CASCADE,
    secret BYTEA NOT NULL CHECK (length(secret) = 20),
    last_step BIGINT NOT NULL
);
