-- What grows by time is kept by year: observations by the period they speak of, event versions and snapshots by the tick
-- they hold from. Years are made well ahead, so that no program has to make any; what lies outside has a place as well.
-- Names, columns and unique keys stay, so that a program of the format before goes on working.

CREATE FUNCTION gsi_make_years(parent TEXT, first_year INTEGER, last_year INTEGER) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    year INTEGER;
    starts BIGINT;
    ends BIGINT;
BEGIN
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%s)', parent || '_early', parent,
                   extract(epoch FROM make_timestamptz(first_year, 1, 1, 0, 0, 0, 'UTC'))::bigint);
    FOR year IN first_year..last_year LOOP
        starts := extract(epoch FROM make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC'))::bigint;
        ends := extract(epoch FROM make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'))::bigint;
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)', parent || '_' || year, parent,
                       starts, ends);
    END LOOP;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (MAXVALUE)', parent || '_late', parent,
                   extract(epoch FROM make_timestamptz(last_year + 1, 1, 1, 0, 0, 0, 'UTC'))::bigint);
END
$$;

-- No foreign keys here: every name is looked up when it is written and none is ever deleted; a second lookup for each
-- row would cost a backfill half its time.
ALTER TABLE observation RENAME TO observation_whole;
ALTER INDEX observation_pkey RENAME TO observation_whole_pkey;
CREATE TABLE observation (
    series       BIGINT NOT NULL,
    period_end   BIGINT NOT NULL,
    revision     BIGINT NOT NULL,
    period_start BIGINT NOT NULL,
    value        DOUBLE PRECISION NOT NULL,
    known_at     BIGINT NOT NULL,
    ingested_at  BIGINT NOT NULL,
    quality      DOUBLE PRECISION NOT NULL,
    payload      BIGINT NOT NULL,
    PRIMARY KEY (series, period_end, revision)
) PARTITION BY RANGE (period_end);
SELECT gsi_make_years('observation', 2000, 2049);
INSERT INTO observation SELECT * FROM observation_whole;
DROP TABLE observation_whole;

ALTER TABLE snapshot_body RENAME TO snapshot_body_whole;
ALTER INDEX snapshot_body_pkey RENAME TO snapshot_body_whole_pkey;
CREATE TABLE snapshot_body (
    tick          BIGINT PRIMARY KEY REFERENCES snapshot (tick),
    summary_as_of BIGINT NOT NULL,
    summary       TEXT COLLATE "C" NOT NULL,
    body          BYTEA NOT NULL
) PARTITION BY RANGE (tick);
ALTER TABLE snapshot_body ALTER COLUMN body SET STORAGE EXTERNAL;
SELECT gsi_make_years('snapshot_body', 2024, 2049);
INSERT INTO snapshot_body SELECT * FROM snapshot_body_whole;
DROP TABLE snapshot_body_whole;

ALTER TABLE event_version RENAME TO event_version_whole;
ALTER INDEX event_version_pkey RENAME TO event_version_whole_pkey;
ALTER INDEX event_version_id_valid_from_key RENAME TO event_version_whole_id_valid_from_key;
DROP INDEX event_version_in_list_order;
DROP INDEX event_version_by_activity;
CREATE SEQUENCE event_version_number;
CREATE TABLE event_version (
    key           BIGINT NOT NULL DEFAULT nextval('event_version_number'),
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
    PRIMARY KEY (key, valid_from),
    UNIQUE (id, valid_from)
) PARTITION BY RANGE (valid_from);
ALTER SEQUENCE event_version_number OWNED BY event_version.key;
ALTER TABLE event_version ALTER COLUMN body SET STORAGE EXTERNAL;
SELECT gsi_make_years('event_version', 2024, 2049);
CREATE INDEX event_version_in_list_order ON event_version (occurred_at DESC, id ASC, valid_from, valid_to);
CREATE INDEX event_version_by_activity ON event_version (last_activity, valid_from, valid_to);
INSERT INTO event_version SELECT * FROM event_version_whole;
SELECT setval('event_version_number', coalesce(max(key), 0) + 1, false) FROM event_version;
DROP TABLE event_version_whole;
