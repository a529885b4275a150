package deprecation

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

const (
	// maxTallied bounds how many uses wait to be written. There are as many as items times clients that call
	// within a few seconds; more of them are let go while the store is away.
	maxTallied = 20_000
	// lastWrite bounds the write that ends a run, and writeTimeout every other.
	lastWrite    = time.Second
	writeTimeout = 10 * time.Second
)

// tally gathers uses in memory and writes them together.
type tally struct {
	uses   Uses
	every  time.Duration
	logger *slog.Logger

	mutex   sync.Mutex
	waiting map[useKey]account.DeprecatedUse
	letGo   int64 // calls since the last write that there was no room for
}

type useKey struct {
	item string
	by   caller
}

func newTally(config Config) *tally {
	return &tally{
		uses: config.Uses, every: cmp.Or(config.Every, 3*time.Second), logger: config.Logger,
		waiting: map[useKey]account.DeprecatedUse{},
	}
}

func (t *tally) add(item *Item, by caller, at time.Time) {
	at = at.UTC().Truncate(time.Microsecond)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.merge(account.DeprecatedUse{Item: item.Key, Client: by.client, Account: by.account, First: at, Last: at, Count: 1})
}

// merge adds a use to those that wait. The mutex is held.
func (t *tally) merge(use account.DeprecatedUse) {
	key := useKey{use.Item, caller{use.Client, use.Account}}
	before, known := t.waiting[key]
	switch {
	case known:
		if before.First.Before(use.First) {
			use.First = before.First
		}
		if before.Last.After(use.Last) {
			use.Last = before.Last
		}
		use.Count += before.Count
	case len(t.waiting) >= maxTallied:
		t.letGo += use.Count
		return
	}
	t.waiting[key] = use
}

func (t *tally) run(ctx context.Context) {
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.write(ctx, writeTimeout)
		case <-ctx.Done():
			t.write(context.WithoutCancel(ctx), lastWrite)
			return
		}
	}
}

// write hands what waits to the store. What fails waits again.
func (t *tally) write(ctx context.Context, limit time.Duration) {
	uses, letGo := t.take()
	if letGo > 0 {
		t.logger.WarnContext(ctx, "uses of what is deprecated were not counted: there are too many at once", "calls", letGo)
	}
	if len(uses) == 0 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := t.uses.AddDeprecatedUses(limited, uses)
	if err == nil {
		return
	}
	t.logger.WarnContext(ctx, "uses of what is deprecated cannot be written yet", "error", err)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, use := range uses {
		t.merge(use)
	}
}

// take empties the tally.
func (t *tally) take() (uses []account.DeprecatedUse, letGo int64) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	uses, letGo = make([]account.DeprecatedUse, 0, len(t.waiting)), t.letGo
	for _, use := range t.waiting {
		uses = append(uses, use)
	}
	clear(t.waiting)
	t.letGo = 0
	slices.SortFunc(uses, func(a, b account.DeprecatedUse) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Account, b.Account))
	})
	return uses, letGo
}
