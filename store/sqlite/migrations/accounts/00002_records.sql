-- +goose Up

-- Accounts, clients, users, tiers, content packages and the policy.
CREATE TABLE records (
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    owner      TEXT    NOT NULL, -- the ID of the account that it belongs to; '': none
    version    INTEGER NOT NULL, -- registry.version as its last change left it
    created_at INTEGER NOT NULL, -- microseconds since 1970, UTC
    updated_at INTEGER NOT NULL, -- likewise
    body       BLOB    NOT NULL, -- JSON
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX records_owner ON records (kind, owner, id);

-- By what records are found, beside their IDs.
CREATE TABLE record_names (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    id   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX record_names_record ON record_names (kind, id);

-- Which record (kind, id) needs which other (target).
CREATE TABLE record_links (
    target_kind TEXT NOT NULL,
    target_id   TEXT NOT NULL,
    kind        TEXT NOT NULL,
    id          TEXT NOT NULL,
    PRIMARY KEY (target_kind, target_id, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_links_record ON record_links (kind, id);

-- The last version that was given, to a record or to an entry of the trail. 0: the built-in tiers have not
-- been put in yet.
CREATE TABLE registry (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO registry (one, version) VALUES (1, 0);

-- Who changed which record. The bodies hold no secrets.
CREATE TABLE trail (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL, -- microseconds since 1970, UTC
    client TEXT    NOT NULL,
    user   TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    id     TEXT    NOT NULL,
    owner  TEXT    NOT NULL,
    before BLOB, -- JSON
    after  BLOB  -- JSON
) STRICT;
CREATE INDEX trail_kind ON trail (kind, number);
CREATE INDEX trail_record ON trail (kind, id, number);
CREATE INDEX trail_owner ON trail (owner, number);
CREATE INDEX trail_owner_kind ON trail (owner, kind, number);

-- What has been noted of records, by the SHA-256 of the note: each once.
CREATE TABLE notes (
    kind TEXT NOT NULL,
    id   TEXT NOT NULL,
    sum  BLOB NOT NULL,
    PRIMARY KEY (kind, id, sum)
) STRICT, WITHOUT ROWID;

-- Authorisation codes. One that was used stays until it expires, so that its reuse is noticed.
CREATE TABLE codes (
    hash         BLOB    PRIMARY KEY,
    client_id    TEXT    NOT NULL,
    redirect_uri TEXT    NOT NULL,
    user_id      TEXT    NOT NULL,
    scope        TEXT    NOT NULL,
    nonce        TEXT    NOT NULL,
    challenge    TEXT    NOT NULL,
    family       TEXT    NOT NULL,
    session      TEXT    NOT NULL,
    auth_time    INTEGER NOT NULL, -- microseconds since 1970, UTC; 0: there was none
    expires      INTEGER NOT NULL, -- microseconds since 1970, UTC
    used         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX codes_family ON codes (family);
CREATE INDEX codes_session ON codes (session);
CREATE INDEX codes_user ON codes (user_id);
CREATE INDEX codes_client ON codes (client_id);
CREATE INDEX codes_expires ON codes (expires);

-- Releases before this one leave these columns as they are by default.
ALTER TABLE grants ADD COLUMN issued_at INTEGER NOT NULL DEFAULT 0; -- microseconds since 1970, UTC; 0: not known
ALTER TABLE grants ADD COLUMN session   TEXT    NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN auth_time INTEGER NOT NULL DEFAULT 0; -- as in codes
CREATE INDEX grants_session ON grants (session, family);
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_client ON grants (client_id);

CREATE TABLE sessions (
    hash      BLOB    PRIMARY KEY,
    id        TEXT    NOT NULL,
    account   TEXT    NOT NULL,
    user_id   TEXT    NOT NULL,
    provider  TEXT    NOT NULL,
    auth_time INTEGER NOT NULL, -- microseconds since 1970, UTC
    expires   INTEGER NOT NULL  -- likewise
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_id ON sessions (id);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires);

-- Marks of access tokens that do not count.
CREATE TABLE revocations (
    mark  TEXT    PRIMARY KEY,
    until INTEGER NOT NULL -- microseconds since 1970, UTC
) STRICT, WITHOUT ROWID;
CREATE INDEX revocations_until ON revocations (until);

CREATE TABLE usage (
    month   TEXT    NOT NULL,
    account TEXT    NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (month, account)
) STRICT, WITHOUT ROWID;

-- version counts the changes of records that are no users, beside those of clients as they were and of
-- keys; revoked counts revocations.
ALTER TABLE versions ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE versions DROP COLUMN revoked;
DROP TABLE usage;
DROP TABLE revocations;
DROP TABLE sessions;
DROP INDEX grants_client;
DROP INDEX grants_user;
DROP INDEX grants_session;
ALTER TABLE grants DROP COLUMN auth_time;
ALTER TABLE grants DROP COLUMN session;
ALTER TABLE grants DROP COLUMN issued_at;
DROP TABLE codes;
DROP TABLE notes;
DROP TABLE trail;
DROP TABLE registry;
DROP TABLE record_links;
DROP TABLE record_names;
DROP TABLE records;
