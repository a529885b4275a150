-- +goose Up

-- What an account searched for on a day (days since 1970, UTC), by the folded text: a report goes through the texts in
-- their order, and needs no more memory than for one.
CREATE TABLE searched (
    text       TEXT    NOT NULL,
    account    TEXT    NOT NULL,
    day        INTEGER NOT NULL,
    sandbox    INTEGER NOT NULL,
    spelling   TEXT    NOT NULL, -- of the last search
    at         INTEGER NOT NULL, -- the last search, milliseconds since 1970, UTC
    times      INTEGER NOT NULL,
    unfiltered INTEGER NOT NULL, -- searches without a filter
    empty      INTEGER NOT NULL, -- those of them that found nothing
    found      INTEGER NOT NULL, -- how many videos the last of them found
    found_at   INTEGER NOT NULL, -- when that was; 0: there was none
    PRIMARY KEY (text, account, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX searched_account ON searched (account, text, day);
CREATE INDEX searched_day ON searched (day);

-- What was clicked after it.
CREATE TABLE clicked (
    text    TEXT    NOT NULL,
    account TEXT    NOT NULL,
    day     INTEGER NOT NULL,
    video   TEXT    NOT NULL,
    sandbox INTEGER NOT NULL,
    times   INTEGER NOT NULL,
    PRIMARY KEY (text, account, day, video)
) STRICT, WITHOUT ROWID;
CREATE INDEX clicked_account ON clicked (account, text, day, video);
CREATE INDEX clicked_day ON clicked (day);

-- +goose Down
DROP TABLE clicked;
DROP TABLE searched;
