-- Moderation, and what protects an account besides its password.
ALTER TABLE accounts ADD COLUMN is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1));

-- `target` is a player ID, a folded name, or an address with the length of its prefix. `label` is what
-- people read. A ban without `until` has no end.
CREATE TABLE bans (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('player', 'name', 'network')),
    target TEXT NOT NULL,
    label TEXT NOT NULL,
    reason TEXT NOT NULL,
    banned_by TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER
) STRICT;

CREATE INDEX bans_of_target ON bans (kind, target);
CREATE INDEX bans_by_end ON bans (until) WHERE until IS NOT NULL;

-- Codes that allow somebody to register while registration is by invitation.
CREATE TABLE registration_codes (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    uses_left INTEGER NOT NULL CHECK (uses_left >= 0),
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX registration_codes_by_end ON registration_codes (expires);

CREATE TABLE reports (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    reporter INTEGER NOT NULL,
    reporter_name TEXT NOT NULL,
    reported INTEGER NOT NULL,
    reported_name TEXT NOT NULL,
    game TEXT NOT NULL,
    text TEXT NOT NULL,
    closed INTEGER,
    closed_by TEXT,
    UNIQUE (reporter, reported, game),
    CHECK ((closed IS NULL) = (closed_by IS NULL))
) STRICT;

CREATE INDEX reports_open ON reports (number) WHERE closed IS NULL;

CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    details TEXT NOT NULL
) STRICT;

-- The log only grows, whatever a bug in the program or a hasty operator tries.
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;

-- Codes that replace a forgotten password or a lost second factor, each once. Those that an operator
-- creates expire; those of the owner do not.
CREATE TABLE recovery_codes (
    player INTEGER NOT NULL REFERENCES accounts (player) ON DELETE CASCADE,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    expires INTEGER,
    PRIMARY KEY (player, digest)
) STRICT, WITHOUT ROWID;

-- `last_step` is the time step of the last code that was used, so that no code works twice.
CREATE TABLE second_factors (
    player INTEGER PRIMARY KEY REFERENCES accounts (player) ON DELETE CASCADE,
    secret BLOB NOT NULL CHECK (length(secret) = 20),
    last_step INTEGER NOT NULL
) STRICT;
