-- +goose Up

-- The tables of catalogue, accounts, events, usage, collections and searches.
--
-- Where no comment says otherwise, times are microseconds since 1970, UTC, and days, months and hours count from 1970.
-- Texts that the catalogue does not check are bytea: they may hold any bytes, U+0000 included, and PostgreSQL compares
-- them as bytes in every locale. convert_from(source, 'UTF8') shows one.
--
-- Tables with a column "one" hold one row. A writer locks that row first, so writers commit in the order of the numbers
-- that they take from it, numbers have no gaps, and a reader that sees an entry of a log can see every entry before it. A
-- low fill factor keeps the many versions of such a row in its page.

-- Catalogue ---------------------------------------------------------------------------------------------------------

-- The last numbers that the catalogue gave, and the number of videos, because counting millions takes seconds.
CREATE TABLE head (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL, -- of the last entry of the outbox
    number   bigint  NOT NULL, -- of the last entity or record
    sequence bigint  NOT NULL, -- of the last video
    videos   bigint  NOT NULL,
    salt     text    NOT NULL  -- part of the lineage
) WITH (fillfactor = 10);
INSERT INTO head (one, position, number, sequence, videos, salt) VALUES (true, 0, 0, 0, 0, gen_random_uuid()::text);

-- Small records of every kind except videos. Links and jobs hold the number. The store gives a number once, so that a
-- record that is deleted and created again has none of the old links.
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

-- References from one entity (number) to another (target).
CREATE TABLE entity_links (
    target bigint NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (target, number)
);

-- The columns that decide whether a caller sees a video, and its version. Bodies and transcripts have tables of their
-- own, so that a walk through the feed reads few pages.
CREATE TABLE videos (
    seq             bigint  PRIMARY KEY, -- immutable; never given twice
    id              text    COLLATE "C" NOT NULL,
    version         bigint  NOT NULL,
    updated_at      bigint  NOT NULL,
    channel         bigint  NOT NULL,    -- entities.number
    available_until integer,             -- a day
    retired         boolean NOT NULL,
    retired_into    text    COLLATE "C", -- the ID of the video that replaces this one
    legacy_id       bytea,
    source          bytea   NOT NULL,
    reference       bytea   NOT NULL
);
CREATE UNIQUE INDEX videos_id ON videos (id);
CREATE UNIQUE INDEX videos_legacy_id ON videos (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX videos_source ON videos (source, id);
CREATE INDEX videos_until ON videos (available_until, id) WHERE available_until IS NOT NULL;
-- A replacement stays as long as any video was retired into it.
CREATE INDEX videos_replacement ON videos (retired_into) WHERE retired_into IS NOT NULL;

CREATE TABLE video_bodies (
    seq  bigint PRIMARY KEY,
    body bytea  NOT NULL -- JSON
);

CREATE TABLE video_transcripts (
    seq  bigint PRIMARY KEY,
    sum  bytea  NOT NULL, -- SHA-256 of the text: shows whether a text is unchanged without reading it
    text bytea  NOT NULL
);

-- References from videos (seq) to entities (target).
CREATE TABLE video_links (
    target bigint NOT NULL,
    seq    bigint NOT NULL,
    PRIMARY KEY (target, seq)
);

-- Records of kinds that are too large for the directory in memory: see catalogue.OwnedItem. Numbers are given once.
CREATE TABLE catalogue_records (
    number     bigint PRIMARY KEY,
    kind       text   COLLATE "C" NOT NULL,
    id         text   COLLATE "C" NOT NULL,
    version    bigint NOT NULL,
    updated_at bigint NOT NULL,
    source     bytea  NOT NULL,
    reference  bytea  NOT NULL,
    owner_kind text   COLLATE "C", -- the kind of the record's owner; NULL: no owner
    owner      text   COLLATE "C",
    body       bytea  NOT NULL     -- JSON
);
CREATE UNIQUE INDEX catalogue_records_id ON catalogue_records (id, kind);
CREATE INDEX catalogue_records_version ON catalogue_records (kind, version);
CREATE INDEX catalogue_records_source ON catalogue_records (kind, source, id);
CREATE INDEX catalogue_records_owner ON catalogue_records (owner, kind, id) WHERE owner IS NOT NULL;

-- The number of records of each kind, which readers need often.
CREATE TABLE catalogue_record_counts (
    kind  text   COLLATE "C" PRIMARY KEY,
    count bigint NOT NULL
) WITH (fillfactor = 10);

-- The videos that each theme names, so that deleting a video removes it from themes. Triggers derive the rows from the
-- bodies.
CREATE TABLE theme_videos (
    video text   COLLATE "C" NOT NULL,
    theme bigint NOT NULL, -- catalogue_records.number
    PRIMARY KEY (video, theme)
);
CREATE INDEX theme_videos_theme ON theme_videos (theme);

-- +goose StatementBegin
CREATE FUNCTION theme_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM theme_videos WHERE theme = old.number;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO theme_videos (video, theme)
            SELECT DISTINCT v #>> '{}', new.number
            FROM jsonb_path_query(convert_from(new.body, 'UTF8')::jsonb, '$.topics[*].targets[*].videos[*]') AS v
            WHERE jsonb_typeof(v) = 'string';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER theme_put AFTER INSERT OR UPDATE OF body ON catalogue_records
    FOR EACH ROW WHEN (new.kind = 'theme') EXECUTE FUNCTION theme_written();
CREATE TRIGGER theme_deleted AFTER DELETE ON catalogue_records
    FOR EACH ROW WHEN (old.kind = 'theme') EXECUTE FUNCTION theme_written();

-- The log of the catalogue. Only the front, which is trimmed, is missing.
CREATE TABLE outbox (
    position bigint  PRIMARY KEY,
    kind     text    COLLATE "C" NOT NULL,
    id       text    COLLATE "C" NOT NULL,
    deleted  boolean NOT NULL
);

-- Changes of entities that the store still has to propagate to the videos that refer to them.
CREATE TABLE fan_outs (
    target   bigint  PRIMARY KEY, -- entities.number
    position bigint  NOT NULL,    -- of the change; jobs run in this order
    shown    integer NOT NULL,    -- catalogue.Shown
    after    bigint  NOT NULL     -- the last videos.seq that is done
);
CREATE INDEX fan_outs_position ON fan_outs (position, target);

-- Videos that a write removed: it deleted or retired them, or set a last day in the past. Videos whose last day passes
-- later are found by that day. Rows are in the order of their transactions.
CREATE TABLE removals (
    id       text   COLLATE "C" PRIMARY KEY,
    at       bigint NOT NULL,
    position bigint NOT NULL, -- of the write
    reason   text   COLLATE "C" NOT NULL -- catalogue.RemovalReason
);
CREATE INDEX removals_at ON removals (at, position);

-- The audit log of the catalogue. Writers take numbers while they hold the head row, so numbers are in the order of
-- commits.
CREATE TABLE catalogue_audit (
    number  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at      bigint NOT NULL,
    client  bytea  NOT NULL,
    user_id bytea  NOT NULL,
    kind    bytea  NOT NULL,
    id      bytea  NOT NULL, -- '': a change of more than one record
    before  bytea,                       -- JSON; NULL: the record did not exist before
    after   bytea                        -- JSON; NULL: the record no longer exists
);
CREATE INDEX catalogue_audit_thing ON catalogue_audit (kind, id, number);
CREATE INDEX catalogue_audit_kind ON catalogue_audit (kind, number);

-- Tokens of data that were derived from this catalogue and are kept elsewhere, such as a search index, with its position.
CREATE TABLE attestations (
    number   bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- grows; the store forgets the oldest
    token    bytea  NOT NULL,
    position bigint NOT NULL
);
CREATE UNIQUE INDEX attestations_token ON attestations (token);

-- The process that holds each lease. The row stays when the holder gives up the lease, because the next holder must know
-- the position that is settled.
CREATE TABLE leases (
    name       bytea  PRIMARY KEY,
    holder     bytea  NOT NULL,
    until      bigint NOT NULL,
    settled    bigint NOT NULL,
    wisher     bytea  NOT NULL,
    wish_until bigint NOT NULL
);

-- Accounts and sign-in -----------------------------------------------------------------------------------------------

-- The last version that the store gave to an entity or to an audit entry. 0: the store does not contain
-- the built-in tiers yet.
CREATE TABLE registry (
    one     boolean PRIMARY KEY CHECK (one),
    version bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO registry (one, version) VALUES (true, 0);

-- version counts the changes of keys and of all entities except users; revoked counts revocations. Processes follow them
-- to keep their snapshots of accounts current.
CREATE TABLE versions (
    one     boolean PRIMARY KEY CHECK (one),
    version bigint  NOT NULL,
    revoked bigint  NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO versions (one, version) VALUES (true, 0);

-- Accounts, clients, users, tiers, content packages and the policy.
CREATE TABLE account_entities (
    kind       bytea  NOT NULL,
    id         bytea  NOT NULL,
    owner      bytea  NOT NULL, -- the ID of the account that the entity belongs to; '': none
    version    bigint NOT NULL, -- registry.version at the last change
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    body       bytea  NOT NULL, -- JSON
    PRIMARY KEY (kind, id)
);
CREATE INDEX account_entities_owner ON account_entities (kind, owner, id);
CREATE INDEX account_entities_roster ON account_entities (kind, id) WHERE kind <> 'user';

-- Unique names, besides IDs, by which entities are found.
CREATE TABLE account_entity_names (
    sum  bytea PRIMARY KEY, -- SHA-256 of the name, which may be longer than an index allows
    kind bytea NOT NULL,
    id   bytea NOT NULL
);
CREATE INDEX account_entity_names_entity ON account_entity_names (kind, id);

-- References from one entity (kind, id) to another (target), which must not be deleted first.
CREATE TABLE account_entity_links (
    target_kind bytea NOT NULL,
    target_id   bytea NOT NULL,
    kind        bytea NOT NULL,
    id          bytea NOT NULL,
    PRIMARY KEY (target_kind, target_id, kind, id)
);
CREATE INDEX account_entity_links_entity ON account_entity_links (kind, id);

-- Notes about entities, by the SHA-256 of the note: each once.
CREATE TABLE notes (
    kind bytea NOT NULL,
    id   bytea NOT NULL,
    sum  bytea NOT NULL,
    PRIMARY KEY (kind, id, sum)
);

-- The audit log of accounts. The bodies hold no secrets.
CREATE TABLE audit (
    number  bigint PRIMARY KEY,
    at      bigint NOT NULL,
    client  bytea  NOT NULL,
    user_id bytea  NOT NULL,
    kind    bytea  NOT NULL,
    id      bytea  NOT NULL,
    owner   bytea  NOT NULL,
    before  bytea, -- JSON
    after   bytea  -- JSON
);
CREATE INDEX audit_kind ON audit (kind, number);
CREATE INDEX audit_record ON audit (kind, id, number);
CREATE INDEX audit_owner ON audit (owner, number);
CREATE INDEX audit_owner_kind ON audit (owner, kind, number);

CREATE TABLE keys (
    number     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, -- orders keys of the same instant
    purpose    bytea  NOT NULL,
    id         bytea  NOT NULL,
    secret     bytea  NOT NULL,
    created_at bigint NOT NULL
);
CREATE UNIQUE INDEX keys_id ON keys (purpose, id);
CREATE INDEX keys_created_at ON keys (purpose, created_at, number);

-- Authorization codes. A used code stays until it expires, so that its reuse is noticed.
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
    auth_time    bigint  NOT NULL, -- 0: the user did not sign in
    expires      bigint  NOT NULL,
    used         boolean NOT NULL
);
CREATE INDEX codes_family ON codes (family);
CREATE INDEX codes_session ON codes (session);
CREATE INDEX codes_user ON codes (user_id);
CREATE INDEX codes_client ON codes (client_id);
CREATE INDEX codes_expires ON codes (expires);

-- Refresh tokens. A replaced token stays until it expires, so that its reuse is noticed.
CREATE TABLE grants (
    hash      bytea   PRIMARY KEY,
    family    bytea   NOT NULL,
    client_id bytea   NOT NULL,
    user_id   bytea   NOT NULL,
    scope     bytea   NOT NULL,
    expires   bigint  NOT NULL,
    replaced  boolean NOT NULL,
    issued_at bigint  NOT NULL DEFAULT 0,  -- 0: unknown
    session   bytea   NOT NULL DEFAULT '',
    auth_time bigint  NOT NULL DEFAULT 0   -- as in codes
);
CREATE INDEX grants_family ON grants (family);
CREATE INDEX grants_session ON grants (session, family);
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_expires ON grants (expires);

CREATE TABLE sessions (
    hash      bytea  PRIMARY KEY,
    id        bytea  NOT NULL,
    account   bytea  NOT NULL,
    user_id   bytea  NOT NULL,
    provider  bytea  NOT NULL,
    auth_time bigint NOT NULL,
    expires   bigint NOT NULL
);
CREATE UNIQUE INDEX sessions_id ON sessions (id);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires);

-- Marks of access tokens that are no longer valid.
CREATE TABLE revocations (
    mark  bytea  PRIMARY KEY,
    until bigint NOT NULL
);
CREATE INDEX revocations_until ON revocations (until);

-- Requests of an account in a month. The tables of usage below contain plays.
CREATE TABLE usage (
    month   bytea  NOT NULL,
    account bytea  NOT NULL,
    count   bigint NOT NULL,
    PRIMARY KEY (month, account)
);

-- Uses of deprecated parts of the API.
CREATE TABLE deprecated_uses (
    item       bytea  NOT NULL,
    client     bytea  NOT NULL, -- '': unknown
    account    bytea  NOT NULL, -- '': unknown
    first_used bigint NOT NULL,
    last_used  bigint NOT NULL,
    count      bigint NOT NULL, -- of calls
    PRIMARY KEY (item, client, account)
);

-- Events -------------------------------------------------------------------------------------------------------------
-- Times are milliseconds since 1970, UTC, from here on, unless a comment says otherwise. A NULL text is empty.

-- The last position that the log gave. This row is separate from head, so that imports and events do not wait for each
-- other. A transaction that adds events locks it last.
CREATE TABLE event_head (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO event_head (one, position) VALUES (true, 0);

-- The log holds nothing up to this position. The row is separate from event_head, because dropping takes long.
CREATE TABLE event_drops (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO event_drops (one, position) VALUES (true, 0);

-- The event log, with a partition for each month of receipt. The store creates a partition when it needs it, and drops
-- it whole.
CREATE TABLE events (
    position      bigint   NOT NULL,
    received      bigint   NOT NULL,
    at            bigint   NOT NULL,
    starts        bigint   NOT NULL, -- milliseconds from the video's beginning
    ends          bigint   NOT NULL, -- milliseconds from the video's beginning
    id            uuid     NOT NULL,
    kind          smallint NOT NULL,
    sandbox       boolean  NOT NULL,
    account       bytea,
    client        bytea,
    user_id       bytea,
    external_user bytea,
    video         bytea,
    subtype       bytea,
    trace         bytea,
    referer       bytea,
    details       bytea,                          -- JSON
    metadata      bytea,                          -- JSON
    counted       bigint,                         -- milliseconds of the segment that count; NULL: all of it
    hidden        boolean  NOT NULL DEFAULT false, -- at receipt, the video did not exist or the caller could not see it
    PRIMARY KEY (position, received)
) PARTITION BY RANGE (received);

-- Addresses of callers, which are forgotten long before the events. One row covers consecutive events with the same
-- address and receipt, as those of one request have; at most a thousand.
CREATE TABLE event_addresses (
    first    bigint PRIMARY KEY, -- the position of the first of these events
    last     bigint NOT NULL,    -- the position of the last
    received bigint NOT NULL,
    address  bytea  NOT NULL
);
CREATE INDEX event_addresses_received ON event_addresses (received, first);

-- Idempotency keys.
CREATE TABLE event_keys (
    sum         bytea  PRIMARY KEY, -- SHA-256 of client and key, which may be longer than an index allows
    fingerprint bytea  NOT NULL,
    received    bigint NOT NULL
);
CREATE INDEX event_keys_received ON event_keys (received, sum);

-- The milliseconds that count in each viewing of an embed.
CREATE TABLE event_viewings (
    id      text   COLLATE "C" PRIMARY KEY,
    opened  bigint NOT NULL,
    counted bigint NOT NULL
);
CREATE INDEX event_viewings_opened ON event_viewings (opened, id);

-- Damaged events that an operator skipped (store.SkippedEvent). Readers never read them.
CREATE TABLE skipped_events (
    position bigint PRIMARY KEY, -- events.position
    at       bigint NOT NULL,
    by       text   NOT NULL,
    reason   text   NOT NULL
);

-- Servers write this row to learn whether the log can be written.
CREATE TABLE event_check (
    one boolean PRIMARY KEY CHECK (one),
    at  bigint  NOT NULL
);
INSERT INTO event_check (one, at) VALUES (true, 0);

-- The state of the processes' wall clocks (store.ClockRecord).
CREATE TABLE event_clock (
    one  boolean PRIMARY KEY CHECK (one),
    body bytea NOT NULL -- JSON
);
INSERT INTO event_clock (one, body) VALUES (true, '{}');

-- Usage --------------------------------------------------------------------------------------------------------------
-- Counts of the event log, and the basis of bills. Numbers stand for texts; 0 stands for an empty text.

-- The position up to which the log is counted.
CREATE TABLE usage_progress (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL,
    as_of    bigint  NOT NULL,
    changes  bigint  NOT NULL DEFAULT 0 -- the number of changes that make a second set of counts start again
) WITH (fillfactor = 10);
INSERT INTO usage_progress (one, position, as_of) VALUES (true, 0, 0);

-- The numbers of texts, from 1 in each dimension (usage.Dimension). The index holds the SHA-256 of a text, which may be
-- longer than an index allows.
CREATE TABLE usage_terms (
    number    integer  NOT NULL,
    owner     integer  NOT NULL, -- the account of a user; 0 in all other dimensions
    dimension smallint NOT NULL,
    text      bytea    NOT NULL,
    PRIMARY KEY (dimension, number)
);
CREATE UNIQUE INDEX usage_terms_text ON usage_terms (sha256(text), dimension, owner);

-- Every play. Queries that no cell answers read it.
CREATE TABLE usage_plays (
    position bigint  NOT NULL,
    at       bigint  NOT NULL,
    starts   bigint  NOT NULL, -- milliseconds from the video's beginning
    ends     bigint  NOT NULL, -- milliseconds from the video's beginning
    account  integer NOT NULL,
    client   integer NOT NULL,
    person   integer NOT NULL,
    video    integer NOT NULL,
    channel  integer NOT NULL,
    sandbox  boolean NOT NULL,
    subjects bytea,                     -- varints; NULL: none
    excess   bigint  NOT NULL DEFAULT 0, -- milliseconds that were reported and do not count
    void     bigint  NOT NULL DEFAULT 0  -- the number of the void that removes the play from the counts; 0: it counts
);
CREATE INDEX usage_plays_account ON usage_plays (account, at);
CREATE INDEX usage_plays_video ON usage_plays (video, account, at);
CREATE INDEX usage_plays_person ON usage_plays (person, account, at);
CREATE INDEX usage_plays_void ON usage_plays (void, account, at) WHERE void > 0;

-- Sums of an account's plays in one bucket (an hour, a day or a month) and one value of a dimension, in one part or
-- several: see package usagelogic. The store rewrites most cells again and again while their bucket is new.
CREATE TABLE usage_cells (
    plays        bigint   NOT NULL,
    milliseconds bigint   NOT NULL,
    bucket       bigint   NOT NULL,
    account      integer  NOT NULL,
    value        integer  NOT NULL,
    part         integer  NOT NULL,
    users        integer  NOT NULL,
    videos       integer  NOT NULL,
    dimension    smallint NOT NULL,
    grain        smallint NOT NULL,
    sandbox      boolean  NOT NULL,
    body         bytea    NOT NULL, -- persons and videos
    excess       bigint   NOT NULL DEFAULT 0, -- milliseconds, as in usage_plays
    PRIMARY KEY (account, dimension, grain, bucket, value, sandbox, part)
) WITH (fillfactor = 80);

-- The sums from which statements are made. They hold texts, not numbers, because they outlive plays and cells.
CREATE TABLE usage_ledger (
    plays        bigint  NOT NULL,
    milliseconds bigint  NOT NULL,
    month        integer NOT NULL,
    sealed       integer NOT NULL, -- the month of the seal; 2147483647: not sealed yet
    sandbox      boolean NOT NULL,
    account      bytea   NOT NULL,
    client       bytea   NOT NULL,
    excess       bigint  NOT NULL DEFAULT 0,  -- milliseconds, as in usage_plays
    void         bytea   NOT NULL DEFAULT '', -- the ID of the void that made this adjustment; '': a sum of plays
    PRIMARY KEY (account, month, client, sandbox, sealed, void)
);
CREATE INDEX usage_ledger_open ON usage_ledger (month) WHERE sealed = 2147483647;

CREATE TABLE usage_seals (
    month    integer PRIMARY KEY,
    position bigint  NOT NULL,
    at       bigint  NOT NULL -- microseconds since 1970, UTC
);

CREATE TABLE usage_statements (
    month   integer NOT NULL,
    account bytea   NOT NULL,
    body    bytea   NOT NULL, -- JSON
    PRIMARY KEY (account, month)
);
CREATE INDEX usage_statements_month ON usage_statements (month, account);

-- Voids, in the order of their numbers.
CREATE TABLE usage_voids (
    number  bigint  PRIMARY KEY,
    pending boolean NOT NULL, -- the counts are still being changed
    body    bytea   NOT NULL  -- JSON
);

-- Plays before the horizon are kept without persons (store.Usage.ForgetPersons).
CREATE TABLE usage_retention (
    one      boolean PRIMARY KEY CHECK (one),
    horizon  bigint  NOT NULL,
    sweeping boolean NOT NULL -- users whom no play names any more may still have a number
);
INSERT INTO usage_retention (one, horizon, sweeping) VALUES (true, 0, false);

-- The alias of a person whom the store is forgetting, so that an interrupted call continues with the same alias.
CREATE TABLE usage_renames (
    person bytea PRIMARY KEY, -- SHA-256 of the account, a zero byte and the person
    alias  bytea NOT NULL
);

-- Collections --------------------------------------------------------------------------------------------------------

-- The last position of the log of collections.
CREATE TABLE collection_head (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO collection_head (one, position) VALUES (true, 0);

CREATE TABLE collections (
    id         bytea   PRIMARY KEY,
    version    bigint  NOT NULL, -- the position in collection_log of the last change
    created_at bigint  NOT NULL, -- microseconds since 1970, UTC
    updated_at bigint  NOT NULL, -- microseconds since 1970, UTC
    is_default boolean NOT NULL,
    owner      bytea,            -- a user; NULL: the operator
    body       bytea   NOT NULL  -- JSON
);
CREATE INDEX collections_owner ON collections (owner, id);
CREATE UNIQUE INDEX collections_default ON collections (owner) WHERE is_default;

-- The videos of collections, the users whose names and addresses are in their comments, and the users who saved them.
-- Deletions of videos and users find the affected collections here.
CREATE TABLE collection_videos (
    video      bytea NOT NULL,
    collection bytea NOT NULL,
    PRIMARY KEY (video, collection)
);
CREATE INDEX collection_videos_collection ON collection_videos (collection);

CREATE TABLE collection_commentators (
    user_id    bytea NOT NULL,
    collection bytea NOT NULL,
    PRIMARY KEY (user_id, collection)
);
CREATE INDEX collection_commentators_collection ON collection_commentators (collection);

CREATE TABLE collection_saved (
    user_id    bytea NOT NULL,
    collection bytea NOT NULL,
    PRIMARY KEY (user_id, collection)
);
CREATE INDEX collection_saved_collection ON collection_saved (collection);

-- One entry for each change.
CREATE TABLE collection_log (
    position bigint  PRIMARY KEY,
    id       bytea   NOT NULL,
    deleted  boolean NOT NULL
);

-- Searches -----------------------------------------------------------------------------------------------------------

-- The searches of an account on a day, by the folded text: a report reads the texts in their order.
CREATE TABLE searchlog_searches (
    found      bigint  NOT NULL, -- the number of videos that the last search without a filter found
    found_at   bigint  NOT NULL, -- the time of that search; 0: no such search ran
    at         bigint  NOT NULL, -- the last search
    times      bigint  NOT NULL,
    unfiltered bigint  NOT NULL, -- searches without a filter
    empty      bigint  NOT NULL, -- those of them that found nothing
    day        integer NOT NULL,
    sandbox    boolean NOT NULL,
    text       bytea   NOT NULL,
    account    bytea   NOT NULL,
    spelling   bytea   NOT NULL, -- of the last search
    PRIMARY KEY (text, account, day)
);
CREATE INDEX searchlog_searches_account ON searchlog_searches (account, text);
CREATE INDEX searchlog_searches_day ON searchlog_searches (day);

-- The videos that the account clicked in the results of these searches.
CREATE TABLE searchlog_clicks (
    times   bigint  NOT NULL,
    day     integer NOT NULL,
    sandbox boolean NOT NULL,
    text    bytea   NOT NULL,
    account bytea   NOT NULL,
    video   bytea   NOT NULL,
    PRIMARY KEY (text, account, day, video)
);
CREATE INDEX searchlog_clicks_account ON searchlog_clicks (account, text);
CREATE INDEX searchlog_clicks_day ON searchlog_clicks (day);
