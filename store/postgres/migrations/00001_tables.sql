-- +goose Up

-- Texts that no rule of the catalogue vouches for are bytea: they may hold any bytes, U+0000 included,
-- and are compared as bytes in every locale. To read one: convert_from(source, 'UTF8'). Times are
-- microseconds since 1970, UTC.

-- The one row that every transaction that writes the catalogue locks first and changes last. So the
-- order of positions is the order of commits, positions have no gaps, and whoever sees an entry of the
-- log can see every entry before it. It holds the last numbers that were given, and how many videos
-- there are, because counting them takes seconds where there are millions.
CREATE TABLE head (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL,
    number   bigint  NOT NULL,
    sequence bigint  NOT NULL,
    videos   bigint  NOT NULL,
    salt     text    NOT NULL -- part of the lineage
) WITH (fillfactor = 10);
INSERT INTO head (one, position, number, sequence, videos, salt) VALUES (true, 0, 0, 0, 0, gen_random_uuid()::text);

-- Everything that is small, of every kind but videos. The number is what links and jobs hold: it is
-- given once and never again, so that a thing that was deleted and made anew has none of the old
-- one's links.
CREATE TABLE entities (
    number     bigint  PRIMARY KEY,
    kind       text    COLLATE "C" NOT NULL,
    id         text    COLLATE "C" NOT NULL,
    version    bigint  NOT NULL,
    updated_at bigint  NOT NULL,
    source     bytea   NOT NULL,
    reference  bytea   NOT NULL,
    folded     bytea,            -- the name that must be unique within the kind, folded; NULL: none
    private    boolean NOT NULL, -- a private channel
    body       bytea   NOT NULL  -- JSON
);
CREATE UNIQUE INDEX entities_id ON entities (id, kind);
CREATE UNIQUE INDEX entities_folded ON entities (folded, kind);
CREATE INDEX entities_source ON entities (kind, source, id);
CREATE INDEX entities_private ON entities (number) WHERE private;

-- Which thing (number) refers to which (target).
CREATE TABLE entity_links (
    target bigint NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (target, number)
);

-- What decides whether and in which version a video is seen. Bodies and transcripts lie apart, so
-- that a walk through the feed touches few pages.
CREATE TABLE videos (
    seq             bigint  PRIMARY KEY, -- immutable; never given twice
    id              text    COLLATE "C" NOT NULL,
    version         bigint  NOT NULL,
    updated_at      bigint  NOT NULL,
    channel         bigint  NOT NULL,    -- entities.number
    available_until integer,             -- days since 1970
    retired         boolean NOT NULL,
    retired_into    text    COLLATE "C",
    legacy_id       bytea,
    source          bytea   NOT NULL,
    reference       bytea   NOT NULL
);
CREATE UNIQUE INDEX videos_id ON videos (id);
CREATE UNIQUE INDEX videos_legacy_id ON videos (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX videos_source ON videos (source, id);

CREATE TABLE video_bodies (
    seq  bigint PRIMARY KEY,
    body bytea  NOT NULL -- JSON
);

CREATE TABLE video_transcripts (
    seq  bigint PRIMARY KEY,
    sum  bytea  NOT NULL, -- SHA-256 of the text, by which "unchanged" is told without reading it
    text bytea  NOT NULL
);

-- Which video (seq) refers to which thing (target).
CREATE TABLE video_links (
    target bigint NOT NULL,
    seq    bigint NOT NULL,
    PRIMARY KEY (target, seq)
);

-- The log. There are no gaps but the part at the front that was trimmed.
CREATE TABLE outbox (
    position bigint  PRIMARY KEY,
    kind     text    COLLATE "C" NOT NULL,
    id       text    COLLATE "C" NOT NULL,
    deleted  boolean NOT NULL
);

-- What changes of a thing are still to be carried to the videos that refer to it.
CREATE TABLE fan_outs (
    target   bigint  PRIMARY KEY, -- entities.number
    position bigint  NOT NULL,    -- of the change; jobs are done in this order
    shown    integer NOT NULL,    -- catalogue.Shown
    after    bigint  NOT NULL     -- the last videos.seq that has been done
);
CREATE INDEX fan_outs_position ON fan_outs (position, target);

-- What was derived of this catalogue and is kept outside, by its token.
CREATE TABLE vouched (
    number   bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- grows; the oldest are forgotten
    token    bytea  NOT NULL,
    position bigint NOT NULL
);
CREATE UNIQUE INDEX vouched_token ON vouched (token);

-- Which process does a piece of work. A row stays when the lease has been given up: what is settled
-- must be known to the next.
CREATE TABLE leases (
    name       bytea  PRIMARY KEY,
    holder     bytea  NOT NULL,
    until      bigint NOT NULL,
    settled    bigint NOT NULL,
    wisher     bytea  NOT NULL,
    wish_until bigint NOT NULL
);

CREATE TABLE clients (
    id         bytea  PRIMARY KEY,
    updated_at bigint NOT NULL,
    body       bytea  NOT NULL -- JSON
);

CREATE TABLE keys (
    number     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- orders keys of one instant
    purpose    bytea  NOT NULL,
    id         bytea  NOT NULL,
    secret     bytea  NOT NULL,
    created_at bigint NOT NULL
);
CREATE UNIQUE INDEX keys_id ON keys (purpose, id);
CREATE INDEX keys_created_at ON keys (purpose, created_at, number);

-- Refresh tokens. One that was replaced stays until it expires, so that its reuse is noticed.
CREATE TABLE grants (
    hash      bytea   PRIMARY KEY,
    family    bytea   NOT NULL,
    client_id bytea   NOT NULL,
    user_id   bytea   NOT NULL,
    scope     bytea   NOT NULL,
    expires   bigint  NOT NULL,
    replaced  boolean NOT NULL
);
CREATE INDEX grants_family ON grants (family);
CREATE INDEX grants_expires ON grants (expires);

-- Counts the changes of clients and keys, which lock this row first.
CREATE TABLE versions (
    one     boolean PRIMARY KEY CHECK (one),
    version bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO versions (one, version) VALUES (true, 0);
