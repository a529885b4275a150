-- +goose Up

-- What was played before the horizon (milliseconds since 1970) is kept without persons (store.Usage.ForgetPersons).
-- sweeping: users whom no play names any more may still have a number.
CREATE TABLE retention (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    horizon  INTEGER NOT NULL,
    sweeping INTEGER NOT NULL
) STRICT;
INSERT INTO retention (one, horizon, sweeping) VALUES (1, 0, 0);

-- +goose Down
DROP TABLE retention;
