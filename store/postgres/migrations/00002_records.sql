-- +goose Up

-- Accounts, clients, users, tiers, content packages and the policy.
CREATE TABLE records (
    kind       bytea  NOT NULL,
    id         bytea  NOT NULL,
    owner      bytea  NOT NULL, -- the ID of the account that it belongs to; empty: none
    version    bigint NOT NULL, -- registry.version as its last change left it
    created_at bigint NOT NULL, -- microseconds since 1970, UTC
    updated_at bigint NOT NULL, -- likewise
    body       bytea  NOT NULL, -- JSON
    PRIMARY KEY (kind, id)
);
CREATE INDEX records_owner ON records (kind, owner, id);
CREATE INDEX records_roster ON records (kind, id) WHERE kind <> 'user';

-- By what records are found, beside their IDs.
CREATE TABLE record_names (
    sum  bytea PRIMARY KEY, -- SHA-256 of the name, which may be longer than an index takes
    kind bytea NOT NULL,
    id   bytea NOT NULL
);
CREATE INDEX record_names_record ON record_names (kind, id);

-- Which record (kind, id) needs which other (target).
CREATE TABLE record_links (
    target_kind bytea NOT NULL,
    target_id   bytea NOT NULL,
    kind        bytea NOT NULL,
    id          bytea NOT NULL,
    PRIMARY KEY (target_kind, target_id, kind, id)
);
CREATE INDEX record_links_record ON record_links (kind, id);

-- The one row that every transaction that writes records locks first: the last version that was given, to
-- a record or to an entry of the trail. 0: the built-in tiers have not been put in yet.
CREATE TABLE registry (
    one     boolean PRIMARY KEY CHECK (one),
    version bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO registry (one, version) VALUES (true, 0);

-- Who changed which record. The bodies hold no secrets.
CREATE TABLE trail (
    number  bigint PRIMARY KEY,
    at      bigint NOT NULL, -- microseconds since 1970, UTC
    client  bytea  NOT NULL,
    user_id bytea  NOT NULL,
    kind    bytea  NOT NULL,
    id      bytea  NOT NULL,
    owner   bytea  NOT NULL,
    before  bytea, -- JSON
    after   bytea -- JSON
);
CREATE INDEX trail_kind ON trail (kind, number);
CREATE INDEX trail_record ON trail (kind, id, number);
CREATE INDEX trail_owner ON trail (owner, number);
CREATE INDEX trail_owner_kind ON trail (owner, kind, number);

-- What has been noted of records, by the SHA-256 of the note: each once.
CREATE TABLE notes (
    kind bytea NOT NULL,
    id   bytea NOT NULL,
    sum  bytea NOT NULL,
    PRIMARY KEY (kind, id, sum)
);

-- Authorisation codes. One that was used stays until it expires, so that its reuse is noticed.
CREATE TABLE codes (
    hash         bytea   PRIMARY KEY,
    client_id    bytea   NOT NULL,
    redirect_uri bytea   NOT NULL,
    user_id      bytea   NOT NULL,
    scope        bytea   NOT NULL,
    nonce        bytea   NOT NULL,
    challenge    bytea   NOT NULL,
    family       bytea   NOT NULL,
    session      bytea   NOT NULL,
    auth_time    bigint  NOT NULL, -- microseconds since 1970, UTC; 0: there was none
    expires      bigint  NOT NULL, -- microseconds since 1970, UTC
    used         boolean NOT NULL
);
CREATE INDEX codes_family ON codes (family);
CREATE INDEX codes_session ON codes (session);
CREATE INDEX codes_user ON codes (user_id);
CREATE INDEX codes_client ON codes (client_id);
CREATE INDEX codes_expires ON codes (expires);

-- Releases before this one leave these columns as they are by default.
ALTER TABLE grants ADD COLUMN issued_at bigint NOT NULL DEFAULT 0; -- microseconds since 1970, UTC; 0: not known
ALTER TABLE grants ADD COLUMN session   bytea  NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN auth_time bigint NOT NULL DEFAULT 0; -- as in codes
CREATE INDEX grants_session ON grants (session, family);
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_client ON grants (client_id);

CREATE TABLE sessions (
    hash      bytea  PRIMARY KEY,
    id        bytea  NOT NULL,
    account   bytea  NOT NULL,
    user_id   bytea  NOT NULL,
    provider  bytea  NOT NULL,
    auth_time bigint NOT NULL, -- microseconds since 1970, UTC
    expires   bigint NOT NULL  -- likewise
);
CREATE UNIQUE INDEX sessions_id ON sessions (id);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires);

-- Marks of access tokens that do not count.
CREATE TABLE revocations (
    mark  bytea  PRIMARY KEY,
    until bigint NOT NULL -- microseconds since 1970, UTC
);
CREATE INDEX revocations_until ON revocations (until);

CREATE TABLE usage (
    month   bytea  NOT NULL,
    account bytea  NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (month, account)
);

-- version counts the changes of records that are no users, beside those of clients as they were and of
-- keys; revoked counts revocations.
ALTER TABLE versions ADD COLUMN revoked bigint NOT NULL DEFAULT 0;
