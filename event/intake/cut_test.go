//go:build !race

package intake_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// measuredLog records the length of the write-ahead log and the number of events after each commit.
type measuredLog struct {
	*sqlite.Events
	t     *testing.T
	wal   string
	total int
	marks []mark
}

type mark struct{ bytes, events int }

func (l *measuredLog) Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error) {
	verdicts, err := l.Events.Append(ctx, submissions)
	if err != nil {
		l.t.Error(err)
		return nil, err
	}
	for i, submission := range submissions {
		if verdicts[i] == event.Stored {
			l.total += len(submission.Events)
		}
	}
	info, err := os.Stat(l.wal)
	if err != nil {
		l.t.Error(err)
		return nil, err
	}
	l.marks = append(l.marks, mark{int(info.Size()), l.total})
	return verdicts, nil
}

// TestCutOff simulates a machine that stops. Its disk then contains the synced part of the write-ahead log and an
// arbitrary part of the later writes. Wherever the log ends, and whatever follows the end, every event of an
// acknowledged commit is present and in order, and no commit is present in part.
func TestCutOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.db")
	events, err := sqlite.OpenEvents(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	log := &measuredLog{Events: events, t: t, wal: file + "-wal"}
	acknowledged := sendAll(t, log)
	written, database := read(t, log.wal), read(t, file)
	whole := readLog(t, events)
	if len(whole) != log.total || len(whole) < len(acknowledged) {
		t.Fatalf("%d events are stored, %d committed, %d acknowledged", len(whole), log.total, len(acknowledged))
	}
	for i, mark := range log.marks[1:] {
		if mark.bytes <= log.marks[i].bytes {
			t.Fatal("the log began anew: it reports nothing")
		}
	}

	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	folder := t.TempDir()
	cuts := cutsOf(log.marks, len(written), random)
	for i, cut := range cuts {
		behind := rests[i%len(rests)]
		copied := filepath.Join(folder, "events.db")
		write(t, copied, database)
		write(t, copied+"-wal", append(slices.Clone(written[:cut]), behind.of(written, cut, random)...))
		_ = os.Remove(copied + "-shm")
		if fault := compare(t, copied, whole, log.marks, cut); fault != "" {
			t.Errorf("cut off at %d of %d bytes, %s behind: %s", cut, len(written), behind.name, fault)
		}
	}
	t.Logf("%d commits of %d events, %d bytes, cut off at %d places", len(log.marks), len(whole), len(written), len(cuts))
}

// sendAll sends single events and batches from several clients, and returns the videos of the acknowledged events.
func sendAll(t *testing.T, log intake.Log) map[string]bool {
	c := intake.New(intake.Options{Log: log, CommitEvents: 40})
	defer c.Close()
	var (
		mu           sync.Mutex
		acknowledged = map[string]bool{}
		sending      sync.WaitGroup
	)
	for client := range 4 {
		sending.Go(func() {
			for i := range 25 {
				s := played(int64(client*100+i), 1+i%4*(i%4)*3)
				if i%2 == 0 {
					s.Key = fmt.Sprint(client, i)
				}
				for j := range s.Events {
					s.Events[j].Video = fmt.Sprintf("%012x%012x", client*100+i, j)
				}
				if _, err := c.Append(t.Context(), s); err != nil {
					t.Error(err)
					continue
				}
				mu.Lock()
				for j := range s.Events {
					acknowledged[s.Events[j].Video] = true
				}
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	return acknowledged
}

// cutsOf returns offsets at, just before and just after the ends of commits, and 50 random ones, in random order.
func cutsOf(marks []mark, end int, random *rand.Rand) (cuts []int) {
	for _, mark := range marks {
		cuts = append(cuts, mark.bytes-1, mark.bytes, min(end, mark.bytes+1))
	}
	for range 50 {
		cuts = append(cuts, random.IntN(end))
	}
	random.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
	if testing.Short() {
		return cuts[:30]
	}
	return cuts[:min(len(cuts), 120)]
}

// rests are the possible contents of the disk after the offset up to which everything was synced.
var rests = []struct {
	name string
	of   func(written []byte, cut int, random *rand.Rand) []byte
}{
	{"nothing", func([]byte, int, *rand.Rand) []byte { return nil }},
	{"garbage", func(_ []byte, _ int, random *rand.Rand) []byte {
		garbage := make([]byte, random.IntN(20_000))
		for i := range garbage {
			garbage[i] = byte(random.Uint32())
		}
		return garbage
	}},
	{"some sectors, as they reach the disk in any order,", func(written []byte, cut int, random *rand.Rand) []byte {
		sectors := slices.Clone(written[cut:])
		for i := 0; i < len(sectors); i += 512 {
			if i == 0 || random.IntN(2) == 0 {
				clear(sectors[i:min(len(sectors), i+512)])
			}
		}
		return sectors
	}},
}

// compare opens a truncated log and returns the first fault that it finds, or "".
func compare(t *testing.T, file string, whole []event.Event, marks []mark, cut int) string {
	events, err := sqlite.OpenEvents(t.Context(), file)
	if err != nil {
		return err.Error()
	}
	defer events.Close()
	found := readLog(t, events)
	due, complete := 0, len(found) == 0
	for _, mark := range marks {
		if mark.bytes <= cut {
			due = mark.events
		}
		complete = complete || mark.events == len(found)
	}
	if len(found) < due {
		return fmt.Sprintf("%d events were acknowledged, %d are there", due, len(found))
	}
	if !complete {
		return fmt.Sprintf("the %d events are no whole commits", len(found))
	}
	for i := range found {
		if found[i].Position != event.Position(i+1) || found[i].Video != whole[i].Video || found[i].ID != whole[i].ID {
			return fmt.Sprintf("event %d is %+v, it was %+v", i, found[i], whole[i])
		}
	}
	return integrity(t, file)
}

func integrity(t *testing.T, file string) string {
	database, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	var verdict string
	if err := database.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		return fmt.Sprintf("the file is damaged: %s %v", verdict, err)
	}
	return ""
}

func readLog(t *testing.T, events *sqlite.Events) []event.Event {
	t.Helper()
	all, err := events.Read(t.Context(), store.EventQuery{}, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
