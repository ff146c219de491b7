-- The day a key was last used on, as its first second.
ALTER TABLE api_key ADD COLUMN last_used INTEGER;
-- Until when a replaced secret is still taken; null for one that is in force.
ALTER TABLE secret ADD COLUMN until INTEGER;
-- What was done to keys. Only ever added to.
CREATE TABLE key_audit (
    key     INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    action  TEXT NOT NULL,
    key_id  TEXT NOT NULL,
    name    TEXT NOT NULL,
    made_by TEXT NOT NULL
) STRICT;
CREATE TRIGGER key_audit_is_not_changed BEFORE UPDATE ON key_audit
BEGIN SELECT RAISE(ABORT, 'the audit of keys is only added to'); END;
CREATE TRIGGER key_audit_is_not_removed BEFORE DELETE ON key_audit
BEGIN SELECT RAISE(ABORT, 'the audit of keys is only added to'); END;
