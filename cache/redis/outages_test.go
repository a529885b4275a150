package redis_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// log is the log of a cache.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSpace(l.text.String()), "\n")
}

// TestOutages breaks a server in each way and repairs it. During the outage the cache fails quickly and logs it once,
// and a Tiered over it continues without an error. Afterwards both use the server again on their own.
func TestOutages(t *testing.T) {
	for name, outage := range map[string]struct {
		breakIt, mend func(*testservers.Server, *testservers.Link)
	}{
		"killed":  {func(s *testservers.Server, _ *testservers.Link) { s.Kill() }, func(s *testservers.Server, _ *testservers.Link) { s.Start() }},
		"paused":  {func(s *testservers.Server, _ *testservers.Link) { s.Pause() }, func(s *testservers.Server, _ *testservers.Link) { s.Resume() }},
		"cut off": {func(_ *testservers.Server, l *testservers.Link) { l.Sever() }, func(_ *testservers.Server, l *testservers.Link) { l.Restore() }},
		"hanging": {func(_ *testservers.Server, l *testservers.Link) { l.Hang() }, func(_ *testservers.Server, l *testservers.Link) { l.Restore() }},
		"slow":    {func(_ *testservers.Server, l *testservers.Link) { l.Slow(time.Second) }, func(_ *testservers.Server, l *testservers.Link) { l.Restore() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testservers.Redis(t)
			link := testservers.NewLink(t, s.Addr)
			logged := &log{}
			c := open(t, redis.Options{
				URL: "redis://" + link.Addr, Timeout: 200 * time.Millisecond, Failures: 3, Pause: 300 * time.Millisecond,
				Logger: slog.New(slog.NewTextHandler(logged, nil)),
			})
			tiered := cache.NewTiered(memory.New(memory.Options{}), c)
			until(t, "the server answers", func() bool {
				_ = c.Put(t.Context(), []cache.Item{item("key", 5)})
				return fetch(c, "key") == nil
			})
			outage.breakIt(s, link)
			until(t, "the server is left alone", func() bool { _ = fetch(c, "key"); return c.Stats().LeftAlone })
			if err := fetch(c, "key"); fault.CodeOf(err) != fault.Unavailable {
				t.Errorf("%v, want an error of code %s", err, fault.Unavailable)
			}
			refused := c.Stats().Refused
			for range 1000 {
				_ = fetch(c, "key")
			}
			if got := c.Stats().Refused - refused; got < 900 {
				t.Errorf("%d of 1000 calls were refused at once", got)
			}
			put(t, tiered, "near", 1, "x")
			if got := get(t, tiered, "near"); got.Version != 1 {
				t.Errorf("near has version %d, want 1", got.Version)
			}
			if got := get(t, tiered, "nowhere"); got.Version != 0 {
				t.Errorf("version %d of what there is not", got.Version)
			}
			if err := c.Check(t.Context()); err == nil {
				t.Error("Check finds nothing")
			} else if message := messageOf(err); strings.Contains(message, "127.0.0.1") {
				t.Errorf("%q names an address", message)
			}
			outage.mend(s, link)
			until(t, "the server is used again", func() bool {
				put(t, tiered, "later", 1, "x")
				return fetch(c, "key") == nil && !c.Stats().LeftAlone
			})
			until(t, "it is written to again", func() bool {
				_ = c.Put(t.Context(), []cache.Item{item("again", 1)})
				into := make([]cache.Entry, 1)
				return c.Get(t.Context(), []cache.Ask{{Key: "again"}}, into) == nil && into[0].Version == 1
			})
			if lines := logged.lines(); !strings.Contains(lines[0], "open") || !strings.Contains(lines[len(lines)-1], "closed") || len(lines) > 60 {
				t.Errorf("%d lines were logged: %q", len(lines), lines)
			}
			_ = tiered.Close()
		})
	}
}

func item(key string, version int64) cache.Item {
	return cache.Item{Key: key, Entry: cache.Entry{Version: version, Value: []byte("value of " + key)}}
}

func fetch(c cache.Cache, key string) error {
	return c.Get(context.Background(), []cache.Ask{{Key: key, AtLeast: 1}}, make([]cache.Entry, 1))
}

func messageOf(err error) string {
	var known *fault.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

func TestACallerThatHangsUpIsNoFailure(t *testing.T) {
	s := testservers.Redis(t)
	c := open(t, redis.Options{URL: s.URL, Failures: 2, Timeout: patience})
	s.Pause()
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := c.Get(ctx, []cache.Ask{{Key: "key"}}, make([]cache.Entry, 1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the caller's own error", err)
		}
		cancel()
	}
	if c.Stats().LeftAlone {
		t.Error("Redis is left alone because callers hung up")
	}
	s.Resume()
	put(t, c, "key", 1, "x")
}

func TestFlushes(t *testing.T) {
	s := testservers.Redis(t)
	c, server := open(t, redis.Options{URL: s.URL, Timeout: patience}), raw(t, s.URL)
	ctx := t.Context()
	stop := make(chan struct{})
	var flushing sync.WaitGroup
	flushing.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_ = server.FlushAll(ctx).Err()
				_ = server.ScriptFlush(ctx).Err()
			}
		}
	})
	items, asks := page(50, 100)
	into := make([]cache.Entry, len(asks))
	kept := 0
	for range 200 {
		if err := c.Put(ctx, items); err != nil {
			t.Fatalf("Put: %v", err)
		}
		if err := c.Get(ctx, asks, into); err != nil {
			t.Fatalf("Get: %v", err)
		}
		for i, got := range into {
			if got.Version != 0 && (got.Version != items[i].Version || !bytes.Equal(got.Value, items[i].Value)) {
				t.Errorf("%q: version %d", items[i].Key, got.Version)
			}
		}
		kept += present(into)
		if _, _, err := c.Add(ctx, "key", 1, time.Hour); err != nil {
			t.Fatalf("Add: %v", err)
		}
	}
	close(stop)
	flushing.Wait()
	if kept == 0 {
		t.Error("nothing was ever kept")
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	s := testservers.Redis(t, testservers.Password("secret"))
	server := raw(t, s.URL)
	for name, rights := range map[string][]string{
		"reader": {"+@read", "+@connection", "~*", "&*"},
		"fenced": {"+@all", "~elsewhere:*", "&*"},
		"enough": {"+@read", "+@write", "+@connection", "+evalsha", "+eval", "+publish", "+subscribe", "~filmstrip:*", "&filmstrip:*"},
	} {
		rule := append([]string{"reset", "on", ">secret"}, rights...)
		if err := server.ACLSetUser(t.Context(), name, rule...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ name, user, password, want string }{
		{"right", "", ":secret@", ""},
		{"no password", "", "", "asks for a password"},
		{"wrong password", "", ":wrong@", "does not accept the user and the password"},
		{"no such user", "nobody", ":secret@", "does not accept the user and the password"},
		{"too few rights", "reader", ":secret@", "does not grant its user enough rights"},
		{"other keys", "fenced", ":secret@", "does not grant its user enough rights"},
		{"enough rights", "enough", ":secret@", ""},
	} {
		options := redis.Options{URL: "redis://" + test.user + test.password + s.Addr, Namespace: "filmstrip:check", Timeout: patience}
		err := open(t, options).Check(t.Context())
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(messageOf(err), test.want) || fault.CodeOf(err) != fault.Unavailable):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v shows the password", test.name, err)
		}
	}
	s.Stop()
	if err := open(t, redis.Options{URL: s.URL}).Check(t.Context()); err == nil || !strings.Contains(messageOf(err), "does not answer") {
		t.Errorf("without a server: %v", err)
	}
}
