-- +goose Up

-- What the processes remember of their wall clocks (store.ClockRecord).
CREATE TABLE event_clock (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    body BLOB NOT NULL -- JSON
) STRICT;
INSERT INTO event_clock (one, body) VALUES (1, CAST('{}' AS BLOB));

-- +goose Down
DROP TABLE event_clock;
