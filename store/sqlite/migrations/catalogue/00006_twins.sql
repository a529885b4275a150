-- +goose Up

-- Which videos were retired into one: it stays as long as there is any.
CREATE INDEX videos_twin ON videos (retired_into) WHERE retired_into IS NOT NULL;

-- +goose Down
DROP INDEX videos_twin;
