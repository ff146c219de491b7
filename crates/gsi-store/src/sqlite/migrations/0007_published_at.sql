-- When a snapshot was committed. Of those before, nothing else is known than the tick they are of.
ALTER TABLE snapshot ADD COLUMN published_at INTEGER;
