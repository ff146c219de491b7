-- A list with filters walks the events of its window. With the filtered columns in the index it fetches only the rows that
-- match; valid_to stays out, so that closing a version still touches no index.
DROP INDEX event_version_in_list_order;
CREATE INDEX event_version_in_list_order ON event_version
    (occurred_at DESC, id ASC, valid_from, category, status, country, escalation, lat, lon, actors);
