package sqlite

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestAuditBytes checks that the audit log's rows contain no checksum, no hash and no provider's secret.
func TestAuditBytes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts.db")
	a, err := OpenAccounts(t.Context(), file, WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	secrets, err := storetest.EditSecrets(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	handle, err := sql.Open("sqlite", address(file, busyTimeout(time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	rows, err := handle.QueryContext(t.Context(), "SELECT CAST(before AS BLOB), CAST(after AS BLOB), client || user_id || kind || id || owner FROM audit")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var before, after, others []byte
		if err := rows.Scan(&before, &after, &others); err != nil {
			t.Fatal(err)
		}
		raw = slices.Concat(raw, before, after, others)
	}
	if len(raw) == 0 || rows.Err() != nil {
		t.Fatalf("the audit log has %d bytes (%v)", len(raw), rows.Err())
	}
	for _, secret := range secrets {
		if bytes.Contains(raw, secret) {
			t.Errorf("the audit log holds %q", secret)
		}
	}
}
