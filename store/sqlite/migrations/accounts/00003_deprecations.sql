-- +goose Up

-- Who used what is deprecated.
CREATE TABLE deprecated_uses (
    item       TEXT    NOT NULL,
    client     TEXT    NOT NULL, -- '': nobody knows
    account    TEXT    NOT NULL, -- likewise
    first_used INTEGER NOT NULL, -- microseconds since 1970, UTC
    last_used  INTEGER NOT NULL, -- likewise
    count      INTEGER NOT NULL, -- of calls
    PRIMARY KEY (item, client, account)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE deprecated_uses;
