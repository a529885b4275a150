package postgres_test

import (
	"bytes"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

func lineageOf(t *testing.T, url string) string {
	t.Helper()
	name, err := open(t, url).Catalogue().Lineage(t.Context())
	must(t, err)
	return name
}

// TestLineageOfADump checks that a restored dump has another lineage, whether it is restored to the same database or to
// another.
func TestLineageOfADump(t *testing.T) {
	url, other := emptyDatabase(t), testservers.SharedPostgreSQL(t).URL
	filled(t, url, 5)
	before := lineageOf(t, url)
	dump := client(t, nil, "pg_dump", "--no-owner", "--clean", "--if-exists", "--dbname", url)
	client(t, dump, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", other)
	elsewhere := lineageOf(t, other)
	if n, err := open(t, other).Catalogue().CountVideos(t.Context()); err != nil || n != 5 {
		t.Errorf("%d videos were restored (%v)", n, err)
	}
	client(t, dump, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url)
	if here := lineageOf(t, url); here == before || elsewhere == before || here == elsewhere {
		t.Errorf("%q became %q elsewhere and %q here", before, elsewhere, here)
	}
}

// client runs one of PostgreSQL's client programs.
func client(t *testing.T, input []byte, name string, arguments ...string) (output []byte) {
	t.Helper()
	var problems bytes.Buffer
	cmd := exec.Command(testservers.Program(t, name, name), arguments...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &problems
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, problems.Bytes())
	}
	return output
}

// TestLineageOfAPromotion checks that a standby says why it takes no writes, and that a promoted one has another lineage,
// because it lacks the commits that the old primary had not sent.
func TestLineageOfAPromotion(t *testing.T) {
	server := testservers.PostgreSQL(t, testservers.Replica())
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	filled(t, server.URL, 5)
	before := lineageOf(t, server.URL)
	awaitReplay(t, server)
	if err := calls(open(t, server.Replica.URL))["a revocation"](t.Context()); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "is a standby") {
		t.Errorf("a write to the standby: %v", err)
	}
	server.Kill()
	if promoted := ask(t, server.Replica.URL, "SELECT pg_promote()::text"); promoted != "true" {
		t.Fatal("the standby was not promoted")
	}
	if after := lineageOf(t, server.Replica.URL); after == before {
		t.Errorf("the lineage is still %q", after)
	}
}

// TestLineageWithFewPrivileges checks that a role that may not read the cluster's identifier has a lineage too.
func TestLineageWithFewPrivileges(t *testing.T) {
	server := testservers.PostgreSQL(t)
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	execute(t, server.URL, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
		"CREATE ROLE plain LOGIN PASSWORD 'plain'", "GRANT ALL ON ALL TABLES IN SCHEMA public TO plain")
	where := mustParse(t, server.URL)
	where.User = url.UserPassword("plain", "plain")
	if first, again := lineageOf(t, where.String()), lineageOf(t, where.String()); len(first) != 16 || first != again {
		t.Errorf("%q, %q", first, again)
	}
}
