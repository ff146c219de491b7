-- When a snapshot was committed. Of those before, and of those that a program of the format before writes, nothing else is
-- known than the tick they are of.
ALTER TABLE snapshot ADD COLUMN IF NOT EXISTS published_at BIGINT;
