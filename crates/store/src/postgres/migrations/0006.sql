-- What may be deleted once it is old enough, and the indexes that find it.
CREATE INDEX chat_by_time ON chat (at);
CREATE INDEX reports_by_end ON reports (closed) WHERE closed IS NOT NULL;
CREATE INDEX recovery_codes_by_end ON recovery_codes (expires) WHERE expires IS NOT NULL;

-- Entries of the audit log are still never changed. Those from before the time in this counter, which
-- follows from how long the operator wants to keep them, can be deleted.
DROP TRIGGER audit_is_not_changed ON audit;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION castellan_refuse_change();

CREATE FUNCTION castellan_refuse_deletion() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN IF OLD.at < (SELECT value FROM counters WHERE name = ''audit_kept_from'')
    THEN RETURN OLD; END IF; RAISE EXCEPTION ''the audit log cannot be changed''; END';

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION castellan_refuse_deletion();
