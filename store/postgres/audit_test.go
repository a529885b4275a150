package postgres_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestAuditBytes checks that the audit log's rows contain no checksum, no hash and no provider's secret.
func TestAuditBytes(t *testing.T) {
	where := emptyDatabase(t)
	secrets, err := storetest.EditSecrets(t.Context(), open(t, where).Accounts())
	must(t, err)
	entries := ask(t, where, `SELECT string_agg(audit::text, '') FROM audit`) // bytea values appear as hexadecimal
	if !strings.Contains(entries, hex.EncodeToString([]byte(`"Renamed"`))) {
		t.Fatalf("the audit log is %q", entries)
	}
	for _, secret := range secrets {
		if strings.Contains(entries, hex.EncodeToString(secret)) {
			t.Errorf("the audit log holds %q", secret)
		}
	}
}
