-- Times are seconds since 1970-01-01T00:00:00Z. A body is zstd-compressed JSON and always the last column, so that
-- a filter over the columns before it does not read its overflow pages.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL CHECK (length(value) = 32),
    -- The end of a replaced secret's use; null for the current one.
    until INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- 'leader' is the fencing number: each new leader raises it, and every write checks it.
-- 'ticks_begun' is 1 from the first tick on; from then on data from outside a tick goes to `pending`.
INSERT INTO counter (name, value) VALUES ('keys', 0), ('leader', 0), ('ticks_begun', 0);

CREATE TABLE api_key (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    secret_hash     BLOB NOT NULL CHECK (length(secret_hash) = 32),
    scopes          TEXT NOT NULL,
    rate_per_minute INTEGER,
    rate_burst      INTEGER,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    revoked_at      INTEGER,
    -- The first second of the day the key was last used on.
    last_used       INTEGER
) STRICT, WITHOUT ROWID;

-- Changes of keys. Append-only.
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

CREATE TABLE feed_state (
    feed TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Names are long and repeat on every row of the log, so the log refers to them by number.
CREATE TABLE series (
    key    INTEGER PRIMARY KEY,
    series TEXT NOT NULL,
    entity TEXT NOT NULL,
    UNIQUE (series, entity)
) STRICT;

CREATE TABLE payload (
    key  INTEGER PRIMARY KEY,
    feed TEXT NOT NULL,
    raw  TEXT NOT NULL,
    UNIQUE (feed, raw)
) STRICT;

CREATE TABLE observation (
    series       INTEGER NOT NULL REFERENCES series (key),
    period_end   INTEGER NOT NULL,
    revision     INTEGER NOT NULL,
    period_start INTEGER NOT NULL,
    value        REAL NOT NULL,
    known_at     INTEGER NOT NULL,
    ingested_at  INTEGER NOT NULL,
    quality      REAL NOT NULL,
    payload      INTEGER NOT NULL REFERENCES payload (key),
    PRIMARY KEY (series, period_end, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE news_slot (
    stamp     INTEGER PRIMARY KEY,
    known_at  INTEGER NOT NULL,
    rows      INTEGER NOT NULL,
    articles  INTEGER NOT NULL,
    conflict  REAL NOT NULL,
    threat    REAL NOT NULL,
    cyber     INTEGER NOT NULL,
    supply    INTEGER NOT NULL,
    countries TEXT NOT NULL
) STRICT;

CREATE TABLE news_row (
    id         INTEGER PRIMARY KEY,
    added      INTEGER NOT NULL,
    day        INTEGER NOT NULL,
    code       TEXT NOT NULL,
    is_root    INTEGER NOT NULL,
    quad_class INTEGER NOT NULL,
    goldstein  REAL NOT NULL,
    mentions   INTEGER NOT NULL,
    sources    INTEGER NOT NULL,
    articles   INTEGER NOT NULL,
    tone       REAL NOT NULL,
    actor1     TEXT NOT NULL,
    actor2     TEXT NOT NULL,
    geo        TEXT,
    url        TEXT NOT NULL
) STRICT;
CREATE INDEX news_row_by_added ON news_row (added, id);

-- Data that arrived outside a tick (import, back-fill) and waits for the next one, in order of arrival.
CREATE TABLE pending (
    key  INTEGER PRIMARY KEY AUTOINCREMENT,
    rows INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- The engine's memory after a tick. The newest row is the frontier.
CREATE TABLE engine_state (
    tick INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- Narrow on purpose: histories read years of it.
CREATE TABLE snapshot (
    tick         INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    score        REAL NOT NULL,
    conflict     REAL,
    cyber        REAL,
    supply_chain REAL,
    macro        REAL,
    -- The time of the commit, at or after the tick.
    published_at INTEGER NOT NULL
) STRICT;

CREATE TABLE snapshot_body (
    tick          INTEGER PRIMARY KEY REFERENCES snapshot (tick),
    summary_as_of INTEGER NOT NULL,
    summary       TEXT NOT NULL,
    body          BLOB NOT NULL
) STRICT;

-- The countries of a tick: their scores in a few bytes for histories, and everything as a body.
CREATE TABLE country_snapshot (
    tick         INTEGER PRIMARY KEY,
    published_at INTEGER NOT NULL,
    points       BLOB NOT NULL,
    body         BLOB NOT NULL
) STRICT;

-- A version is shown at every tick with valid_from <= tick < valid_to.
CREATE TABLE event_version (
    key           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL,
    valid_from    INTEGER NOT NULL,
    valid_to      INTEGER NOT NULL,
    occurred_at   INTEGER NOT NULL,
    last_activity INTEGER NOT NULL,
    first_row     INTEGER NOT NULL,
    category      INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    country       TEXT,
    escalation    REAL NOT NULL,
    lat           REAL NOT NULL,
    lon           REAL NOT NULL,
    actors        TEXT NOT NULL,
    UNIQUE (id, valid_from)
) STRICT;
-- A list with filters walks the events of its window, so the index holds the filtered columns and the query fetches only
-- matching rows. valid_to is in no index, so that closing a version changes none.
CREATE INDEX event_version_in_list_order ON event_version
    (occurred_at DESC, id ASC, valid_from, category, status, country, escalation, lat, lon, actors);
CREATE INDEX event_version_by_activity ON event_version (last_activity, valid_from);

-- Closing a version is an update, which should not rewrite the body; filters should read narrow rows.
CREATE TABLE event_body (
    key  INTEGER PRIMARY KEY REFERENCES event_version (key),
    body BLOB NOT NULL
) STRICT;

CREATE TABLE event_alias (
    id   TEXT PRIMARY KEY,
    kept TEXT NOT NULL,
    tick INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE briefing (
    key          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    published_at INTEGER NOT NULL,
    tick         INTEGER NOT NULL,
    body         BLOB NOT NULL
) STRICT;
CREATE INDEX briefing_in_list_order ON briefing (published_at DESC, id ASC, tick);

CREATE TABLE briefing_tag (
    briefing INTEGER NOT NULL REFERENCES briefing (key),
    tag      TEXT NOT NULL,
    PRIMARY KEY (briefing, tag)
) STRICT, WITHOUT ROWID;

-- Requests for corrections of briefings. A request waits while tick is null; the tick that publishes the correction answers it.
CREATE TABLE correction (
    briefing     TEXT PRIMARY KEY,
    reason       TEXT NOT NULL,
    asked_at     INTEGER NOT NULL,
    tick         INTEGER,
    corrected_by TEXT UNIQUE,
    CHECK ((tick IS NULL) = (corrected_by IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX correction_by_tick ON correction (tick);

-- Alerts: one row when an alert begins, another when it ends.
CREATE TABLE alert (
    id       TEXT NOT NULL,
    tick     INTEGER NOT NULL,
    rule     TEXT NOT NULL,
    country  TEXT,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    body     BLOB NOT NULL,
    PRIMARY KEY (id, tick)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_by_begin ON alert (began_at, id);
CREATE INDEX alert_by_tick ON alert (tick);
