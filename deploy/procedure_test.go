//go:build system

package deploy

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

var procedure = regexp.MustCompile("(?s)<!-- tested: ([a-z ]+) -->\n```sh\n(.*?)```")

// follow runs a procedure of docs/operations.md exactly as it is written.
func (s *site) follow(name string) {
	s.Helper()
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		s.Fatal(err)
	}
	for _, found := range procedure.FindAllStringSubmatch(string(text), -1) {
		if found[1] != name {
			continue
		}
		command := exec.Command("sh", "-e", "-c", found[2])
		command.Dir, command.Env = s.folder, s.environment
		if out, err := command.CombinedOutput(); err != nil {
			s.Fatalf("%s: %v: %s", name, err, out)
		}
		return
	}
	s.Fatalf("docs/operations.md does not say how to %s", name)
}

// postgresEnvironment returns an environment that selects the database for PostgreSQL's own programs, and that contains
// their folder in PATH.
func postgresEnvironment(t *testing.T, database string) []string {
	t.Helper()
	where := parsed(t, database)
	password, _ := where.User.Password()
	environment := []string{
		"PGHOST=" + where.Hostname(), "PGPORT=" + where.Port(), "PGUSER=" + where.User.Username(), "PGPASSWORD=" + password,
		"PGDATABASE=" + strings.TrimPrefix(where.Path, "/"),
	}
	if _, err := exec.LookPath("pg_dump"); err == nil {
		return environment
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if err != nil || len(found) == 0 {
		t.Skip("NOT TESTED: there is no pg_dump in PATH or /usr/lib/postgresql")
	}
	return append(environment, "PATH="+os.Getenv("PATH")+":"+filepath.Dir(found[len(found)-1]))
}

func parsed(t *testing.T, address string) *url.URL {
	t.Helper()
	where, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return where
}

// ask runs a statement in PostgreSQL and scans its row, if into is not empty.
func ask(t *testing.T, database, statement string, into ...any) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }() // the server has acknowledged the statement
	if len(into) == 0 {
		_, err = connection.Exec(t.Context(), statement)
	} else {
		err = connection.QueryRow(t.Context(), statement).Scan(into...)
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// headOfFile returns the highest position that the log in a catalogue's file ever had.
func headOfFile(t *testing.T, file string) (head int64) {
	t.Helper()
	database, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if err := database.QueryRowContext(t.Context(), "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").Scan(&head); err != nil {
		t.Fatal(err)
	}
	return head
}

var historyOfIndex = regexp.MustCompile(`^filmstrip-([0-9a-f]+)-[0-9a-f]{8}$`)

// histories returns the names of the histories that have an index in Typesense, without those of other tests.
func (s *site) histories() (names []string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.typesense.URL+"/aliases", nil)
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("X-TYPESENSE-API-KEY", s.typesense.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Aliases []struct{ Name string } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		s.Fatalf("Typesense lists no aliases: %s, %v", response.Status, err)
	}
	for _, alias := range answer.Aliases {
		if found := historyOfIndex.FindStringSubmatch(alias.Name); found != nil && !slices.Contains(s.others, found[1]) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
