package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/postgres"
)

// large lists the tables that no statement may scan in full, except the statements of WholeTable.
var large = map[string]bool{
	"entities": true, "entity_links": true, "videos": true, "video_bodies": true, "video_transcripts": true,
	"video_links": true, "outbox": true, "fan_outs": true, "attestations": true, "leases": true,
	"keys": true, "grants": true, "account_entities": true, "account_entity_names": true, "account_entity_links": true,
	"audit": true, "notes": true, "codes": true, "sessions": true, "revocations": true, "used_steps": true, "usage": true, "deprecated_uses": true,
	"removals": true, "catalogue_audit": true,
	"catalogue_records": true, "theme_videos": true, "events_2026_09": true, "events_2026_10": true, "event_addresses": true, "event_keys": true, "event_segments": true, "event_persons": true,
	"usage_terms": true, "usage_blocks_2026_11": true, "usage_blocks_2026_12": true, "usage_cells": true, "usage_ledger": true, "usage_statements": true, "usage_verified_spans": true,
	"collections": true, "collection_videos": true, "collection_commentators": true, "collection_saved": true, "collection_log": true,
	"searchlog_searches": true, "searchlog_clicks": true,
	"jobs": true, "job_files": true, "job_file_chunks": true,
}

// TestPlans checks that every statement of the package finds its rows by an index. The tables have many rows and fresh
// statistics, and the server makes a generic plan, independent of the parameters.
func TestPlans(t *testing.T) {
	where := emptyDatabase(t)
	fillTables(t, where)
	connection, err := pgx.Connect(t.Context(), where)
	must(t, err)
	defer connection.Close(context.Background())
	_, err = connection.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan")
	must(t, err)
	explained := 0
	for i, statement := range postgres.Statements() {
		if strings.HasPrefix(statement, "BEGIN") || strings.HasPrefix(statement, "LOCK") || strings.Contains(statement, " recount_progress") || statement == "COMMIT" || statement == "ROLLBACK" {
			continue
		}
		plan := planOf(t, connection, fmt.Sprint("s", i), statement)
		explained++
		scanned := scannedBy(plan)
		if _, want := postgres.WholeTable()[statement]; want != (len(scanned) > 0) {
			text, _ := json.MarshalIndent(plan, "", " ")
			t.Errorf("%s\nscans the tables %v; want a scan: %t\n%s", statement, scanned, want, text)
		}
	}
	if explained < 60 {
		t.Errorf("only %d statements were explained", explained)
	}
}

// fillTables writes meaningless rows, so many that a full scan costs more than an index.
func fillTables(t *testing.T, where string) {
	const rows = "FROM generate_series(1, 20000) AS n"
	id := "substr(md5(n::text), 1, 24)"
	text := "n::text::bytea"
	execute(t, where,
		"INSERT INTO entities SELECT n, 'tag', "+id+", n, n, "+text+", "+text+", "+text+", n % 1000 = 0, "+text+" "+rows,
		"INSERT INTO entity_links SELECT n % 500, n "+rows,
		"INSERT INTO catalogue_records SELECT n, ('kind ' || n % 6), "+id+", n, n, "+text+", "+text+", 'video', 'owner ' || n % 500, "+text+" "+rows,
		"INSERT INTO theme_videos SELECT "+id+", n % 500 "+rows,
		"INSERT INTO videos SELECT n, "+id+", n, n, n % 500, NULL, false, NULL, "+text+", ('source ' || n % 5)::bytea, "+text+" "+rows,
		"INSERT INTO video_bodies SELECT n, repeat('x', 1000)::bytea "+rows,
		"INSERT INTO video_transcripts SELECT n, "+text+", repeat('x', 1000)::bytea "+rows,
		"INSERT INTO video_links SELECT n % 500, n "+rows,
		"INSERT INTO outbox SELECT n, 'video', "+id+", false "+rows,
		"INSERT INTO removals SELECT "+id+", n, n, 'DELETED' "+rows,
		"INSERT INTO catalogue_audit (at, client, user_id, kind, id) SELECT n, "+text+", "+text+", ('kind ' || n % 6)::bytea, "+id+"::bytea "+rows,
		"INSERT INTO fan_outs SELECT n, n, 1, 0 "+rows,
		"INSERT INTO attestations (token, position) SELECT "+text+", n "+rows,
		"INSERT INTO leases SELECT "+text+", '', 0, 0, '', 0 "+rows,
		"INSERT INTO keys (purpose, id, secret, created_at) SELECT ('purpose ' || n % 500)::bytea, "+text+", "+text+", n "+rows,
		"INSERT INTO grants SELECT sha256("+text+"), "+text+", "+text+", "+text+", "+text+", n, false, n, "+text+", n "+rows,
		"INSERT INTO account_entities SELECT CASE WHEN n % 50 = 0 THEN 'client' ELSE 'user' END::bytea, "+text+", ('owner ' || n % 500)::bytea, n, n, n, "+text+" "+rows,
		"INSERT INTO account_entity_names SELECT sha256("+text+"), 'user', "+text+" "+rows,
		"INSERT INTO account_entity_links SELECT 'account', ('owner ' || n % 500)::bytea, 'user', "+text+" "+rows,
		"INSERT INTO audit SELECT n, n, "+text+", "+text+", ('kind ' || n % 6)::bytea, "+text+", ('owner ' || n % 500)::bytea, "+text+", "+text+" "+rows,
		"INSERT INTO notes SELECT 'account', "+text+", sha256("+text+") "+rows,
		"INSERT INTO codes SELECT sha256("+text+"), "+text+", "+text+", "+text+", "+text+", "+text+", "+text+", "+text+", "+text+", n, n, false "+rows,
		"INSERT INTO used_steps SELECT "+text+", n, n "+rows,
		"INSERT INTO sessions SELECT sha256("+text+"), "+text+", "+text+", "+text+", "+text+", n, n "+rows,
		"INSERT INTO revocations SELECT "+text+", n "+rows,
		"INSERT INTO usage SELECT ('month ' || n % 50)::bytea, "+text+", n "+rows,
		"INSERT INTO deprecated_uses SELECT ('item ' || n % 10)::bytea, "+text+", "+text+", n, n, n "+rows,
		"CREATE TABLE events_2026_09 PARTITION OF events FOR VALUES FROM (0) TO (10001)",
		"CREATE TABLE events_2026_10 PARTITION OF events FOR VALUES FROM (10001) TO (20001)",
		"INSERT INTO events SELECT n, n, n, 0, n, gen_random_uuid(), 1, false, "+text+", "+text+", "+text+", NULL, "+text+" "+rows,
		"INSERT INTO event_addresses SELECT n, n, n, "+text+" "+rows,
		"INSERT INTO event_segments SELECT n * 100, n * 100 + 100, 1, 1, 0 "+rows,
		"INSERT INTO event_persons SELECT n, "+text+" "+rows,
		"INSERT INTO event_keys SELECT sha256("+text+"), sha256("+text+"), n "+rows,
		"INSERT INTO usage_terms SELECT n, n % 500, n % 6, "+text+" "+rows,
		"CREATE TABLE usage_blocks_2026_11 PARTITION OF usage_blocks FOR VALUES IN (682)",
		"CREATE TABLE usage_blocks_2026_12 PARTITION OF usage_blocks FOR VALUES IN (683)",
		"INSERT INTO usage_blocks SELECT n, n, n, n, n % 500, 682 + n % 2, n, 1, 1, false, "+text+", "+text+" "+rows,
		"INSERT INTO usage_cells SELECT n, n, n, n % 500, n, 0, 1, 1, n % 6, 1, false, repeat('x', 200)::bytea "+rows,
		"INSERT INTO usage_ledger SELECT n, n, n % 50, CASE WHEN n % 50 = 0 THEN 2147483647 ELSE n % 50 END, false, "+text+", "+text+" "+rows,
		"INSERT INTO usage_statements SELECT n % 50, "+text+", "+text+" "+rows,
		"INSERT INTO usage_verified_spans SELECT n, n, n, n, 1, 0, 0, repeat('x', 200)::bytea "+rows,
		"INSERT INTO collections SELECT "+id+"::bytea, n, n, n, false, ('owner ' || n % 500)::bytea, repeat('x', 200)::bytea "+rows,
		"INSERT INTO collection_videos SELECT substr(md5((n % 500)::text), 1, 24)::bytea, "+id+"::bytea "+rows,
		"INSERT INTO collection_commentators SELECT ('user ' || n % 500)::bytea, "+id+"::bytea "+rows,
		"INSERT INTO collection_saved SELECT ('user ' || n % 500)::bytea, "+id+"::bytea "+rows,
		"INSERT INTO collection_log SELECT n, "+id+"::bytea, false "+rows,
		"INSERT INTO searchlog_searches SELECT n, n, n, 1, 1, 0, n % 100, false, "+text+", ('owner ' || n % 500)::bytea, "+text+" "+rows,
		"INSERT INTO searchlog_clicks SELECT 1, n % 100, false, "+text+", ('owner ' || n % 500)::bytea, "+text+" "+rows,
		"INSERT INTO jobs (created_at, started_at, ended_at, done, total, attempts, until, open, cancel, id, kind, account, client, user_name, state, holder, error, input, result, details) SELECT n, n, n, 0, 0, 1, 0, n % 500 = 0, false, "+text+", ('kind ' || n % 6)::bytea, ('owner ' || n % 50)::bytea, '', '', '', '', '', '', '', '' "+rows,
		"INSERT INTO job_files SELECT n, n, n, "+text+", '', '', '', CASE WHEN n % 2 = 0 THEN '' ELSE ('job ' || n % 5000) END::bytea, '', '' "+rows,
		"INSERT INTO job_file_chunks SELECT n, ('file ' || n % 500)::bytea, "+text+" "+rows,
		"ANALYZE")
}

// node is one node of a query plan.
type node struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Plans    []node
}

func planOf(t *testing.T, connection *pgx.Conn, name, statement string) node {
	t.Helper()
	described, err := connection.Prepare(t.Context(), name, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	call := name
	if n := len(described.ParamOIDs); n > 0 {
		call += "(" + strings.TrimSuffix(strings.Repeat("NULL,", n), ",") + ")"
	}
	var text string
	if err := connection.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+call, pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	var plans []struct{ Plan node }
	must(t, json.Unmarshal([]byte(text), &plans))
	return plans[0].Plan
}

// scannedBy returns the large tables that a plan scans in full.
func scannedBy(plan node) (tables []string) {
	if plan.Type == "Seq Scan" && large[plan.Relation] {
		tables = append(tables, plan.Relation)
	}
	for _, below := range plan.Plans {
		tables = append(tables, scannedBy(below)...)
	}
	return tables
}
