-- +goose Up

-- The event log, one row for each event, in the order of commits. NULL stands for "" and for what the event
-- has not. There is no index but the order: whatever looks for anything else goes through the log.
CREATE TABLE events (
    position      INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL, -- 16 bytes
    kind          INTEGER NOT NULL, -- event.Kind
    sandbox       INTEGER NOT NULL,
    at            INTEGER,          -- milliseconds since 1970, UTC; NULL: as received
    received      INTEGER NOT NULL,
    account       TEXT,
    client        TEXT,
    user          TEXT,
    external_user TEXT,
    video         TEXT,
    segment_start INTEGER,          -- milliseconds; NULL: 0
    segment_end   INTEGER,
    subtype       TEXT,
    trace         TEXT,
    referer       TEXT,
    details       BLOB,             -- JSON
    metadata      BLOB
) STRICT;

-- The addresses of callers lie apart, in the order in which they are forgotten.
CREATE TABLE addresses (
    received INTEGER NOT NULL,
    position INTEGER NOT NULL, -- events.position
    address  TEXT    NOT NULL,
    PRIMARY KEY (received, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_keys (
    client      TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    received    INTEGER NOT NULL,
    PRIMARY KEY (client, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_keys_received ON event_keys (received);

-- Which positions hold events that were received in a month: other months' events may lie between them.
CREATE TABLE event_months (
    month INTEGER PRIMARY KEY, -- since January 1970
    first INTEGER NOT NULL,
    last  INTEGER NOT NULL
) STRICT;

-- The last position that was given, and the one up to which nothing was left after the last drop.
CREATE TABLE event_head (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL,
    dropped  INTEGER NOT NULL
) STRICT;
INSERT INTO event_head (one, position, dropped) VALUES (1, 0, 0);

-- +goose Down
DROP TABLE event_head;
DROP TABLE event_months;
DROP TABLE event_keys;
DROP TABLE addresses;
DROP TABLE events;
