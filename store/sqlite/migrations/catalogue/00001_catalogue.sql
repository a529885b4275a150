-- +goose Up

-- Everything that is small, of every kind but videos. The number is what links and jobs hold: it is
-- given once and never again, so that a thing that was deleted and made anew has none of the old
-- one's links.
CREATE TABLE entities (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, -- microseconds since 1970, UTC
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

-- Which thing (number) refers to which (target).
CREATE TABLE entity_links (
    target INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (target, number)
) STRICT, WITHOUT ROWID;

-- What decides whether and in which version a video is seen. Bodies and transcripts lie apart, so
-- that a walk through the feed touches few pages.
CREATE TABLE videos (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT, -- immutable; never given twice
    id              TEXT    NOT NULL,
    version         INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL, -- microseconds since 1970, UTC
    channel         INTEGER NOT NULL, -- entities.number
    available_until INTEGER,          -- days since 1970
    retired         INTEGER NOT NULL,
    retired_into    TEXT,
    legacy_id       TEXT,
    source          TEXT    NOT NULL,
    reference       TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX videos_id ON videos (id);
CREATE UNIQUE INDEX videos_legacy_id ON videos (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX videos_source ON videos (source, id);

CREATE TABLE video_bodies (
    seq  INTEGER PRIMARY KEY,
    body BLOB NOT NULL -- JSON
) STRICT;

CREATE TABLE video_transcripts (
    seq  INTEGER PRIMARY KEY,
    sum  BLOB NOT NULL, -- SHA-256 of the text, by which "unchanged" is told without reading it
    text TEXT NOT NULL
) STRICT;

-- Which video (seq) refers to which thing (target).
CREATE TABLE video_links (
    target INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    PRIMARY KEY (target, seq)
) STRICT, WITHOUT ROWID;

-- The log. There is one writer at a time, so the order of positions is the order of commits, and
-- there are no gaps but the part at the front that was trimmed.
CREATE TABLE outbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    deleted  INTEGER NOT NULL
) STRICT;

-- What changes of a thing are still to be carried to the videos that refer to it.
CREATE TABLE fan_outs (
    target   INTEGER PRIMARY KEY, -- entities.number
    position INTEGER NOT NULL,    -- of the change; jobs are done in this order
    shown    INTEGER NOT NULL,    -- catalogue.Shown
    after    INTEGER NOT NULL     -- the last videos.seq that has been done
) STRICT;
CREATE INDEX fan_outs_position ON fan_outs (position);

-- +goose Down
DROP TABLE fan_outs;
DROP TABLE outbox;
DROP TABLE video_links;
DROP TABLE video_transcripts;
DROP TABLE video_bodies;
DROP TABLE videos;
DROP TABLE entity_links;
DROP TABLE entities;
