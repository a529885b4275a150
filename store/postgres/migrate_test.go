package postgres_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// TestMigrateTogether checks that when many processes migrate at once, exactly one takes each step and all see the
// result.
func TestMigrateTogether(t *testing.T) {
	where := testservers.SharedPostgreSQL(t).URL
	var (
		all   sync.WaitGroup
		taken atomic.Int32
	)
	for range 4 {
		all.Go(func() {
			steps, err := postgres.Migrate(t.Context(), where)
			if err != nil || len(steps) == 0 {
				t.Errorf("%d steps (%v)", len(steps), err)
			}
			for i, step := range steps {
				if step.Version < 1 || i > 0 && step.Version <= steps[i-1].Version || !strings.HasSuffix(step.Name, ".sql") || step.AppliedAt.IsZero() {
					t.Errorf("%+v", step)
				}
				if step.Now && i == 0 {
					taken.Add(1)
				}
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n != 1 {
		t.Errorf("%d took the first step", n)
	}
	filled(t, where, 1)
}

// TestSchemaVersions checks that the program rejects a schema older than itself and serves a newer one.
func TestSchemaVersions(t *testing.T) {
	where := testservers.SharedPostgreSQL(t).URL
	if _, err := postgres.Open(t.Context(), where); err == nil || !strings.Contains(err.Error(), "run filmstrip migrate") {
		t.Errorf("without tables: %v", err)
	}
	if _, err := postgres.Migrate(t.Context(), where); err != nil {
		t.Fatal(err)
	}
	execute(t, where, "INSERT INTO filmstrip_migrations (version_id, is_applied) VALUES (1000, true)")
	filled(t, where, 1)
	execute(t, where, "DELETE FROM filmstrip_migrations WHERE version_id > 0")
	if _, err := postgres.Open(t.Context(), where); err == nil || !strings.Contains(err.Error(), "older than this program") {
		t.Errorf("an older one: %v", err)
	}
}

// TestStartFaults checks that start errors name the cause clearly and never contain the password.
func TestStartFaults(t *testing.T) {
	where := emptyDatabase(t)
	const secret = "s3cr&t word"
	with := func(change func(*url.URL)) string {
		changed, err := url.Parse(where)
		must(t, err)
		change(changed)
		return changed.String()
	}
	user := mustParse(t, where).User.Username()
	for want, address := range map[string]string{
		"refuses the user or the password": with(func(u *url.URL) { u.User = url.UserPassword(user, secret) }),
		"does not exist":                   with(func(u *url.URL) { u.Path = "/nowhere" }),
		"cannot be reached":                with(func(u *url.URL) { u.Host = "127.0.0.1:1"; u.User = url.UserPassword(user, secret) }),
		"is not understood":                "postgres://" + user + ":" + secret + "@127.0.0.1:port/x",
		"special characters":               "postgres://" + user + ":%zz" + secret + "@127.0.0.1/x",
		"tls":                              with(func(u *url.URL) { u.RawQuery = "sslmode=require" }),
	} {
		for what, fails := range map[string]func() error{
			"Open":    func() error { _, err := postgres.Open(t.Context(), address); return err },
			"Migrate": func() error { _, err := postgres.Migrate(t.Context(), address); return err },
		} {
			err := fails()
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), want) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
			for shown := err; shown != nil; shown = errors.Unwrap(shown) {
				if text := fmt.Sprintf("%v %s", shown, shown); strings.Contains(text, "s3cr") {
					t.Errorf("%s shows the password: %s", what, text)
				}
			}
		}
	}
}

// TestPasswordApart checks that the environment may contain the password instead of the connection string.
func TestPasswordApart(t *testing.T) {
	where := emptyDatabase(t)
	parsed := mustParse(t, where)
	password, _ := parsed.User.Password()
	parsed.User = url.User(parsed.User.Username())
	if _, err := postgres.Open(t.Context(), parsed.String()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without a password: %v", err)
	}
	t.Setenv("PGPASSWORD", password)
	d := open(t, parsed.String())
	must(t, d.Ping(t.Context()))
}

func mustParse(t testing.TB, where string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(where)
	must(t, err)
	return parsed
}

// TestTLS checks that the engine verifies the server's certificate.
func TestTLS(t *testing.T) {
	server := testservers.PostgreSQL(t, testservers.TLS())
	if _, err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	must(t, open(t, server.URL).Ping(t.Context()))
	for _, mode := range []string{"sslmode=disable", "sslmode=verify-full"} {
		changed := mustParse(t, server.URL)
		changed.RawQuery = mode
		if _, err := postgres.Open(t.Context(), changed.String()); err == nil {
			t.Errorf("%s: it connects", mode)
		}
	}
}

// TestClosing checks that closing the last engine closes the database, and that later calls report this.
func TestClosing(t *testing.T) {
	d := open(t, emptyDatabase(t), postgres.WithMaxConnections(6))
	c, a := d.Catalogue(), d.Accounts()
	if primary, replica := d.Stats(); primary.Max != 6 || primary.Opened == 0 || replica.Max != 0 {
		t.Errorf("connections: %+v, %+v", primary, replica)
	}
	must(t, errors.Join(c.Close(), c.Close()))
	if _, err := a.RosterVersion(t.Context()); err != nil {
		t.Errorf("one engine is left: %v", err)
	}
	must(t, a.Close())
	_, read := c.Head(t.Context())
	if write := put(t.Context(), c, nil); read == nil || write == nil || d.Ping(t.Context()) == nil {
		t.Errorf("after the end: %v, %v", read, write)
	}
}
