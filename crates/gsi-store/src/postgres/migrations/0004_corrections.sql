-- What was asked about a briefing: it waits while tick is null, and is answered by the tick that published the correction.
-- A program of the format before never looks here: what is asked waits until a newer one leads.
CREATE TABLE correction (
    briefing     TEXT COLLATE "C" PRIMARY KEY,
    reason       TEXT COLLATE "C" NOT NULL,
    asked_at     BIGINT NOT NULL,
    tick         BIGINT,
    corrected_by TEXT COLLATE "C" UNIQUE,
    CHECK ((tick IS NULL) = (corrected_by IS NULL))
);
CREATE INDEX correction_by_tick ON correction (tick);
