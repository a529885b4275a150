-- +goose Up

-- The last position of the log of collections. Every transaction that writes collections locks this row first, so
-- that positions are in the order of commits.
CREATE TABLE col_head (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO col_head (one, position) VALUES (true, 0);

CREATE TABLE col_collections (
    id         text    COLLATE "C" PRIMARY KEY,
    version    bigint  NOT NULL, -- the position in col_log of the last change
    created_at bigint  NOT NULL, -- microseconds since 1970, UTC
    updated_at bigint  NOT NULL, -- likewise
    is_default boolean NOT NULL,
    owner      bytea,            -- a user; NULL: the operator's own
    body       bytea   NOT NULL  -- JSON
);
CREATE INDEX col_collections_owner ON col_collections (owner, id);
CREATE UNIQUE INDEX col_collections_default ON col_collections (owner) WHERE is_default;

-- What collections hold, and whose names and addresses stand in their comments: to find what must be forgotten.
CREATE TABLE col_videos (
    video      text COLLATE "C" NOT NULL,
    collection text COLLATE "C" NOT NULL,
    PRIMARY KEY (video, collection)
);
CREATE INDEX col_videos_collection ON col_videos (collection);

CREATE TABLE col_commentators (
    user_id    bytea NOT NULL,
    collection text  COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, collection)
);
CREATE INDEX col_commentators_collection ON col_commentators (collection);

CREATE TABLE col_saved (
    user_id    bytea NOT NULL,
    collection text  COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, collection)
);
CREATE INDEX col_saved_collection ON col_saved (collection);

-- One entry for each change.
CREATE TABLE col_log (
    position bigint  PRIMARY KEY,
    id       text    COLLATE "C" NOT NULL,
    deleted  boolean NOT NULL
);
