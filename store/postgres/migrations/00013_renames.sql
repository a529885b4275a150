-- +goose Up

-- Which alias a person gets who is being forgotten, until that is done, so that a call that was cut short goes on
-- with the same. The person is the SHA-256 of the account, a zero byte and the person.
CREATE TABLE use_renames (
    person bytea PRIMARY KEY,
    alias  bytea NOT NULL
);

-- +goose Down
DROP TABLE use_renames;
