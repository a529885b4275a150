-- +goose Up

-- The index of persons: the places of users' names in the log. See package storelogic.

-- Segments of the log, from the position after `after` to `last`. The rows of a segment in event_persons show its
-- events if built = version.
CREATE TABLE event_segments (
    after   bigint PRIMARY KEY,
    last    bigint NOT NULL,
    version bigint NOT NULL, -- the number of times that names in the segment changed
    built   bigint NOT NULL, -- the version of the rows in event_persons
    failed  bigint NOT NULL  -- the version in which an event could not be read
);
CREATE INDEX event_segments_stale ON event_segments (after) WHERE built <> version AND failed <> version;

-- The id is 256 times event_segments.after, and the first byte of the names' hashes. Hashes cannot be compressed.
CREATE TABLE event_persons (
    id   bigint PRIMARY KEY,
    body bytea  NOT NULL
);
ALTER TABLE event_persons ALTER COLUMN body SET STORAGE EXTERNAL;

-- The key of the hashes.
CREATE TABLE event_person_key (
    one    boolean PRIMARY KEY CHECK (one),
    secret bytea   NOT NULL
);
INSERT INTO event_person_key (one, secret)
SELECT true, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

-- A release that does not know the index erases persons too.
-- +goose StatementBegin
CREATE FUNCTION event_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_segments AS s SET version = s.version + 1
    FROM (SELECT DISTINCT of.after FROM renamed AS r, LATERAL (
        SELECT after, last FROM event_segments WHERE after < r.position ORDER BY after DESC LIMIT 1) AS of WHERE of.last >= r.position) AS changed
    WHERE s.after = changed.after;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_renamed AFTER UPDATE ON events REFERENCING NEW TABLE AS renamed
    FOR EACH STATEMENT EXECUTE FUNCTION event_renamed();
