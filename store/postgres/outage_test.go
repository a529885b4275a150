package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
	"github.com/filmstrip/filmstrip/usage"
)

// calls returns one call of each kind. None of them changes the results of others.
func calls(d *postgres.Database) map[string]func(ctx context.Context) error {
	c, a, e, u, l := d.Catalogue(), d.Accounts(), d.Events(), d.Usage(), d.Collections()
	return map[string]func(ctx context.Context) error{
		"an append": func(ctx context.Context) error {
			_, err := e.Append(ctx, []event.Submission{{Client: "client", Key: "key"}})
			return err
		},
		"the event log": func(ctx context.Context) error { _, err := e.Read(ctx, store.EventQuery{}, 0, 10); return err },
		"counting":      func(ctx context.Context) error { return u.Apply(ctx, usage.Progress{}, usage.Progress{}, nil) },
		"a question":    func(ctx context.Context) error { _, err := u.Table(ctx, usage.Query{To: 1, Limit: 1}); return err },
		"a read":        func(ctx context.Context) error { _, err := c.States(ctx, videoIDs(0, 1)); return err },
		"a write":       func(ctx context.Context) error { return put(ctx, c, directory()) },
		"a fan-out":     func(ctx context.Context) error { _, err := c.FanOut(ctx, 10); return err },
		"the accounts":  func(ctx context.Context) error { _, _, err := a.Roster(ctx); return err },
		"a revocation":  func(ctx context.Context) error { return a.Revoke(ctx, []string{"a"}, time.Now()) },
		"a ping":        d.Ping,
		"collections":   func(ctx context.Context) error { _, err := l.UserCollections(ctx, "user"); return err },
		"a collection": func(ctx context.Context) error {
			_, err := l.ForgetUser(ctx, "user")
			return err
		},
		"a lease": func(ctx context.Context) error {
			_, err := c.Lease(ctx, store.LeaseRequest{Name: "work", Holder: "a", For: time.Minute})
			return err
		},
	}
}

// TestAReadDoesNotWaitToConnect checks that a read waits for a hanging server no longer than the statement timeout plus
// one second, even if connecting may take longer, and that a hanging server does not delay shutdown.
func TestAReadDoesNotWaitToConnect(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	link := testservers.NewLink(t, hostOf(t, url))
	d := open(t, throughOf(t, url, link.Addr), postgres.WithConnectTimeout(time.Hour), postgres.WithStatementTimeout(300*time.Millisecond))
	all := calls(d)
	link.Hang()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, name := range []string{"a read", "a lease"} {
		if err := all[name](ctx); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	began := time.Now()
	must(t, d.Close())
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("closing takes %s", took)
	}
}

func awaitSuccess(t *testing.T, name string, call func(ctx context.Context) error) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = call(t.Context()); err == nil {
			return
		}
	}
	t.Errorf("%s: still %v", name, err)
}

// wholeBatches returns the number of batches. It fails the test if any table contains only part of a batch.
func wholeBatches(t *testing.T, c *postgres.Catalogue, batch int) int {
	t.Helper()
	scanned, err := c.Scan(t.Context(), 0, 1_000_000)
	must(t, err)
	count, err := c.CountVideos(t.Context())
	if err != nil || count != len(scanned) || count%batch != 0 {
		t.Errorf("%d videos with bodies of %d, in batches of %d (%v)", len(scanned), count, batch, err)
	}
	head, err := c.Head(t.Context())
	must(t, err)
	changes, err := c.Changes(t.Context(), 0, 1_000_000)
	if err != nil || int64(len(changes)) != head || (count > 0 && len(changes) != count+storetest.SampleChannels+storetest.SampleSubjects) {
		t.Errorf("%d entries of the log up to %d for %d videos (%v)", len(changes), head, count, err)
	}
	return count / batch
}

// TestSlowStatement checks that the engine gives up a statement that waits too long for another session's lock.
func TestSlowStatement(t *testing.T) {
	url := emptyDatabase(t)
	c := filled(t, url, 3, postgres.WithStatementTimeout(100*time.Millisecond), postgres.WithPatience(time.Minute))
	release := lockTable(t, url, "videos")
	if _, err := c.States(t.Context(), videoIDs(0, 1)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a read: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.States(ctx, videoIDs(0, 1)); err != context.Canceled {
		t.Errorf("a caller that gives up: %v", err)
	}
	release()
	awaitSuccess(t, "a read without the lock", func(ctx context.Context) error { // a busy machine may take 100 ms for it
		states, err := c.States(ctx, videoIDs(0, 1))
		if err == nil && len(states) != 1 {
			t.Errorf("got %d states", len(states))
		}
		return err
	})
}

// TestConflict checks that the engine retries statements that the server aborts because of a conflict, if a retry
// does no harm. A caller's function runs only once.
func TestConflict(t *testing.T) {
	url := emptyDatabase(t)
	d := open(t, url)
	c, a := d.Catalogue(), d.Accounts()
	must(t, put(t.Context(), c, append(directory(), videos(0, 3)...)))
	// The first two of these statements fail, as after a deadlock or a recovery conflict on a standby.
	execute(t, url, "CREATE SEQUENCE failures",
		`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'planned' USING ERRCODE = '40P01'; END IF; RETURN NULL; END $$`,
		"CREATE TRIGGER fail BEFORE INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION fail()",
		"CREATE TRIGGER fail BEFORE UPDATE ON versions FOR EACH STATEMENT EXECUTE FUNCTION fail()")
	if err := a.Revoke(t.Context(), []string{"a"}, time.Now()); err != nil {
		t.Errorf("a client: %v", err)
	}
	execute(t, url, "ALTER SEQUENCE failures RESTART")
	ran := 0
	err := c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		ran++
		_, err := tx.Put(ctx, videos(3, 4))
		return err
	})
	if fault.CodeOf(err) != fault.Unavailable || ran != 1 {
		t.Errorf("a write ran %d times: %v", ran, err)
	}
	channel := directory()[0].(*catalogue.Channel)
	channel.Name = "Another"
	execute(t, url, "ALTER SEQUENCE failures RESTART WITH 10")
	must(t, put(t.Context(), c, []catalogue.Item{channel}))
	execute(t, url, "ALTER SEQUENCE failures RESTART WITH 1")
	if more, err := c.FanOut(t.Context(), 10); err != nil || more {
		t.Errorf("a fan-out: more %t, %v", more, err)
	}
}
