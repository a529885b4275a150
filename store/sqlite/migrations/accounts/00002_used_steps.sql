-- +goose Up

-- The last time step whose one-time password (RFC 6238) each user has signed in with, until it has expired anyway.
CREATE TABLE used_steps (
    user_id TEXT    PRIMARY KEY,
    step    INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_steps_expires ON used_steps (expires);
