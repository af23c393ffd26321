-- What may be deleted once it is old enough, and the indexes that find it.
CREATE INDEX chat_by_time ON chat (at);
CREATE INDEX reports_by_end ON reports (closed) WHERE closed IS NOT NULL;
CREATE INDEX recovery_codes_by_end ON recovery_codes (expires) WHERE expires IS NOT NULL;

-- Entries of the audit log are still never changed. Those from before the time in this counter, which
-- follows from how long the operator wants to keep them, can be deleted.
DROP TRIGGER audit_is_not_deleted;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
WHEN OLD.at >= COALESCE((SELECT value FROM counters WHERE name = 'audit_kept_from'), 0)
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
