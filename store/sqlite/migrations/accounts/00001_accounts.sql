-- +goose Up

CREATE TABLE clients (
    id         TEXT    PRIMARY KEY,
    updated_at INTEGER NOT NULL, -- microseconds since 1970, UTC
    body       BLOB    NOT NULL  -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    number     INTEGER PRIMARY KEY, -- orders keys of one instant
    purpose    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    secret     BLOB    NOT NULL,
    created_at INTEGER NOT NULL -- microseconds since 1970, UTC
) STRICT;
CREATE UNIQUE INDEX keys_id ON keys (purpose, id);
CREATE INDEX keys_created_at ON keys (purpose, created_at);

-- Refresh tokens. One that was replaced stays until it expires, so that its reuse is noticed.
CREATE TABLE grants (
    hash      BLOB    PRIMARY KEY,
    family    TEXT    NOT NULL,
    client_id TEXT    NOT NULL,
    user_id   TEXT    NOT NULL,
    scope     TEXT    NOT NULL,
    expires   INTEGER NOT NULL, -- microseconds since 1970, UTC
    replaced  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_family ON grants (family);
CREATE INDEX grants_expires ON grants (expires);

-- Counts the changes of clients and keys.
CREATE TABLE versions (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO versions (one, version) VALUES (1, 0);

-- +goose Down
DROP TABLE versions;
DROP TABLE grants;
DROP TABLE keys;
DROP TABLE clients;
