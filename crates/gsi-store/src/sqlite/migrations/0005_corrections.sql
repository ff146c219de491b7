-- What was asked about a briefing: it waits while tick is null, and is answered by the tick that published the correction.
CREATE TABLE correction (
    briefing     TEXT PRIMARY KEY,
    reason       TEXT NOT NULL,
    asked_at     INTEGER NOT NULL,
    tick         INTEGER,
    corrected_by TEXT UNIQUE,
    CHECK ((tick IS NULL) = (corrected_by IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX correction_by_tick ON correction (tick);
