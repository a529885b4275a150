// Package searchlog gathers what accounts search for and what they click after it, writes it down every few seconds,
// and knows the texts that several accounts share. It learns of no user and of no address.
package searchlog

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// MaxText is how many characters a text may have that is noted: what is longer is pasted, and no query that
	// others type.
	MaxText = 200
	// Accounts is how many accounts must have searched for a text before it is shared.
	Accounts = 3
	// MaxShared is how many texts are shared at most.
	MaxShared = 10_000
	// sharedDays is for how many days a search counts towards what is shared.
	sharedDays = 30
)

// Options say what a Gatherer works with. Zero fields have the defaults named.
type Options struct {
	Queries store.SearchLog
	// Fold folds texts, so that spellings of one query meet: analysis.Analyzer.Fold.
	Fold func(text string) string
	// Now is the clock: time.Now.
	Now func() time.Time
	// Every is the pause between writes: five seconds.
	Every time.Duration
	// Entries bounds what is held in memory: 20,000 texts by account and day, and clicks by text and video, of
	// about 300 bytes each.
	Entries int
	Logger  *slog.Logger
}

// Recorder gathers. Every method may be called concurrently.
type Recorder struct {
	queries store.SearchLog
	fold    func(string) string
	now     func() time.Time
	every   time.Duration
	most    int
	logger  *slog.Logger

	dropped atomic.Int64
	shared  atomic.Pointer[[]store.SharedSearch]

	writing sync.Mutex // held by the one write at a time

	mu      sync.Mutex
	entries map[place]*tally
	taken   int // entries that are being written
}

// place is what is added up together. Texts are as they were typed: folding is for later, when nobody waits.
type place struct {
	day     catalogue.Date
	account string
	sandbox bool
	text    string
	video   string // "": searches
}

// tally is how often, and what came of the last.
type tally struct {
	times, unfiltered, empty, found int64
	at, foundAt                     event.Instant
}

// New makes a gatherer, which writes once it runs.
func New(options Options) *Recorder {
	g := &Recorder{
		queries: options.Queries, fold: options.Fold, now: options.Now, every: cmp.Or(options.Every, 5*time.Second),
		most: cmp.Or(options.Entries, 20_000), logger: options.Logger, entries: map[place]*tally{},
	}
	if g.now == nil {
		g.now = time.Now
	}
	if g.logger == nil {
		g.logger = slog.New(slog.DiscardHandler)
	}
	g.shared.Store(&[]store.SharedSearch{})
	return g
}

// Searched notes a search of an account whose answer is known: the text as typed, whether filters were set, and how
// many videos were found. What the operator's own clients search for is not noted, nor what has no letters or is
// longer than MaxText. It never waits for the store.
func (g *Recorder) Searched(by *account.Account, text string, filtered bool, found int) {
	if !isNoted(by, text) {
		return
	}
	now := g.now()
	one := tally{times: 1, at: event.InstantOf(now)}
	if !filtered {
		one.unfiltered, one.found, one.foundAt = 1, int64(found), one.at
		if found == 0 {
			one.empty = 1
		}
	}
	g.note(place{day: catalogue.DateOf(now), account: by.ID, sandbox: by.Environment == account.Sandbox, text: text}, one)
}

// Clicked notes that a video was clicked after an account's search for a text, under the same conditions as Searched.
func (g *Recorder) Clicked(by *account.Account, text, video string) {
	if !isNoted(by, text) || video == "" {
		return
	}
	day := catalogue.DateOf(g.now())
	g.note(place{day: day, account: by.ID, sandbox: by.Environment == account.Sandbox, text: text, video: video}, tally{times: 1})
}

func isNoted(by *account.Account, text string) bool {
	return by != nil && !by.Operator && text != "" && (len(text) <= MaxText || utf8.RuneCountInString(text) <= MaxText)
}

// note adds one to its place, as long as there is room.
func (g *Recorder) note(at place, one tally) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known := g.entries[at]; known != nil {
		known.add(&one)
		return
	}
	if len(g.entries)+g.taken >= g.most {
		g.dropped.Add(1)
		return
	}
	at.text, at.video = strings.Clone(at.text), strings.Clone(at.video) // they may be a part of a whole request
	added := one                                                        // only what is new leaves the stack
	g.entries[at] = &added
}

func (t *tally) add(other *tally) {
	t.times, t.unfiltered, t.empty = t.times+other.times, t.unfiltered+other.unfiltered, t.empty+other.empty
	t.at = max(t.at, other.at)
	if other.foundAt >= t.foundAt {
		t.found, t.foundAt = other.found, other.foundAt
	}
}

// Dropped is how many searches and clicks have not been noted because too much was waiting to be written.
func (g *Recorder) Dropped() int64 { return g.dropped.Load() }

// endTime is how long the last write may take.
const endTime = 5 * time.Second

// Run writes every few seconds until the context ends, and then once more what is left.
func (g *Recorder) Run(ctx context.Context) {
	ticker := time.NewTicker(g.every)
	defer ticker.Stop()
	failing := false
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true
		case <-ticker.C:
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		err := g.Write(limited)
		cancel()
		if err != nil && (!failing || ended) {
			g.logger.Warn("what was searched for cannot be written", "error", err)
		}
		failing = err != nil
	}
}

// Write writes what was noted before. What could not be written is kept for the next time.
func (g *Recorder) Write(ctx context.Context) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	taken := g.take()
	if len(taken) == 0 {
		return nil
	}
	err := g.queries.Add(ctx, g.batchOf(taken))
	g.release(taken, err == nil)
	return err
}

func (g *Recorder) take() map[place]*tally {
	g.mu.Lock()
	defer g.mu.Unlock()
	taken := g.entries
	g.entries, g.taken = map[place]*tally{}, len(taken)
	return taken
}

// release forgets what was written, or puts it back.
func (g *Recorder) release(taken map[place]*tally, written bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taken = 0
	if written {
		return
	}
	for at, before := range taken {
		if since := g.entries[at]; since != nil {
			before.add(since)
		}
		g.entries[at] = before
	}
}

// batchOf is what the store takes. Texts without letters and digits fold to nothing, and are left out.
func (g *Recorder) batchOf(taken map[place]*tally) (batch store.SearchLogBatch) {
	for at, t := range taken {
		key := store.SearchLogKey{Day: at.day, Account: at.account, Text: g.fold(at.text)}
		switch {
		case key.Text == "":
		case at.video != "":
			batch.Clicks = append(batch.Clicks, store.Clicked{SearchLogKey: key, Sandbox: at.sandbox, Video: at.video, Times: t.times})
		default:
			batch.Searches = append(batch.Searches, store.Searched{
				SearchLogKey: key, Sandbox: at.sandbox, Spelling: tidy(at.text), At: t.at,
				Times: t.times, Unfiltered: t.unfiltered, Empty: t.empty, Found: t.found, FoundAt: t.foundAt,
			})
		}
	}
	return batch
}

// tidy is a text as one line.
func tidy(text string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(plain), " ")
}
