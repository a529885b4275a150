-- +goose Up

-- What was played before the horizon (milliseconds since 1970) is kept without persons (store.Usage.ForgetPersons).
-- sweeping: users whom no play names any more may still have a number.
CREATE TABLE use_retention (
    one      boolean PRIMARY KEY CHECK (one),
    horizon  bigint  NOT NULL,
    sweeping boolean NOT NULL
);
INSERT INTO use_retention (one, horizon, sweeping) VALUES (true, 0, false);

-- +goose Down
DROP TABLE use_retention;
