-- +goose Up

-- Which videos themes name, so that a deleted one leaves them. Triggers keep it, for a release that does not know it may
-- write beside this one.
CREATE TABLE theme_videos (
    video text   COLLATE "C" NOT NULL,
    theme bigint NOT NULL, -- catalogue_records.number
    PRIMARY KEY (video, theme)
);
CREATE INDEX theme_videos_theme ON theme_videos (theme);

-- +goose StatementBegin
CREATE FUNCTION theme_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM theme_videos WHERE theme = old.number;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO theme_videos (video, theme)
            SELECT DISTINCT v #>> '{}', new.number
            FROM jsonb_path_query(convert_from(new.body, 'UTF8')::jsonb, '$.topics[*].targets[*].videos[*]') AS v
            WHERE jsonb_typeof(v) = 'string';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER theme_put AFTER INSERT OR UPDATE OF body ON catalogue_records
    FOR EACH ROW WHEN (new.kind = 'theme') EXECUTE FUNCTION theme_written();
CREATE TRIGGER theme_deleted AFTER DELETE ON catalogue_records
    FOR EACH ROW WHEN (old.kind = 'theme') EXECUTE FUNCTION theme_written();

INSERT INTO theme_videos (video, theme)
    SELECT DISTINCT v #>> '{}', r.number
    FROM catalogue_records AS r, jsonb_path_query(convert_from(r.body, 'UTF8')::jsonb, '$.topics[*].targets[*].videos[*]') AS v
    WHERE r.kind = 'theme' AND jsonb_typeof(v) = 'string';
