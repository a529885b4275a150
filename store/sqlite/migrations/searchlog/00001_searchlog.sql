-- +goose Up

-- Times are milliseconds since 1970, UTC; days count from 1970.

-- What an account searched for on a day, by the folded text: a report reads the texts in their order and needs memory
-- for one of them.
CREATE TABLE searchlog_searches (
    text       TEXT    NOT NULL,
    account    TEXT    NOT NULL,
    day        INTEGER NOT NULL,
    sandbox    INTEGER NOT NULL,
    spelling   TEXT    NOT NULL, -- of the last search
    at         INTEGER NOT NULL, -- the last search
    times      INTEGER NOT NULL,
    unfiltered INTEGER NOT NULL, -- searches without a filter
    empty      INTEGER NOT NULL, -- those of them that found nothing
    found      INTEGER NOT NULL, -- how many videos the last search without a filter found
    found_at   INTEGER NOT NULL, -- when that search ran; 0: there was none
    PRIMARY KEY (text, account, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchlog_searches_account ON searchlog_searches (account, text, day);
CREATE INDEX searchlog_searches_day ON searchlog_searches (day);

-- What the account clicked in the results of these searches.
CREATE TABLE searchlog_clicks (
    text    TEXT    NOT NULL,
    account TEXT    NOT NULL,
    day     INTEGER NOT NULL,
    video   TEXT    NOT NULL,
    sandbox INTEGER NOT NULL,
    times   INTEGER NOT NULL,
    PRIMARY KEY (text, account, day, video)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchlog_clicks_account ON searchlog_clicks (account, text, day, video);
CREATE INDEX searchlog_clicks_day ON searchlog_clicks (day);
