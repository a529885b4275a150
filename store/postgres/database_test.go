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

// databases are those that all tests of the process share. Creating all tables for every case would take most of the
// time of the tests.
var databases struct {
	once sync.Once
	err  error
	// server is the address of another database of the server, which creates and drops databases.
	server string
	// template has all tables; the database of a test is a copy of it. The one that schemas names holds a schema of all
	// tables for each case that runs at the same time.
	template, schemas string

	mu   sync.Mutex
	free []string // schemas whose tables are as they were at first
	made int
}

// prepareDatabases makes them at the first call.
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

// dropDatabases drops what all tests share, on a server that outlives the process.
func dropDatabases() {
	for _, name := range []string{databases.schemas, databases.template} {
		if name == "" {
			continue
		}
		connection, err := pgx.Connect(context.Background(), databases.server)
		if err == nil {
			_, err = connection.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
			_ = connection.Close(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

func newDatabase(t testing.TB, template string) (name string) {
	t.Helper()
	name = "s" + strings.ToLower(rand.Text())
	statement := "CREATE DATABASE " + name
	if template != "" {
		statement += " TEMPLATE " + template
	}
	execute(t, databases.server, statement)
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

// emptyDatabase is a new database with all tables.
func emptyDatabase(t testing.TB) (url string) {
	t.Helper()
	prepareDatabases(t)
	name := newDatabase(t, databases.template)
	server := databases.server
	t.Cleanup(func() { execute(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	address := withPath(t, server, name)
	// A copy of the template is another database, not a replica of the template.
	execute(t, address, "UPDATE head SET salt = gen_random_uuid()::text")
	return address
}

// emptySchema is a schema with all tables, in a database that other tests use at the same time. The test is done with it
// when it ends.
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

// propertySchema is emptySchema, but reusedSchema for tests of properties.
func propertySchema(t *testing.T, used *sync.Map) (where string) {
	t.Helper()
	if strings.Contains(t.Name(), "/properties/") {
		return reusedSchema(t, used)
	}
	return emptySchema(t)
}

// reusedSchema is emptySchema for a test that asks for many, one after the other: it gets one, again and again.
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

// resetSchema gives all tables the rows that they had at first, and drops those that the test made. A schema that it
// cannot reset, because some process holds a lock, is not used again.
func resetSchema(where string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	connection, err := pgx.Connect(ctx, where)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, resetTables, pgx.QueryExecModeSimpleProtocol)
	return err
}

const resetTables = `
DO $$
DECLARE
	name text;
	here oid := current_schema()::regnamespace;
BEGIN
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = here AND relkind IN ('r', 'p')
		AND relname NOT IN (SELECT relname FROM pg_class WHERE relnamespace = 'initial'::regnamespace)
	LOOP
		EXECUTE format('DROP TABLE %I CASCADE', name);
	END LOOP;
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = here AND relkind IN ('r', 'p') LOOP
		EXECUTE format('DELETE FROM %I', name);
		EXECUTE format('INSERT INTO %I OVERRIDING SYSTEM VALUE SELECT * FROM initial.%I', name, name);
	END LOOP;
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = here AND relkind = 'S' LOOP
		IF name <> 'filmstrip_migrations_id_seq' THEN
			EXECUTE format('ALTER SEQUENCE %I RESTART', name);
		END IF;
	END LOOP;
	UPDATE head SET salt = gen_random_uuid()::text;
END
$$`
