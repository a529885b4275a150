-- +goose Up

-- Times are milliseconds since 1970, UTC; days count from 1970.

-- The searches of an account on a day, by the folded text: a report reads the texts in their order and needs memory
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
    found      INTEGER NOT NULL, -- the number of videos that the last search without a filter found
    found_at   INTEGER NOT NULL, -- the time of that search; 0: no such search ran
    PRIMARY KEY (text, account, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchlog_searches_account ON searchlog_searches (account, text, day);
CREATE INDEX searchlog_searches_day ON searchlog_searches (day);

-- The videos that the account clicked in the results of these searches.
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
