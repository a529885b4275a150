-- +goose Up

-- The last time step whose one-time password (RFC 6238) each user has signed in with, until it has expired anyway.
CREATE TABLE used_steps (
    user_id bytea  PRIMARY KEY,
    step    bigint NOT NULL,
    expires bigint NOT NULL
);
CREATE INDEX used_steps_expires ON used_steps (expires);
