-- +goose Up

-- Events whose rows are damaged and which an operator has skipped (store.SkippedEvent). Readers never look at them.
CREATE TABLE skipped_events (
    position INTEGER PRIMARY KEY, -- events.position
    at       INTEGER NOT NULL,    -- milliseconds since 1970, UTC
    by       TEXT    NOT NULL,
    reason   TEXT    NOT NULL
) STRICT;

-- The mark by which servers find out whether the log can be written.
CREATE TABLE event_check (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at  INTEGER NOT NULL -- milliseconds since 1970, UTC
) STRICT;
INSERT INTO event_check (one, at) VALUES (1, 0);

-- +goose Down
DROP TABLE event_check;
DROP TABLE skipped_events;
