DROP INDEX collections_default;
CREATE UNIQUE INDEX collections_default ON collections (owner) WHERE is_default;

ALTER TABLE collection_commentators RENAME COLUMN user TO user_id;
ALTER TABLE collection_saved RENAME COLUMN user TO user_id;

CREATE TABLE collection_head (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL
) STRICT;
INSERT INTO collection_head (one, position) SELECT 1, COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'collection_log';

ALTER TABLE collection_log RENAME TO old_log;
CREATE TABLE collection_log (
    position INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL,
    deleted  INTEGER NOT NULL
) STRICT;
INSERT INTO collection_log (position, id, deleted) SELECT position, id, deleted FROM old_log;
DROP TABLE old_log;
