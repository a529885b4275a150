-- +goose Up

-- What was derived of this catalogue and is kept outside, by its token. A copy of the file knows
-- nothing of what was derived later.
CREATE TABLE vouched (
    number   INTEGER PRIMARY KEY, -- grows; the oldest are forgotten
    token    TEXT    NOT NULL,
    position INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX vouched_token ON vouched (token);

-- +goose Down
DROP TABLE vouched;
