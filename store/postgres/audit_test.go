package postgres_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestAuditBytes: no byte of the audit log's rows is of a sum, a hash or a provider's secret.
func TestAuditBytes(t *testing.T) {
	where := emptyDatabase(t)
	secrets, err := storetest.EditSecrets(t.Context(), open(t, where).Accounts())
	must(t, err)
	trail := ask(t, where, `SELECT string_agg(audit::text, '') FROM audit`) // bytea are hexadecimal there
	if !strings.Contains(trail, hex.EncodeToString([]byte(`"Renamed"`))) {
		t.Fatalf("the audit log is %q", trail)
	}
	for _, secret := range secrets {
		if strings.Contains(trail, hex.EncodeToString(secret)) {
			t.Errorf("the audit log holds %q", secret)
		}
	}
}
