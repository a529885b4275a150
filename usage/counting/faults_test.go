package counting_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

var errAway = fault.Errorf(fault.Unavailable, "away")

// awayCatalogue is a catalogue that is down while gone is set.
type awayCatalogue struct {
	videos
	gone atomic.Bool
}

func (c *awayCatalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	if c.gone.Load() {
		return nil, errAway
	}
	return c.videos.States(ctx, ids)
}

// memoryLeases keeps one lease, which never expires.
type memoryLeases struct {
	mu     sync.Mutex
	holder string
}

func (l *memoryLeases) Lease(_ context.Context, r store.LeaseRequest) (store.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.holder == ""
	if taken {
		l.holder = r.Holder
	}
	return store.Lease{Held: l.holder == r.Holder, Taken: taken}, nil
}

func (l *memoryLeases) Release(_ context.Context, _, holder string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == holder {
		l.holder = ""
	}
	return nil
}

// stumbling is a log that fails like a real engine: before a step has happened, or after it has happened but before the
// answer.
type stumbling struct {
	*memoryLog
	stumbles func(step string) bool
}

func (s *stumbling) fails(step string) error {
	if s.stumbles(step) {
		return errAway
	}
	return nil
}

func (s *stumbling) Head(ctx context.Context) (event.Position, error) {
	head, err := s.memoryLog.Head(ctx)
	if problem := s.fails("head"); problem != nil {
		return 0, problem
	}
	return head, err
}

func (s *stumbling) Read(ctx context.Context, q store.EventQuery, after event.Position, limit int) ([]event.Event, error) {
	if err := s.fails("read"); err != nil {
		return nil, err
	}
	return s.memoryLog.Read(ctx, q, after, limit)
}

// stumblingUsage is a usage store that fails in the same way.
type stumblingUsage struct {
	*memoryUsage
	stumbling *stumbling
}

func (s *stumblingUsage) Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error {
	if err := s.stumbling.fails("before it is applied"); err != nil {
		return err
	}
	if err := s.memoryUsage.Apply(ctx, from, to, plays); err != nil {
		return err
	}
	return s.stumbling.fails("after it was applied")
}

func TestCountsOnceWhateverFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var faults []bool
		for range rapid.IntRange(0, 30).Draw(t, "faults") {
			faults = append(faults, rapid.Bool().Draw(t, "fault"))
		}
		var next atomic.Int64
		s := &stumbling{memoryLog: &memoryLog{}, stumbles: func(string) bool {
			i := int(next.Add(1)) - 1
			return i < len(faults) && faults[i]
		}}
		counted := &memoryUsage{}
		counter := counting.New(counting.Options{
			Log: s, Usage: &stumblingUsage{counted, s}, Catalogue: videos{},
			Batch: rapid.IntRange(1, 9).Draw(t, "batch"), Poll: 100 * time.Microsecond, Rest: time.Microsecond, MaxBackOff: 100 * time.Microsecond, VerifyEvery: -1,
		})
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			e := segment("one", at("2026-10-01T00:00:00Z"), 0, rapid.Int64Range(0, 2).Draw(t, "length"))
			e.Kind = rapid.SampledFrom([]event.Kind{event.Playback, event.PageRender}).Draw(t, "kind")
			s.add(e)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		ended := make(chan struct{})
		go func() { defer close(ended); counter.Run(ctx) }()
		for ctx.Err() == nil {
			if progress, _ := counted.Progress(ctx); progress.Position == int64(len(s.events)) {
				break
			}
			time.Sleep(50 * time.Microsecond)
		}
		cancel()
		<-ended
		if diff := cmp.Diff(s.plays(), counted.plays); diff != "" {
			t.Fatal("(-log +counted):\n", diff)
		}
	})
}
