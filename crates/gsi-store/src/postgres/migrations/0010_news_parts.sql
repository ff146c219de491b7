-- News rows are kept by their number, which grows with time: four million of them, about a month of the publisher's, make a part
-- that leaves the database as a whole once all of it is older than what is kept. Numbers stay unique over all parts. A part is made
-- by the writer that first needs it; rows of a program that does not know of parts go to news_row_other.
-- Names, columns and unique keys stay, so that a program of the format before goes on working.

CREATE FUNCTION gsi_make_news_parts(numbers BIGINT[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    size CONSTANT BIGINT := 4000000;
    part BIGINT;
    name TEXT;
BEGIN
    FOR part IN SELECT DISTINCT n / size FROM unnest(numbers) n LOOP
        name := 'news_row_' || part;
        -- Where an older program has begun a part in news_row_other, the rest of it goes there as well.
        CONTINUE WHEN to_regclass(name) IS NOT NULL
            OR EXISTS (SELECT 1 FROM news_row_other WHERE id >= part * size AND id < (part + 1) * size);
        -- To attach a table that was made before locks no reader out.
        EXECUTE format('CREATE TABLE %I (LIKE news_row INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format('ALTER TABLE news_row ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name,
                       part * size, (part + 1) * size);
    END LOOP;
END
$$;

ALTER TABLE news_row RENAME TO news_row_whole;
ALTER INDEX news_row_pkey RENAME TO news_row_whole_pkey;
DROP INDEX news_row_by_added;
CREATE TABLE news_row (LIKE news_row_whole, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE INDEX news_row_by_added ON news_row (added, id);
CREATE TABLE news_row_other PARTITION OF news_row DEFAULT;
SELECT gsi_make_news_parts(array(SELECT min(id) FROM news_row_whole GROUP BY id / 4000000));
INSERT INTO news_row SELECT * FROM news_row_whole;
DROP TABLE news_row_whole;
