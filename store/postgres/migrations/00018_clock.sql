-- +goose Up

-- What the processes remember of their wall clocks (store.ClockRecord).
CREATE TABLE event_clock (
    one  boolean PRIMARY KEY CHECK (one),
    body bytea NOT NULL -- JSON
);
INSERT INTO event_clock (one, body) VALUES (true, '{}');

-- +goose Down
DROP TABLE event_clock;
