-- +goose Up

-- Verified spans of the event log, each with a fingerprint of its content (package usage/counting).
CREATE TABLE verified_spans (
    begin_after INTEGER PRIMARY KEY, -- the span contains the events after this position
    up_to       INTEGER NOT NULL,
    counted     INTEGER NOT NULL,    -- the time of the first count
    verified    INTEGER NOT NULL,    -- the time of the last recount
    voids       INTEGER NOT NULL,    -- the number of the next void or undo at that time
    dropped     INTEGER NOT NULL,    -- the position up to which the log was dropped at that time
    skipped     INTEGER NOT NULL,    -- the skipped events in the span
    content     BLOB    NOT NULL,
    changed     BLOB                 -- the last content, if it differs
) STRICT;

-- The state of the verification, and a secret with which contents are computed.
CREATE TABLE verification (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    seed  BLOB NOT NULL,
    state BLOB
) STRICT;
INSERT INTO verification (one, seed) VALUES (1, randomblob(32));
