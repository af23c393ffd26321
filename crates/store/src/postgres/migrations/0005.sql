-- E-mail addresses that their owners have confirmed. Several accounts may have the same one.
CREATE TABLE emails (
    player BIGINT PRIMARY KEY REFERENCES accounts (player) ON DELETE CASCADE,
    address TEXT NOT NULL,
    confirmed BIGINT NOT NULL
);

CREATE INDEX emails_by_address ON emails (lower(address));

-- Codes that were sent by e-mail, each for one use: with an address, to confirm it; without one, to
-- choose a new password.
CREATE TABLE mail_codes (
    player BIGINT NOT NULL REFERENCES accounts (player) ON DELETE CASCADE,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    address TEXT,
    expires BIGINT NOT NULL,
    PRIMARY KEY (player, digest)
);

CREATE INDEX mail_codes_by_end ON mail_codes (expires);
