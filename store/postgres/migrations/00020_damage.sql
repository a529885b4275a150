-- +goose Up

-- Events whose rows are damaged and which an operator has skipped (store.SkippedEvent). Readers never look at them.
CREATE TABLE skipped_events (
    position bigint PRIMARY KEY, -- events.position
    at       bigint NOT NULL,    -- milliseconds since 1970, UTC
    by       text   NOT NULL,
    reason   text   NOT NULL
);

-- The mark by which servers find out whether the log can be written.
CREATE TABLE event_check (
    one boolean PRIMARY KEY CHECK (one),
    at  bigint  NOT NULL -- milliseconds since 1970, UTC
);
INSERT INTO event_check (one, at) VALUES (true, 0);

-- +goose Down
DROP TABLE event_check;
DROP TABLE skipped_events;
