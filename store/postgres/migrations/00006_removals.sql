-- +goose Up

-- The videos that a write removed: deleted or retired ones, and those that were given a last day in the past. Whose
-- day passes later is found by its day. Rows are in the order of their transactions.
CREATE TABLE removals (
    id       text   COLLATE "C" PRIMARY KEY,
    at       bigint NOT NULL,
    position bigint NOT NULL, -- of the write
    reason   text   COLLATE "C" NOT NULL -- catalogue.RemovalReason
);
CREATE INDEX removals_at ON removals (at, position);
INSERT INTO removals (id, at, position, reason)
    SELECT id, updated_at, version, 'RETIRED' FROM videos WHERE retired;
CREATE INDEX videos_until ON videos (available_until, id) WHERE available_until IS NOT NULL;

-- Who changed what. Numbers are given under the lock on the head row, so they are in the order of commits.
CREATE TABLE catalogue_trail (
    number  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at      bigint NOT NULL,
    client  bytea  NOT NULL,
    user_id bytea  NOT NULL,
    kind    text   COLLATE "C" NOT NULL,
    id      text   COLLATE "C" NOT NULL, -- '': not of one thing
    before  bytea,                       -- JSON; NULL: there was none
    after   bytea                        -- JSON; NULL: there is none any more
);
CREATE INDEX catalogue_trail_thing ON catalogue_trail (kind, id, number);
CREATE INDEX catalogue_trail_kind ON catalogue_trail (kind, number);
