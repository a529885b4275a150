-- +goose Up

-- Times are microseconds since 1970, UTC; days count from 1970.

-- Small records of every kind except videos. Links and jobs hold the number. The store gives a number once, so that a
-- record that is deleted and created again has none of the old links.
CREATE TABLE entities (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source     TEXT    NOT NULL,
    reference  TEXT    NOT NULL,
    folded     TEXT,             -- the name that must be unique within the kind, folded; NULL: none
    private    INTEGER NOT NULL, -- 1: a private channel
    body       BLOB    NOT NULL  -- JSON
) STRICT;
CREATE UNIQUE INDEX entities_id ON entities (id, kind);
CREATE UNIQUE INDEX entities_folded ON entities (folded, kind);
CREATE INDEX entities_source ON entities (kind, source, id);
CREATE INDEX entities_private ON entities (private) WHERE private = 1;

-- References from one entity (number) to another (target).
CREATE TABLE entity_links (
    target INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (target, number)
) STRICT, WITHOUT ROWID;

-- The columns that decide whether a caller sees a video, and its version. Bodies and transcripts have tables of their
-- own, so that a walk through the feed reads few pages.
CREATE TABLE videos (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT, -- immutable; never given twice
    id              TEXT    NOT NULL,
    version         INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    channel         INTEGER NOT NULL, -- entities.number
    available_until INTEGER,          -- a day
    retired         INTEGER NOT NULL,
    retired_into    TEXT,             -- the ID of the video that replaces this one
    legacy_id       TEXT,
    source          TEXT    NOT NULL,
    reference       TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX videos_id ON videos (id);
CREATE UNIQUE INDEX videos_legacy_id ON videos (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX videos_source ON videos (source, id);
CREATE INDEX videos_until ON videos (available_until, id) WHERE available_until IS NOT NULL;
-- A replacement stays as long as any video was retired into it.
CREATE INDEX videos_replacement ON videos (retired_into) WHERE retired_into IS NOT NULL;

CREATE TABLE video_bodies (
    seq  INTEGER PRIMARY KEY,
    body BLOB NOT NULL -- JSON
) STRICT;

CREATE TABLE video_transcripts (
    seq  INTEGER PRIMARY KEY,
    sum  BLOB NOT NULL, -- SHA-256 of the text: shows whether a text is unchanged without reading it
    text TEXT NOT NULL
) STRICT;

-- References from videos (seq) to entities (target).
CREATE TABLE video_links (
    target INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    PRIMARY KEY (target, seq)
) STRICT, WITHOUT ROWID;

-- Records of kinds that are too large for the directory in memory: see catalogue.OwnedItem. Numbers are given once.
CREATE TABLE catalogue_records (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source     TEXT    NOT NULL,
    reference  TEXT    NOT NULL,
    owner_kind TEXT,             -- the kind of the record's owner; NULL: no owner
    owner      TEXT,
    body       BLOB    NOT NULL  -- JSON
) STRICT;
CREATE UNIQUE INDEX catalogue_records_id ON catalogue_records (id, kind);
CREATE INDEX catalogue_records_version ON catalogue_records (kind, version);
CREATE INDEX catalogue_records_source ON catalogue_records (kind, source, id);
CREATE INDEX catalogue_records_owner ON catalogue_records (owner, kind, id) WHERE owner IS NOT NULL;

-- The number of records of each kind, which readers need often.
CREATE TABLE catalogue_record_counts (
    kind  TEXT    PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The videos that each theme names, so that deleting a video removes it from themes. Triggers derive the rows from the
-- bodies.
CREATE TABLE theme_videos (
    video TEXT    NOT NULL,
    theme INTEGER NOT NULL, -- catalogue_records.number
    PRIMARY KEY (video, theme)
) STRICT, WITHOUT ROWID;
CREATE INDEX theme_videos_theme ON theme_videos (theme);

-- +goose StatementBegin
CREATE TRIGGER theme_added AFTER INSERT ON catalogue_records WHEN new.kind = 'theme' BEGIN
    INSERT INTO theme_videos (video, theme)
        SELECT DISTINCT v.value, new.number
        FROM json_each(CAST(new.body AS TEXT), '$.topics') AS t, json_each(t.value, '$.targets') AS g,
            json_each(g.value, '$.videos') AS v
        WHERE v.type = 'text';
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER theme_changed AFTER UPDATE OF body ON catalogue_records WHEN new.kind = 'theme' BEGIN
    DELETE FROM theme_videos WHERE theme = new.number;
    INSERT INTO theme_videos (video, theme)
        SELECT DISTINCT v.value, new.number
        FROM json_each(CAST(new.body AS TEXT), '$.topics') AS t, json_each(t.value, '$.targets') AS g,
            json_each(g.value, '$.videos') AS v
        WHERE v.type = 'text';
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER theme_deleted AFTER DELETE ON catalogue_records WHEN old.kind = 'theme' BEGIN
    DELETE FROM theme_videos WHERE theme = old.number;
END;
-- +goose StatementEnd

-- The log. The store has one writer at a time, so positions are in the order of commits. Only the front, which is
-- trimmed, is missing.
CREATE TABLE outbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    deleted  INTEGER NOT NULL
) STRICT;

-- The name of the log's history.
CREATE TABLE lineage (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT    NOT NULL
) STRICT;
INSERT INTO lineage (one, name) VALUES (1, lower(hex(randomblob(8))));

-- Changes of entities that the store still has to propagate to the videos that refer to them.
CREATE TABLE fan_outs (
    target   INTEGER PRIMARY KEY, -- entities.number
    position INTEGER NOT NULL,    -- of the change; jobs run in this order
    shown    INTEGER NOT NULL,    -- catalogue.Shown
    after    INTEGER NOT NULL     -- the last videos.seq that is done
) STRICT;
CREATE INDEX fan_outs_position ON fan_outs (position);

-- Videos that a write removed: it deleted or retired them, or set a last day in the past. Videos whose last day passes
-- later are found by that day. Rows are in the order of their transactions.
CREATE TABLE removals (
    id       TEXT    PRIMARY KEY,
    at       INTEGER NOT NULL,
    position INTEGER NOT NULL, -- of the write
    reason   TEXT    NOT NULL  -- catalogue.RemovalReason
) STRICT, WITHOUT ROWID;
CREATE INDEX removals_at ON removals (at, position);

-- The audit log of the catalogue.
CREATE TABLE catalogue_audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    client TEXT    NOT NULL,
    user_id TEXT   NOT NULL,
    kind   TEXT    NOT NULL,
    id     TEXT    NOT NULL, -- '': a change of more than one record
    before BLOB,             -- JSON; NULL: the record did not exist before
    after  BLOB              -- JSON; NULL: the record no longer exists
) STRICT;
CREATE INDEX catalogue_audit_thing ON catalogue_audit (kind, id, number);
CREATE INDEX catalogue_audit_kind ON catalogue_audit (kind, number);

-- Tokens of data that were derived from this catalogue and are kept elsewhere, such as a search index, with its
-- position. A copy of the file lacks the tokens of data that were derived later.
CREATE TABLE attestations (
    number   INTEGER PRIMARY KEY, -- grows; the store forgets the oldest
    token    TEXT    NOT NULL,
    position INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX attestations_token ON attestations (token);

-- The process that holds each lease. The row stays when the holder gives up the lease, because the next holder must know
-- the position that is settled.
CREATE TABLE leases (
    name       TEXT    PRIMARY KEY,
    holder     TEXT    NOT NULL,
    until      INTEGER NOT NULL,
    settled    INTEGER NOT NULL,
    wisher     TEXT    NOT NULL,
    wish_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
