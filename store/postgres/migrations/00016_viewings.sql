-- +goose Up

-- How many milliseconds count in each viewing of an embed.
CREATE TABLE event_viewings (
    id      text   COLLATE "C" PRIMARY KEY,
    opened  bigint NOT NULL, -- milliseconds since 1970, UTC
    counted bigint NOT NULL
);
CREATE INDEX event_viewings_opened ON event_viewings (opened, id);

-- +goose Down
DROP TABLE event_viewings;
