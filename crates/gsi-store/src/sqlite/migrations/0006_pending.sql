-- What arrived outside a tick (import, back-fill) and waits to become known with one, in the order it arrived.
CREATE TABLE pending (
    key  INTEGER PRIMARY KEY AUTOINCREMENT,
    rows INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
-- 1 once somebody computes ticks here: from then on nothing may be stored beside them.
INSERT INTO counter (name, value) VALUES ('ticks_begun', 0);
