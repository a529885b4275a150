package archive

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// TestMeasure measures an archive of generated events: FILMSTRIP_TEST_ARCHIVE_EVENTS=5000000 go test -v -run Measure
// -timeout 1h ./store/archive. Times are those of the processor.
func TestMeasure(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("FILMSTRIP_TEST_ARCHIVE_EVENTS"))
	if count == 0 {
		t.Skip("FILMSTRIP_TEST_ARCHIVE_EVENTS is not set")
	}
	ctx := context.Background()
	place := newPlace(t, NewDirectory(filepath.Join(t.TempDir(), "archive")))
	e := place.open(t, nil)
	e.groupRows, e.fileBytes = groupRows, DefaultFileBytes
	defer e.Close()
	accounts := make([]string, 200)
	for i := range accounts {
		accounts[i] = fmt.Sprintf("account-%03d", i)
	}
	var batch []event.Event
	withIDs := os.Getenv("FILMSTRIP_TEST_ARCHIVE_TRACES") != ""
	random := int64(0)
	for one := range generate.Events(generate.EventOptions{Count: count, Accounts: accounts, Videos: 20_000, From: january.Start(), To: january.End(), Seed: 1}) {
		random += 16
		if withIDs {
			one.Trace = fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
			one.Metadata = []byte(`{"playerId":"` + event.NewID(one.Received).String() + `","videoDurationSeconds":120.4}`)
			random += 32
		}
		if batch = append(batch, one); len(batch) == 50_000 {
			must(e.Append(ctx, []event.Submission{{Events: batch}}))(t)
			batch = batch[:0]
		}
	}
	last := played(1, far)
	must(e.Append(ctx, []event.Submission{{Events: append(batch, last)}}))(t)
	took := func(what string, fn func() int64) {
		began, at := user(), time.Now()
		n := fn()
		spent := user() - began
		t.Logf("%s: %d events, %s of processor (%.0f a second), %s in all", what, n, spent.Round(time.Millisecond), float64(n)/spent.Seconds(), time.Since(at).Round(time.Millisecond))
	}
	walk := func(log store.Events, query store.EventQuery) (n int64) {
		query.Dropped = must(log.Dropped(ctx))(t)
		for after := event.Position(0); ; {
			page := must(log.Read(ctx, query, after, 10_000))(t)
			if len(page) == 0 {
				return n
			}
			n, after = n+int64(len(page)), page[len(page)-1].Position
		}
	}
	person := store.EventQuery{Account: "account-000", Person: "xpupil-2100"}
	took("walk, SQLite", func() int64 { return walk(e, store.EventQuery{}) })
	took("person, SQLite", func() int64 { return walk(e, person) })
	took("move", func() int64 {
		return must(e.Move(ctx, []usage.Seal{{Month: january, Position: int64(count)}}, january.Next()))(t)
	})
	stats := e.Stats()
	t.Logf("%d files, %d bytes, %.1f bytes an event, %.1f beside random IDs", stats.Files, stats.Bytes, float64(stats.Bytes)/float64(stats.Events), float64(stats.Bytes-random)/float64(stats.Events))
	for _, part := range e.known.Load().Months[0].Files {
		t.Logf("%s: %d events, %d bytes, %.1f an event", part.Name, part.Events, part.Bytes, float64(part.Bytes)/float64(part.Events))
	}
	for _, index := range e.known.Load().Months[0].Videos {
		t.Logf("%s: %d bytes", index.Name, index.Bytes)
	}
	took("walk, archive", func() int64 { return walk(e, store.EventQuery{}) })
	took("account, archive", func() int64 { return walk(e, store.EventQuery{Account: "account-150"}) })
	took("person, archive", func() int64 { return walk(e, person) })
	took("erase, log and archive", func() int64 { return must(e.Erase(ctx, person.Account, person.Person, "nobody", int64(count)))(t) })
}

// user returns the processor time of this process.
func user() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
