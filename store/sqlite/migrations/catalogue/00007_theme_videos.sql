-- +goose Up

-- Which videos themes name, so that a deleted one leaves them. Triggers keep it, for a release that does not know it may
-- write beside this one.
CREATE TABLE theme_videos (
    video TEXT    NOT NULL,
    theme INTEGER NOT NULL, -- catalogue_records.number
    PRIMARY KEY (video, theme)
) STRICT, WITHOUT ROWID;
CREATE INDEX theme_videos_theme ON theme_videos (theme);

-- +goose StatementBegin
CREATE TRIGGER theme_added AFTER INSERT ON catalogue_records WHEN new.kind = 'theme' BEGIN
    INSERT INTO theme_videos (video, theme)
        SELECT DISTINCT v.value, new.number
        FROM json_each(CAST(new.body AS TEXT), '$.topics') AS t, json_each(t.value, '$.targets') AS g,
            json_each(g.value, '$.videos') AS v
        WHERE v.type = 'text';
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER theme_changed AFTER UPDATE OF body ON catalogue_records WHEN new.kind = 'theme' BEGIN
    DELETE FROM theme_videos WHERE theme = new.number;
    INSERT INTO theme_videos (video, theme)
        SELECT DISTINCT v.value, new.number
        FROM json_each(CAST(new.body AS TEXT), '$.topics') AS t, json_each(t.value, '$.targets') AS g,
            json_each(g.value, '$.videos') AS v
        WHERE v.type = 'text';
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER theme_deleted AFTER DELETE ON catalogue_records WHEN old.kind = 'theme' BEGIN
    DELETE FROM theme_videos WHERE theme = old.number;
END;
-- +goose StatementEnd

INSERT INTO theme_videos (video, theme)
    SELECT DISTINCT v.value, r.number
    FROM catalogue_records AS r, json_each(CAST(r.body AS TEXT), '$.topics') AS t, json_each(t.value, '$.targets') AS g,
        json_each(g.value, '$.videos') AS v
    WHERE r.kind = 'theme' AND v.type = 'text';

-- +goose Down
DROP TRIGGER theme_deleted;
DROP TRIGGER theme_changed;
DROP TRIGGER theme_added;
DROP TABLE theme_videos;
