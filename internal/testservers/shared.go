package testservers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// sharedServer is the one server of its kind in this process, started at its first use.
type sharedServer struct {
	once      sync.Once
	elsewhere string // the environment variable that names a running server
	start     func(settings) (*Server, error)

	server *Server
	err    error
}

const typesenseElsewhere = "TYPESENSE_URL"

var (
	sharedRedis      = sharedServer{elsewhere: "FILMSTRIP_TEST_REDIS_URL", start: startRedis}
	sharedPostgreSQL = sharedServer{elsewhere: "FILMSTRIP_TEST_POSTGRES_URL", start: startPostgreSQL}
	sharedTypesense  = sharedServer{elsewhere: typesenseElsewhere, start: startTypesense}
)

// get starts the server at its first call, and returns a copy for one test.
func (s *sharedServer) get(t testing.TB) *Server {
	t.Helper()
	s.once.Do(func() {
		if named := os.Getenv(s.elsewhere); named != "" {
			s.server, s.err = external(named)
			return
		}
		s.server, s.err = s.start(settings{shared: true})
	})
	require(t, s.server, s.err)
	return &Server{URL: s.server.URL, Addr: s.server.Addr, Key: s.server.Key, process: s.server.process}
}

// external returns a server that this process neither starts nor ends.
func external(named string) (*Server, error) {
	where, err := url.Parse(named)
	if err != nil {
		return nil, errors.New("testservers: the address of the server that runs already is not a URL")
	}
	return &Server{URL: named, Addr: where.Host, Key: os.Getenv("TYPESENSE_API_KEY")}, nil
}

func (s *sharedServer) end() error {
	s.once.Do(func() { s.err = errors.New("testservers: the tests are over") })
	if s.server == nil || s.server.process == nil {
		return nil
	}
	return s.server.removeAll()
}

// SharedRedis returns the Redis of this process, with a Prefix for the test's keys. A test must not change settings or
// the keys of others.
func SharedRedis(t testing.TB) *Server {
	t.Helper()
	s := sharedRedis.get(t)
	s.Prefix = uniqueName()
	return s
}

// SharedTypesense returns the Typesense of this process, with a Prefix for the names of the test's collections and
// aliases. A test should delete its collections, because each takes memory.
func SharedTypesense(t testing.TB) *Server {
	t.Helper()
	s := sharedTypesense.get(t)
	s.Prefix = uniqueName()
	return s
}

// SharedPostgreSQL returns a new, empty database of the PostgreSQL of this process. It is dropped when the test ends,
// even if clients are connected.
func SharedPostgreSQL(t testing.TB) *Server {
	t.Helper()
	return sharedDatabase(t, "")
}

// template is the database that FilledPostgreSQL copies.
var template struct {
	once         sync.Once
	name, server string
}

// FilledPostgreSQL is SharedPostgreSQL with a copy of a database that fill fills at the first call in this process. All
// calls must pass the same function.
func FilledPostgreSQL(t testing.TB, fill func(url string)) *Server {
	t.Helper()
	template.once.Do(func() {
		s := sharedPostgreSQL.get(t)
		name := uniqueName()
		if err := CreateDatabase(s.URL, name, ""); err != nil {
			t.Fatal(err)
		}
		fill(s.database(name))
		template.name, template.server = name, s.URL
	})
	if template.name == "" {
		t.Fatal("testservers: the database to copy could not be filled")
	}
	return sharedDatabase(t, template.name)
}

// sharedDatabase returns a new database, which is a copy of another if that is not "".
func sharedDatabase(t testing.TB, like string) *Server {
	t.Helper()
	s := sharedPostgreSQL.get(t)
	name, server := uniqueName(), s.URL
	if err := CreateDatabase(server, name, like); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := DropDatabase(server, name); err != nil {
			t.Error(err)
		}
	})
	s.URL = s.database(name)
	return s
}

// database returns the URL of a database of a PostgreSQL server, whose URL was parsed before.
func (s *Server) database(name string) string {
	where, _ := url.Parse(s.URL)
	where.Path = "/" + name
	return where.String()
}

// CreateDatabase creates a database on the PostgreSQL server at a URL; as a copy of another, which nobody uses meanwhile,
// if like is not "".
func CreateDatabase(server, name, like string) error {
	return onPostgreSQL(server, func(ctx context.Context, connection *pgx.Conn) error {
		statement := "CREATE DATABASE " + name
		if like != "" {
			statement += " TEMPLATE " + like
		}
		var copies bool
		if err := connection.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 150000").Scan(&copies); err != nil {
			return err
		}
		if copies { // takes half of the time of logging each page
			statement += " STRATEGY FILE_COPY"
		}
		_, err := connection.Exec(ctx, statement)
		return err
	})
}

// DropDatabase drops a database on the PostgreSQL server at a URL, even if clients are connected.
func DropDatabase(server, name string) error {
	return onPostgreSQL(server, func(ctx context.Context, connection *pgx.Conn) error {
		_, err := connection.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		return err
	})
}

// onPostgreSQL calls run with a connection of its own.
func onPostgreSQL(where string, run func(ctx context.Context, connection *pgx.Conn) error) error {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, where)
	if err == nil {
		defer func() { _ = connection.Close(ctx) }() // the statement is complete
		err = run(ctx, connection)
	}
	if err != nil {
		return fmt.Errorf("testservers: %w", err)
	}
	return nil
}

// Main runs the tests, then the functions in last, ends the shared servers in order, and returns the exit status of the
// process. TestMain calls it.
func Main(m *testing.M, last ...func()) int {
	status := m.Run()
	for _, fn := range last {
		fn()
	}
	if template.name != "" { // the server may outlive the process
		if err := DropDatabase(template.server, template.name); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	for _, shared := range []*sharedServer{&sharedRedis, &sharedPostgreSQL, &sharedTypesense} {
		if err := shared.end(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = max(status, 1)
		}
	}
	return status
}
