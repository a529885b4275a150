-- +goose Up

-- Times are milliseconds since 1970, UTC.

-- The last position that the log gave, and the position up to which the log holds nothing.
CREATE TABLE event_head (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL,
    dropped  INTEGER NOT NULL
) STRICT;
INSERT INTO event_head (one, position, dropped) VALUES (1, 0, 0);

-- The event log, one row for each event, in the order of commits. NULL stands for an empty text and for an absent
-- value. The table has no index besides that order: searches for anything else read the whole log.
CREATE TABLE events (
    position      INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL, -- 16 bytes
    kind          INTEGER NOT NULL, -- event.Kind
    sandbox       INTEGER NOT NULL,
    at            INTEGER,          -- NULL: as received
    received      INTEGER NOT NULL,
    account       TEXT,
    client        TEXT,
    user          TEXT,
    external_user TEXT,
    video         TEXT,
    segment_start INTEGER,          -- milliseconds; NULL: 0
    segment_end   INTEGER,          -- milliseconds
    subtype       TEXT,
    trace         TEXT,
    referer       TEXT,
    details       BLOB,             -- JSON
    metadata      BLOB,
    counted       INTEGER,          -- milliseconds of the segment that count; NULL: all of it
    hidden        INTEGER           -- 1: at receipt, the video did not exist or the caller could not see it; NULL: it could
) STRICT;

-- Addresses of callers, in a table of their own and in the order in which the store forgets them.
CREATE TABLE addresses (
    received INTEGER NOT NULL,
    position INTEGER NOT NULL, -- events.position
    address  TEXT    NOT NULL,
    PRIMARY KEY (received, position)
) STRICT, WITHOUT ROWID;

-- Idempotency keys.
CREATE TABLE event_keys (
    client      TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    received    INTEGER NOT NULL,
    PRIMARY KEY (client, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_keys_received ON event_keys (received);

-- The first and last position of the events that were received in a month. Events of other months may lie between them.
CREATE TABLE event_months (
    month INTEGER PRIMARY KEY, -- since January 1970
    first INTEGER NOT NULL,
    last  INTEGER NOT NULL
) STRICT;

-- The milliseconds that count in each viewing of an embed.
CREATE TABLE viewings (
    id      TEXT    NOT NULL PRIMARY KEY,
    opened  INTEGER NOT NULL,
    counted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX viewings_opened ON viewings (opened);

-- Damaged events that an operator skipped (store.SkippedEvent). Readers never read them.
CREATE TABLE skipped_events (
    position INTEGER PRIMARY KEY, -- events.position
    at       INTEGER NOT NULL,
    by       TEXT    NOT NULL,
    reason   TEXT    NOT NULL
) STRICT;

-- Servers write this row to learn whether the log can be written.
CREATE TABLE event_check (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at  INTEGER NOT NULL
) STRICT;
INSERT INTO event_check (one, at) VALUES (1, 0);

-- The state of the processes' wall clocks (store.ClockRecord).
CREATE TABLE event_clock (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    body BLOB NOT NULL -- JSON
) STRICT;
INSERT INTO event_clock (one, body) VALUES (1, CAST('{}' AS BLOB));
