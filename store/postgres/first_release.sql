DROP TABLE clients; -- no release wrote it

DO $$
DECLARE
    renamed record;
    part    record;
BEGIN
    FOR renamed IN
        SELECT * FROM (VALUES
            ('record_names', 'account_entity_names'), ('record_links', 'account_entity_links'), ('records', 'account_entities'),
            ('trail', 'audit'), ('catalogue_trail', 'catalogue_audit'), ('vouched', 'attestations'),
            ('use_progress', 'usage_progress'), ('use_terms', 'usage_terms'), ('use_plays', 'usage_plays'), ('use_cells', 'usage_cells'),
            ('use_ledger', 'usage_ledger'), ('use_seals', 'usage_seals'), ('use_statements', 'usage_statements'), ('use_voids', 'usage_voids'),
            ('use_retention', 'usage_retention'), ('use_renames', 'usage_renames'),
            ('col_head', 'collection_head'), ('col_collections', 'collections'), ('col_videos', 'collection_videos'),
            ('col_commentators', 'collection_commentators'), ('col_saved', 'collection_saved'), ('col_log', 'collection_log'),
            ('ask_searched', 'searchlog_searches'), ('ask_clicked', 'searchlog_clicks')
        ) AS names (old, new)
    LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO %I', renamed.old, renamed.new);
        -- The names of indexes, sequences and checks begin with the name of their table.
        FOR part IN
            SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = renamed.new::regclass
            UNION ALL
            SELECT objid::regclass::text FROM pg_depend JOIN pg_class ON oid = objid
            WHERE refobjid = renamed.new::regclass AND relkind = 'S' AND deptype = 'i'
        LOOP
            EXECUTE format('ALTER TABLE %I RENAME TO %I', part.name, renamed.new || substr(part.name, length(renamed.old) + 1));
        END LOOP;
        FOR part IN SELECT conname AS name FROM pg_constraint WHERE conrelid = renamed.new::regclass AND contype = 'c' LOOP
            EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', renamed.new, part.name, renamed.new || substr(part.name, length(renamed.old) + 1));
        END LOOP;
    END LOOP;
END $$;
ALTER INDEX account_entity_names_record RENAME TO account_entity_names_entity;
ALTER INDEX account_entity_links_record RENAME TO account_entity_links_entity;
ALTER INDEX videos_twin RENAME TO videos_replacement;

ALTER TABLE catalogue_audit
    ALTER COLUMN kind TYPE bytea USING convert_to(kind, 'UTF8'), ALTER COLUMN id TYPE bytea USING convert_to(id, 'UTF8');
ALTER TABLE collections ALTER COLUMN id TYPE bytea USING convert_to(id, 'UTF8');
ALTER TABLE collection_log ALTER COLUMN id TYPE bytea USING convert_to(id, 'UTF8');
ALTER TABLE collection_videos
    ALTER COLUMN video TYPE bytea USING convert_to(video, 'UTF8'), ALTER COLUMN collection TYPE bytea USING convert_to(collection, 'UTF8');
ALTER TABLE collection_commentators ALTER COLUMN collection TYPE bytea USING convert_to(collection, 'UTF8');
ALTER TABLE collection_saved ALTER COLUMN collection TYPE bytea USING convert_to(collection, 'UTF8');
