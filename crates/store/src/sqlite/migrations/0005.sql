-- E-mail addresses that their owners have confirmed. Several accounts may have the same one.
CREATE TABLE emails (
    player INTEGER PRIMARY KEY REFERENCES accounts (player) ON DELETE CASCADE,
    address TEXT NOT NULL,
    confirmed INTEGER NOT NULL
) STRICT;

CREATE INDEX emails_by_address ON emails (lower(address));

-- Codes that were sent by e-mail, each for one use: with an address, to confirm it; without one, to
-- choose a new password.
CREATE TABLE mail_codes (
    player INTEGER NOT NULL REFERENCES accounts (player) ON DELETE CASCADE,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    address TEXT,
    expires INTEGER NOT NULL,
    PRIMARY KEY (player, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX mail_codes_by_end ON mail_codes (expires);
