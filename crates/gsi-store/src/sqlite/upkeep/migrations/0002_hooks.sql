-- Where operators receive messages. `holds` is the alert of the hook's own rule while the rule holds.
CREATE TABLE hook (
    name  TEXT PRIMARY KEY,
    body  TEXT NOT NULL,
    holds TEXT
) STRICT;

-- The outbox: written in the tick's transaction, in sending order.
CREATE TABLE delivery (
    key           INTEGER PRIMARY KEY,
    hook          TEXT NOT NULL,
    message       TEXT NOT NULL,
    tick          INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    body          TEXT NOT NULL,
    state         TEXT NOT NULL,
    waiting_since INTEGER NOT NULL,
    next_try_at   INTEGER NOT NULL,
    tries         TEXT NOT NULL,
    UNIQUE (hook, message)
) STRICT;
CREATE INDEX delivery_waiting ON delivery (hook, key) WHERE state = 'waiting';
