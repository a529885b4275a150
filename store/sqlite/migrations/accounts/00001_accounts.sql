-- +goose Up

-- Times are microseconds since 1970, UTC.

-- The last version that the store gave to an entity or to an audit entry. 0: the store does not contain
-- the built-in tiers yet.
CREATE TABLE registry (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO registry (one, version) VALUES (1, 0);

-- version counts the changes of keys and of all entities except users; revoked counts revocations. Processes follow them
-- to keep their snapshots of accounts current.
CREATE TABLE versions (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO versions (one, version) VALUES (1, 0);

-- Accounts, clients, users, tiers, content packages and the policy.
CREATE TABLE account_entities (
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    owner      TEXT    NOT NULL, -- the ID of the account that the entity belongs to; '': none
    version    INTEGER NOT NULL, -- registry.version at the last change
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body       BLOB    NOT NULL, -- JSON
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_entities_owner ON account_entities (kind, owner, id);
CREATE INDEX account_entities_roster ON account_entities (kind, id) WHERE kind <> 'user';

-- Unique names, besides IDs, by which entities are found.
CREATE TABLE account_entity_names (
    sum  BLOB PRIMARY KEY, -- SHA-256 of the name
    kind TEXT NOT NULL,
    id   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_entity_names_entity ON account_entity_names (kind, id);

-- References from one entity (kind, id) to another (target), which must not be deleted first.
CREATE TABLE account_entity_links (
    target_kind TEXT NOT NULL,
    target_id   TEXT NOT NULL,
    kind        TEXT NOT NULL,
    id          TEXT NOT NULL,
    PRIMARY KEY (target_kind, target_id, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_entity_links_entity ON account_entity_links (kind, id);

-- Notes about entities, by the SHA-256 of the note: each once.
CREATE TABLE notes (
    kind TEXT NOT NULL,
    id   TEXT NOT NULL,
    sum  BLOB NOT NULL,
    PRIMARY KEY (kind, id, sum)
) STRICT, WITHOUT ROWID;

-- The audit log of accounts. The bodies hold no secrets.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    client TEXT    NOT NULL,
    user_id TEXT   NOT NULL,
    kind   TEXT    NOT NULL,
    id     TEXT    NOT NULL,
    owner  TEXT    NOT NULL,
    before BLOB, -- JSON
    after  BLOB  -- JSON
) STRICT;
CREATE INDEX audit_kind ON audit (kind, number);
CREATE INDEX audit_record ON audit (kind, id, number);
CREATE INDEX audit_owner ON audit (owner, number);
CREATE INDEX audit_owner_kind ON audit (owner, kind, number);

CREATE TABLE keys (
    number     INTEGER PRIMARY KEY, -- orders keys of the same instant
    purpose    TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    secret     BLOB    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX keys_id ON keys (purpose, id);
CREATE INDEX keys_created_at ON keys (purpose, created_at);

-- Authorization codes. A used code stays until it expires, so that its reuse is noticed.
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
    auth_time    INTEGER NOT NULL, -- 0: the user did not sign in
    expires      INTEGER NOT NULL,
    used         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX codes_family ON codes (family);
CREATE INDEX codes_session ON codes (session);
CREATE INDEX codes_user ON codes (user_id);
CREATE INDEX codes_client ON codes (client_id);
CREATE INDEX codes_expires ON codes (expires);

-- Refresh tokens. A replaced token stays until it expires, so that its reuse is noticed.
CREATE TABLE grants (
    hash      BLOB    PRIMARY KEY,
    family    TEXT    NOT NULL,
    client_id TEXT    NOT NULL,
    user_id   TEXT    NOT NULL,
    scope     TEXT    NOT NULL,
    expires   INTEGER NOT NULL,
    replaced  INTEGER NOT NULL,
    issued_at INTEGER NOT NULL DEFAULT 0,  -- 0: unknown
    session   TEXT    NOT NULL DEFAULT '',
    auth_time INTEGER NOT NULL DEFAULT 0   -- as in codes
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_family ON grants (family);
CREATE INDEX grants_session ON grants (session, family);
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_expires ON grants (expires);

CREATE TABLE sessions (
    hash      BLOB    PRIMARY KEY,
    id        TEXT    NOT NULL,
    account   TEXT    NOT NULL,
    user_id   TEXT    NOT NULL,
    provider  TEXT    NOT NULL,
    auth_time INTEGER NOT NULL,
    expires   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_id ON sessions (id);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires);

-- Marks of access tokens that are no longer valid.
CREATE TABLE revocations (
    mark  TEXT    PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX revocations_until ON revocations (until);

-- Requests of an account in a month. The file of usage contains plays.
CREATE TABLE usage (
    month   TEXT    NOT NULL,
    account TEXT    NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (month, account)
) STRICT, WITHOUT ROWID;

-- Uses of deprecated parts of the API.
CREATE TABLE deprecated_uses (
    item       TEXT    NOT NULL,
    client     TEXT    NOT NULL, -- '': unknown
    account    TEXT    NOT NULL, -- '': unknown
    first_used INTEGER NOT NULL,
    last_used  INTEGER NOT NULL,
    count      INTEGER NOT NULL, -- of calls
    PRIMARY KEY (item, client, account)
) STRICT, WITHOUT ROWID;
