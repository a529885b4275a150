-- +goose Up

-- Who used what is deprecated.
CREATE TABLE deprecated_uses (
    item       bytea  NOT NULL,
    client     bytea  NOT NULL, -- '': nobody knows
    account    bytea  NOT NULL, -- likewise
    first_used bigint NOT NULL, -- microseconds since 1970, UTC
    last_used  bigint NOT NULL, -- likewise
    count      bigint NOT NULL, -- of calls
    PRIMARY KEY (item, client, account)
);
