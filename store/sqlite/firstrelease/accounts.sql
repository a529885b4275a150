ALTER TABLE records RENAME TO account_entities;
DROP INDEX records_owner;
CREATE INDEX account_entities_owner ON account_entities (kind, owner, id);
CREATE INDEX account_entities_roster ON account_entities (kind, id) WHERE kind <> 'user';

CREATE TABLE account_entity_names (
    sum  BLOB PRIMARY KEY, -- SHA-256 of the name
    kind TEXT NOT NULL,
    id   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO account_entity_names (sum, kind, id) SELECT filmstrip_sha256(name), kind, id FROM record_names;
DROP TABLE record_names;
CREATE INDEX account_entity_names_entity ON account_entity_names (kind, id);

ALTER TABLE record_links RENAME TO account_entity_links;
DROP INDEX record_links_record;
CREATE INDEX account_entity_links_entity ON account_entity_links (kind, id);

ALTER TABLE trail RENAME TO audit;
ALTER TABLE audit RENAME COLUMN user TO user_id;
DROP INDEX trail_kind;
DROP INDEX trail_record;
DROP INDEX trail_owner;
DROP INDEX trail_owner_kind;
CREATE INDEX audit_kind ON audit (kind, number);
CREATE INDEX audit_record ON audit (kind, id, number);
CREATE INDEX audit_owner ON audit (owner, number);
CREATE INDEX audit_owner_kind ON audit (owner, kind, number);

DROP TABLE clients; -- no release wrote it
