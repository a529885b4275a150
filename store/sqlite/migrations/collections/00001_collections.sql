-- +goose Up

-- Times are microseconds since 1970, UTC.

CREATE TABLE collections (
    id         TEXT    PRIMARY KEY,
    version    INTEGER NOT NULL, -- the position in collection_log of the last change
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    owner      TEXT,             -- a user; NULL: the operator
    is_default INTEGER NOT NULL,
    body       BLOB    NOT NULL  -- JSON
) STRICT;
CREATE INDEX collections_owner ON collections (owner, id);
CREATE UNIQUE INDEX collections_default ON collections (owner) WHERE is_default;

-- The videos of collections, the users whose names and addresses are in their comments, and the users who saved them.
-- Deletions of videos and users find the affected collections here.
CREATE TABLE collection_videos (
    video      TEXT NOT NULL,
    collection TEXT NOT NULL,
    PRIMARY KEY (video, collection)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_videos_collection ON collection_videos (collection);

CREATE TABLE collection_commentators (
    user_id    TEXT NOT NULL,
    collection TEXT NOT NULL,
    PRIMARY KEY (user_id, collection)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_commentators_collection ON collection_commentators (collection);

CREATE TABLE collection_saved (
    user_id    TEXT NOT NULL,
    collection TEXT NOT NULL,
    PRIMARY KEY (user_id, collection)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_saved_collection ON collection_saved (collection);

-- The last position that the log gave.
CREATE TABLE collection_head (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL
) STRICT;
INSERT INTO collection_head (one, position) VALUES (1, 0);

-- One entry for each change.
CREATE TABLE collection_log (
    position INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL,
    deleted  INTEGER NOT NULL
) STRICT;
