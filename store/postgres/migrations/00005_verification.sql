-- +goose Up

-- Verified spans of the event log, each with a fingerprint of its content (package usage/counting).
CREATE TABLE usage_verified_spans (
    begin_after bigint PRIMARY KEY, -- the span contains the events after this position
    up_to       bigint NOT NULL,
    counted     bigint NOT NULL,    -- the time of the first count
    verified    bigint NOT NULL,    -- the time of the last recount
    voids       bigint NOT NULL,    -- the number of the next void or undo at that time
    dropped     bigint NOT NULL,    -- the position up to which the log was dropped at that time
    skipped     bigint NOT NULL,    -- the skipped events in the span
    content     bytea  NOT NULL,
    changed     bytea               -- the last content, if it differs
);

-- The state of the verification, and a secret with which contents are computed.
CREATE TABLE usage_verification (
    one   boolean PRIMARY KEY CHECK (one),
    seed  bytea   NOT NULL,
    state bytea
);
INSERT INTO usage_verification (one, seed)
    VALUES (true, sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
