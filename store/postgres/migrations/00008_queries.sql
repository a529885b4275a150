-- +goose Up

-- What an account searched for on a day (days since 1970, UTC), by the folded text: a report goes through the texts in
-- their order.
CREATE TABLE ask_searched (
    found      bigint  NOT NULL, -- how many videos the last search without a filter found
    found_at   bigint  NOT NULL, -- when that was; 0: there was none
    at         bigint  NOT NULL, -- the last search, milliseconds since 1970, UTC
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
CREATE INDEX ask_searched_account ON ask_searched (account, text);
CREATE INDEX ask_searched_day ON ask_searched (day);

-- What was clicked after it.
CREATE TABLE ask_clicked (
    times   bigint  NOT NULL,
    day     integer NOT NULL,
    sandbox boolean NOT NULL,
    text    bytea   NOT NULL,
    account bytea   NOT NULL,
    video   bytea   NOT NULL,
    PRIMARY KEY (text, account, day, video)
);
CREATE INDEX ask_clicked_account ON ask_clicked (account, text);
CREATE INDEX ask_clicked_day ON ask_clicked (day);
