package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// databases contains the databases that all tests of the process share. Creating all tables for every case would take
// most of the tests' time.
var databases struct {
	once sync.Once
	err  error
	// server is the address of another database of the server. Statements that create and drop databases run there.
	server string
	// template has all tables; the database of a test is a copy of it. The database that schemas names has one schema
	// with all tables for each case that runs at the same time.
	template, schemas string

	mu   sync.Mutex
	free []string // schemas whose tables are in their initial state
	made int
}

// prepareDatabases creates the shared databases on its first call.
func prepareDatabases(t testing.TB) {
	t.Helper()
	databases.once.Do(func() {
		databases.server = withPath(t, testservers.SharedPostgreSQL(t).URL, "/postgres")
		databases.template = newDatabase(t, "")
		if _, err := postgres.Migrate(t.Context(), withPath(t, databases.server, databases.template)); err != nil {
			databases.err = err
			return
		}
		databases.schemas = newDatabase(t, databases.template)
		execute(t, withPath(t, databases.server, databases.schemas), "ALTER SCHEMA public RENAME TO initial")
	})
	if databases.err != nil || databases.schemas == "" {
		t.Fatalf("no databases: %v", databases.err)
	}
}

// dropDatabases drops the shared databases on a server that outlives the process.
func dropDatabases() {
	for _, name := range []string{databases.schemas, databases.template} {
		if name == "" {
			continue
		}
		if err := testservers.DropDatabase(databases.server, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

func newDatabase(t testing.TB, template string) (name string) {
	t.Helper()
	name = "s" + strings.ToLower(rand.Text())
	must(t, testservers.CreateDatabase(databases.server, name, template))
	return name
}

func withPath(t testing.TB, where, path string) string {
	t.Helper()
	parsed, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	parsed.Path = "/" + strings.TrimPrefix(path, "/")
	return parsed.String()
}

// emptyDatabase returns the address of a new database with all tables.
func emptyDatabase(t testing.TB) (url string) {
	t.Helper()
	prepareDatabases(t)
	name := newDatabase(t, databases.template)
	server := databases.server
	t.Cleanup(func() { must(t, testservers.DropDatabase(server, name)) })
	address := withPath(t, server, name)
	// The copy gets a salt of its own: it is another database, not a replica of the template.
	execute(t, address, "UPDATE head SET salt = gen_random_uuid()::text")
	return address
}

// emptySchema returns the address of a schema with all tables, in a database that other tests use at the same time. The
// schema is released when the test ends.
func emptySchema(t testing.TB) (where string) {
	t.Helper()
	prepareDatabases(t)
	databases.mu.Lock()
	defer databases.mu.Unlock()
	if n := len(databases.free); n > 0 {
		where, databases.free = databases.free[n-1], databases.free[:n-1]
	} else {
		databases.made++
		where = newSchema(t, fmt.Sprint("schema", databases.made))
	}
	t.Cleanup(func() {
		if resetSchema(where) == nil {
			databases.mu.Lock()
			defer databases.mu.Unlock()
			databases.free = append(databases.free, where)
		}
	})
	return where
}

// propertySchema returns a schema of emptySchema, or of reusedSchema for a property test.
func propertySchema(t *testing.T, used *sync.Map) (where string) {
	t.Helper()
	if strings.Contains(t.Name(), "/properties/") {
		return reusedSchema(t, used)
	}
	return emptySchema(t)
}

// reusedSchema returns the same schema on each call of a test that needs many in sequence.
func reusedSchema(t *testing.T, used *sync.Map) (where string) {
	t.Helper()
	known, again := used.Load(t)
	if !again {
		known = emptySchema(t)
		used.Store(t, known)
	} else if err := resetSchema(known.(string)); err != nil {
		t.Fatal(err)
	}
	return known.(string)
}

func newSchema(t testing.TB, name string) (where string) {
	t.Helper()
	database := withPath(t, databases.server, databases.schemas)
	execute(t, database, "CREATE SCHEMA "+name)
	parsed, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := parsed.Query()
	query.Set("search_path", name)
	parsed.RawQuery = query.Encode()
	if _, err := postgres.Migrate(t.Context(), parsed.String()); err != nil {
		t.Fatal(err)
	}
	return parsed.String()
}

// resets is the connection of resetSchema.
var resets struct {
	mu         sync.Mutex
	connection *pgx.Conn
}

// resetSchema restores the initial rows of all tables and drops the tables that the test created. A schema that it
// cannot reset, because a process has a lock on it, is not used again.
func resetSchema(where string) error {
	address, err := url.Parse(where)
	if err != nil {
		return err
	}
	schema := address.Query().Get("search_path")
	address.RawQuery = strings.ReplaceAll(address.RawQuery, "search_path="+schema, "search_path=initial")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	resets.mu.Lock()
	defer resets.mu.Unlock()
	if resets.connection == nil || resets.connection.Ping(ctx) != nil { // a test may have terminated it
		if resets.connection, err = pgx.Connect(ctx, address.String()); err != nil {
			return err
		}
	}
	_, err = resets.connection.Exec(ctx, "SET search_path TO "+schema+";"+resetTables, pgx.QueryExecModeSimpleProtocol)
	return err
}

const resetTables = `
DO $$
DECLARE
	name text;
	filled text[];
	here oid := current_schema()::regnamespace;
BEGIN
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = here AND relkind IN ('r', 'p')
		AND relname NOT IN (SELECT relname FROM pg_class WHERE relnamespace = 'initial'::regnamespace)
	LOOP
		EXECUTE format('DROP TABLE %I CASCADE', name);
	END LOOP;
	EXECUTE (
		SELECT format('SELECT array_remove(ARRAY[%s], NULL)', string_agg(format(
			'CASE WHEN EXISTS (SELECT FROM %1$I) OR EXISTS (SELECT FROM initial.%1$I) THEN %1$L END', relname), ','))
		FROM pg_class WHERE relnamespace = here AND relkind IN ('r', 'p')
	) INTO filled;
	FOREACH name IN ARRAY filled LOOP
		EXECUTE format('DELETE FROM %I', name);
		EXECUTE format('INSERT INTO %I OVERRIDING SYSTEM VALUE SELECT * FROM initial.%I', name, name);
	END LOOP;
	PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid
		WHERE relnamespace = here AND relname <> 'filmstrip_migrations_id_seq';
	UPDATE head SET salt = gen_random_uuid()::text;
END
$$`
