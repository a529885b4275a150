-- +goose Up

-- How many milliseconds count in each viewing of an embed.
CREATE TABLE viewings (
    id      TEXT    NOT NULL PRIMARY KEY,
    opened  INTEGER NOT NULL, -- milliseconds since 1970, UTC
    counted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX viewings_opened ON viewings (opened);

-- +goose Down
DROP TABLE viewings;
