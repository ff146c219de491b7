-- Times are seconds since 1970-01-01T00:00:00Z. A body is zstd-compressed JSON. Text is compared byte by byte, so
-- that every server, whatever its locale, lists in the same order as the embedded backend.

CREATE TABLE meta (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE secret (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value BYTEA NOT NULL CHECK (length(value) = 32)
);

CREATE TABLE counter (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value BIGINT NOT NULL
);
-- 'leader' is the fencing number; whoever writes locks its row first.
INSERT INTO counter (name, value) VALUES ('keys', 0), ('leader', 0);

CREATE TABLE api_key (
    id              TEXT COLLATE "C" PRIMARY KEY,
    name            TEXT COLLATE "C" NOT NULL,
    secret_hash     BYTEA NOT NULL CHECK (length(secret_hash) = 32),
    scopes          TEXT COLLATE "C" NOT NULL,
    rate_per_minute BIGINT,
    rate_burst      BIGINT,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT,
    revoked_at      BIGINT
);

CREATE TABLE feed_state (
    feed TEXT COLLATE "C" PRIMARY KEY,
    body TEXT COLLATE "C" NOT NULL
);

-- Names are long and repeat on every row of the log, so the log refers to them by number.
CREATE TABLE series (
    key    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    series TEXT COLLATE "C" NOT NULL,
    entity TEXT COLLATE "C" NOT NULL,
    UNIQUE (series, entity)
);

CREATE TABLE payload (
    key  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    feed TEXT COLLATE "C" NOT NULL,
    raw  TEXT COLLATE "C" NOT NULL,
    UNIQUE (feed, raw)
);

CREATE TABLE observation (
    series       BIGINT NOT NULL REFERENCES series (key),
    period_end   BIGINT NOT NULL,
    revision     BIGINT NOT NULL,
    period_start BIGINT NOT NULL,
    value        DOUBLE PRECISION NOT NULL,
    known_at     BIGINT NOT NULL,
    ingested_at  BIGINT NOT NULL,
    quality      DOUBLE PRECISION NOT NULL,
    payload      BIGINT NOT NULL REFERENCES payload (key),
    PRIMARY KEY (series, period_end, revision)
);

CREATE TABLE news_slot (
    stamp     BIGINT PRIMARY KEY,
    known_at  BIGINT NOT NULL,
    rows      BIGINT NOT NULL,
    articles  BIGINT NOT NULL,
    conflict  DOUBLE PRECISION NOT NULL,
    threat    DOUBLE PRECISION NOT NULL,
    cyber     BIGINT NOT NULL,
    supply    BIGINT NOT NULL,
    countries TEXT COLLATE "C" NOT NULL
);

CREATE TABLE news_row (
    id         BIGINT PRIMARY KEY,
    added      BIGINT NOT NULL,
    day        INTEGER NOT NULL,
    code       TEXT COLLATE "C" NOT NULL,
    is_root    BOOLEAN NOT NULL,
    quad_class INTEGER NOT NULL,
    goldstein  DOUBLE PRECISION NOT NULL,
    mentions   BIGINT NOT NULL,
    sources    BIGINT NOT NULL,
    articles   BIGINT NOT NULL,
    tone       DOUBLE PRECISION NOT NULL,
    actor1     TEXT COLLATE "C" NOT NULL,
    actor2     TEXT COLLATE "C" NOT NULL,
    geo        TEXT COLLATE "C",
    url        TEXT COLLATE "C" NOT NULL
);
CREATE INDEX news_row_by_added ON news_row (added, id);

-- The engine's memory after a tick. The newest row is the frontier.
CREATE TABLE engine_state (
    tick BIGINT PRIMARY KEY,
    body BYTEA NOT NULL
);

-- Narrow on purpose: histories read years of it.
CREATE TABLE snapshot (
    tick         BIGINT PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL UNIQUE,
    score        DOUBLE PRECISION NOT NULL,
    conflict     DOUBLE PRECISION,
    cyber        DOUBLE PRECISION,
    supply_chain DOUBLE PRECISION,
    macro        DOUBLE PRECISION
);

CREATE TABLE snapshot_body (
    tick          BIGINT PRIMARY KEY REFERENCES snapshot (tick),
    summary_as_of BIGINT NOT NULL,
    summary       TEXT COLLATE "C" NOT NULL,
    body          BYTEA NOT NULL
);

-- A version is shown at every tick with valid_from <= tick < valid_to.
CREATE TABLE event_version (
    key           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT COLLATE "C" NOT NULL,
    valid_from    BIGINT NOT NULL,
    valid_to      BIGINT NOT NULL,
    occurred_at   BIGINT NOT NULL,
    last_activity BIGINT NOT NULL,
    first_row     BIGINT NOT NULL,
    category      INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    country       TEXT COLLATE "C",
    escalation    DOUBLE PRECISION NOT NULL,
    lat           DOUBLE PRECISION NOT NULL,
    lon           DOUBLE PRECISION NOT NULL,
    actors        TEXT COLLATE "C" NOT NULL,
    body          BYTEA NOT NULL,
    UNIQUE (id, valid_from)
);
CREATE INDEX event_version_in_list_order ON event_version (occurred_at DESC, id ASC, valid_from, valid_to);
CREATE INDEX event_version_by_activity ON event_version (last_activity, valid_from, valid_to);

CREATE TABLE event_alias (
    id   TEXT COLLATE "C" PRIMARY KEY,
    kept TEXT COLLATE "C" NOT NULL,
    tick BIGINT NOT NULL
);

CREATE TABLE briefing (
    key          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL UNIQUE,
    published_at BIGINT NOT NULL,
    tick         BIGINT NOT NULL,
    body         BYTEA NOT NULL
);
CREATE INDEX briefing_in_list_order ON briefing (published_at DESC, id ASC, tick);

CREATE TABLE briefing_tag (
    briefing BIGINT NOT NULL REFERENCES briefing (key),
    tag      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (briefing, tag)
);

-- Compressing what is compressed would only cost time.
ALTER TABLE engine_state ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE snapshot_body ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE event_version ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE briefing ALTER COLUMN body SET STORAGE EXTERNAL;
