DROP INDEX videos_twin;
CREATE INDEX videos_replacement ON videos (retired_into) WHERE retired_into IS NOT NULL;

ALTER TABLE catalogue_trail RENAME TO catalogue_audit;
ALTER TABLE catalogue_audit RENAME COLUMN user TO user_id;
DROP INDEX catalogue_trail_thing;
DROP INDEX catalogue_trail_kind;
CREATE INDEX catalogue_audit_thing ON catalogue_audit (kind, id, number);
CREATE INDEX catalogue_audit_kind ON catalogue_audit (kind, number);

ALTER TABLE vouched RENAME TO attestations;
DROP INDEX vouched_token;
CREATE UNIQUE INDEX attestations_token ON attestations (token);
