-- The countries of a tick: their scores in a few bytes for histories, and all of it as a body.
CREATE TABLE country_snapshot (
    tick bigint PRIMARY KEY,
    published_at bigint NOT NULL,
    points bytea NOT NULL,
    body bytea NOT NULL
);
