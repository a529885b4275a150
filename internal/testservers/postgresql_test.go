package testservers_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// query runs one statement on its own connection and returns its only value.
func query(t *testing.T, url, statement string) (value string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer connection.Close(ctx)
	err = connection.QueryRow(ctx, statement).Scan(&value)
	return value, err
}

func wantQuery(t *testing.T, url, statement, want string) {
	t.Helper()
	if got, err := query(t, url, statement); err != nil || got != want {
		t.Errorf("%s: %q, %v, want %q", statement, got, err, want)
	}
}

func write(t *testing.T, url string, statements ...string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	for _, statement := range statements {
		if _, err := connection.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// TestPostgreSQLPauses checks that a paused server does not answer on open connections either.
func TestPostgreSQLPauses(t *testing.T) {
	t.Parallel()
	s := testservers.PostgreSQL(t)
	connection, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	s.Pause()
	answered := make(chan error, 1)
	go func() { answered <- connection.Ping(t.Context()) }()
	select {
	case err := <-answered:
		t.Errorf("a paused PostgreSQL answered: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	s.Resume()
	if err := <-answered; err != nil {
		t.Errorf("a resumed PostgreSQL: %v", err)
	}
	s.Pause() // cleanup also ends a paused server
}

func TestSharedPostgreSQLIsEmpty(t *testing.T) {
	var first string
	t.Run("first", func(t *testing.T) {
		a, b := testservers.SharedPostgreSQL(t), testservers.SharedPostgreSQL(t)
		write(t, a.URL, "CREATE TABLE kept (n text)")
		write(t, b.URL, "CREATE TABLE kept (n text)")
		if os.Getenv("FILMSTRIP_TEST_POSTGRES_URL") == "" {
			wantQuery(t, a.URL, "SHOW fsync", "off")
		}
		first = a.URL
	})
	if _, err := query(t, first, "SELECT 'there'"); err == nil {
		t.Error("the database outlived its test")
	}
}

// TestPostgreSQLOnASmallDisk checks that writes fail when the disk is full, even if that ends the server, and that all
// acknowledged rows exist once there is space again.
func TestPostgreSQLOnASmallDisk(t *testing.T) {
	t.Parallel()
	s := testservers.PostgreSQL(t, testservers.Durable(), testservers.SmallDisk(128<<20))
	write(t, s.URL, "CREATE TABLE kept (n text)", "INSERT INTO kept VALUES ('one')")
	if err := os.WriteFile(s.Ballast, make([]byte, 128<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("128 MiB fit beside the server: %v", err)
	}
	if _, err := query(t, s.URL, "INSERT INTO kept SELECT repeat('x', 100) FROM generate_series(1, 100000) RETURNING n"); err == nil {
		t.Error("10 MB were written to a full disk")
	}
	if err := os.Truncate(s.Ballast, 0); err != nil {
		t.Fatal(err)
	}
	if !s.Ended() {
		s.Kill()
	}
	s.Start()
	wantQuery(t, s.URL, "SELECT string_agg(n, ',') FROM kept", "one")
	write(t, s.URL, "INSERT INTO kept VALUES ('two')")
}
