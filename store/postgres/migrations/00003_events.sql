-- +goose Up

-- Times are milliseconds since 1970, UTC, here and in the tables of use. Texts are bytea as elsewhere; NULL
-- stands for an empty one.

-- The one row that every transaction that adds events locks last and changes: the last position that was
-- given. So the order of positions is the order of commits, there are no gaps, and whoever sees an event
-- can see every event before it. It is another row than head: imports and events do not wait for each other.
CREATE TABLE event_head (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO event_head (one, position) VALUES (true, 0);

-- What was dropped: nothing is left up to this position. A row of its own, for dropping takes its time.
CREATE TABLE event_drops (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO event_drops (one, position) VALUES (true, 0);

-- The log, in one partition for each month of receipt, which is made when it is needed and dropped whole.
CREATE TABLE events (
    position      bigint   NOT NULL,
    received      bigint   NOT NULL,
    at            bigint   NOT NULL,
    starts        bigint   NOT NULL, -- milliseconds from the video's beginning
    ends          bigint   NOT NULL, -- likewise
    id            uuid     NOT NULL,
    kind          smallint NOT NULL,
    sandbox       boolean  NOT NULL,
    account       bytea,
    client        bytea,
    user_id       bytea,
    external_user bytea,
    video         bytea,
    subtype       bytea,
    trace         bytea,
    referer       bytea,
    details       bytea, -- JSON
    metadata      bytea, -- JSON
    PRIMARY KEY (position, received)
) PARTITION BY RANGE (received);

-- Addresses of callers, which are forgotten long before the events: one row for events that follow one
-- another with the same address and receipt, as those of one request do; at most a thousand.
CREATE TABLE event_addresses (
    first    bigint PRIMARY KEY, -- the position of the first of them
    last     bigint NOT NULL,    -- of the last one
    received bigint NOT NULL,
    address  bytea  NOT NULL
);
CREATE INDEX event_addresses_received ON event_addresses (received, first);

-- Idempotency keys.
CREATE TABLE event_keys (
    sum         bytea  PRIMARY KEY, -- SHA-256 of client and key, which may be longer than an index takes
    fingerprint bytea  NOT NULL,
    received    bigint NOT NULL
);
CREATE INDEX event_keys_received ON event_keys (received, sum);
