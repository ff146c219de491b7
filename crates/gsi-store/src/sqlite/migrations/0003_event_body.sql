-- A version is closed by an update. That must touch neither its body nor an index, and a filter should run over
-- narrow rows: so the body moves out, and valid_to leaves the indexes.
CREATE TABLE event_body (
    key  INTEGER PRIMARY KEY REFERENCES event_version (key),
    body BLOB NOT NULL
) STRICT;
INSERT INTO event_body (key, body) SELECT key, body FROM event_version;

DROP INDEX event_version_in_list_order;
DROP INDEX event_version_by_activity;
ALTER TABLE event_version DROP COLUMN body;
CREATE INDEX event_version_in_list_order ON event_version (occurred_at DESC, id ASC, valid_from);
CREATE INDEX event_version_by_activity ON event_version (last_activity, valid_from);
