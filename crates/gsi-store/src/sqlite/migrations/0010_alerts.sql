-- What was on alert: one row when an alert begins, another when it ends.
CREATE TABLE alert (
    id TEXT NOT NULL,
    tick INTEGER NOT NULL,
    rule TEXT NOT NULL,
    country TEXT,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    body BLOB NOT NULL,
    PRIMARY KEY (id, tick)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_by_begin ON alert (began_at, id);
CREATE INDEX alert_by_tick ON alert (tick);

-- Where operators want to be told. `holds` is the alert of the hook's own rule, while that holds.
CREATE TABLE hook (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    holds TEXT
) STRICT;

-- The outbox: written with the tick, in the order it is to be sent.
CREATE TABLE delivery (
    key INTEGER PRIMARY KEY,
    hook TEXT NOT NULL,
    message TEXT NOT NULL,
    tick INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    next_try_at INTEGER NOT NULL,
    tries TEXT NOT NULL,
    UNIQUE (hook, message)
) STRICT;
CREATE INDEX delivery_waiting ON delivery (hook, key) WHERE state = 'waiting';
