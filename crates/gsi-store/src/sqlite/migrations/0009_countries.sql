-- The countries of a tick: their scores in a few bytes for histories, and all of it as a body.
CREATE TABLE country_snapshot (
    tick INTEGER PRIMARY KEY,
    published_at INTEGER NOT NULL,
    points BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;
