-- +goose Up

-- The index of persons: the places of users' names in the log. See package storelogic.

-- Segments of the log, from the position after `after` to `last`. The rows of a segment in event_persons show its
-- events if built = version.
CREATE TABLE event_segments (
    after   INTEGER PRIMARY KEY,
    last    INTEGER NOT NULL,
    version INTEGER NOT NULL, -- the number of times that names in the segment changed
    built   INTEGER NOT NULL, -- the version of the rows in event_persons
    failed  INTEGER NOT NULL  -- the version in which an event could not be read
) STRICT;
CREATE INDEX event_segments_stale ON event_segments (after) WHERE built <> version AND failed <> version;

-- The id is 256 times event_segments.after, and the first byte of the names' hashes.
CREATE TABLE event_persons (
    id   INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- The key of the hashes.
CREATE TABLE event_person_key (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    secret BLOB NOT NULL
) STRICT;
INSERT INTO event_person_key (one, secret) VALUES (1, randomblob(32));

-- A release that does not know the index erases persons too.
-- +goose StatementBegin
CREATE TRIGGER event_renamed AFTER UPDATE OF user, external_user ON events BEGIN
    UPDATE event_segments SET version = version + 1
    WHERE after = (SELECT max(after) FROM event_segments WHERE after < new.position) AND last >= new.position;
END;
-- +goose StatementEnd
