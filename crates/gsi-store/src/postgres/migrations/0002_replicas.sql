-- What keys were used for on each replica, so that a quota holds for the set. Unlogged: it is worth nothing after a
-- crash, and need not be written twice.
CREATE UNLOGGED TABLE key_use (
    replica TEXT COLLATE "C" NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    taken   BIGINT NOT NULL,
    told_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (replica, key)
);
