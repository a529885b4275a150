// Package searchlog records what accounts search for and which videos they click afterwards, writes both every few
// seconds, and finds the texts that several accounts share. It records no users and no network addresses.
package searchlog

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/internal/tally"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// MaxText is the greatest number of characters in a recorded text. Longer texts are pasted, not typed.
	MaxText = 200
	// Accounts is the number of accounts that must have searched for a text before it is shared.
	Accounts = 3
	// MaxShared is the greatest number of shared texts.
	MaxShared = 10_000
	// sharedDays is the number of days for which a search counts towards the shared texts.
	sharedDays = 30
)

// Options are the settings of a Recorder. Only Queries and Fold are required.
type Options struct {
	Queries store.SearchLog
	// Fold folds texts, so that spellings of one query meet: analysis.Analyzer.Fold.
	Fold func(text string) string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Every is the pause between writes; 0: five seconds.
	Every time.Duration
	// Entries is the most entries in memory: texts by account and day, and clicks by text and video, of about 300 bytes
	// each; 0: 20,000.
	Entries int
	Logger  *slog.Logger
}

// Recorder records searches and clicks. Its methods may be called concurrently.
type Recorder struct {
	*tally.Tally[key, counts]
	queries store.SearchLog
	fold    func(string) string
	now     func() time.Time
	shared  atomic.Pointer[[]store.SharedSearch]
	sharing background.Task
}

// key is what searches and clicks are counted by. The text is as typed: it is folded only when it is written.
type key struct {
	day     catalogue.Date
	account string
	sandbox bool
	text    string
	video   string // "": searches
}

// counts are how often a text was searched for, and the result of the last search.
type counts struct {
	times, unfiltered, empty, found int64
	at, foundAt                     event.Instant
}

// New returns a recorder, which writes once it runs.
func New(options Options) *Recorder {
	r := &Recorder{queries: options.Queries, fold: options.Fold, now: options.Now}
	if r.now == nil {
		r.now = time.Now
	}
	logger := options.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	r.sharing = background.Task{Name: "read the shared searches", Logger: logger}
	r.shared.Store(&[]store.SharedSearch{})
	r.Tally = tally.New(tally.Options[key, counts]{
		Name: "write the search log", Every: cmp.Or(options.Every, 5*time.Second), Most: cmp.Or(options.Entries, 20_000),
		Merge: counts.plus, Own: key.clone, Logger: logger,
		Write: func(ctx context.Context, sums map[key]*counts) error { return r.queries.Add(ctx, r.batchOf(sums)) },
	})
	return r
}

// Searched records a search of an account and its result: the text as typed, whether it was filtered, and the number of
// videos found. Searches of the operator's own clients, texts without letters and texts longer than MaxText are not
// recorded. Searched never waits for the store.
func (r *Recorder) Searched(by *account.Account, text string, filtered bool, found int) {
	if !isRecorded(by, text) {
		return
	}
	now := r.now()
	one := counts{times: 1, at: event.InstantOf(now)}
	if !filtered {
		one.unfiltered, one.found, one.foundAt = 1, int64(found), one.at
		if found == 0 {
			one.empty = 1
		}
	}
	r.Add(key{day: catalogue.DateOf(now), account: by.ID, sandbox: by.Environment == account.Sandbox, text: text}, one)
}

// Clicked records that a video was clicked after an account's search for a text, under the same conditions as Searched.
func (r *Recorder) Clicked(by *account.Account, text, video string) {
	if !isRecorded(by, text) || video == "" {
		return
	}
	day := catalogue.DateOf(r.now())
	r.Add(key{day: day, account: by.ID, sandbox: by.Environment == account.Sandbox, text: text, video: video}, counts{times: 1})
}

func isRecorded(by *account.Account, text string) bool {
	return by != nil && !by.Operator && text != "" && (len(text) <= MaxText || utf8.RuneCountInString(text) <= MaxText)
}

// clone returns a key whose strings are no part of a request, which they would keep in memory.
func (k key) clone() key {
	k.text, k.video = strings.Clone(k.text), strings.Clone(k.video)
	return k
}

func (c counts) plus(other counts) counts {
	c.times, c.unfiltered, c.empty = c.times+other.times, c.unfiltered+other.unfiltered, c.empty+other.empty
	c.at = max(c.at, other.at)
	if other.foundAt >= c.foundAt {
		c.found, c.foundAt = other.found, other.foundAt
	}
	return c
}

// batchOf converts sums for the store. It leaves out texts without letters and digits, which fold to nothing.
func (r *Recorder) batchOf(sums map[key]*counts) (batch store.SearchLogBatch) {
	for k, c := range sums {
		logKey := store.SearchLogKey{Day: k.day, Account: k.account, Text: r.fold(k.text)}
		switch {
		case logKey.Text == "":
		case k.video != "":
			batch.Clicks = append(batch.Clicks, store.Clicked{SearchLogKey: logKey, Sandbox: k.sandbox, Video: k.video, Times: c.times})
		default:
			batch.Searches = append(batch.Searches, store.Searched{
				SearchLogKey: logKey, Sandbox: k.sandbox, Spelling: tidy(k.text), At: c.at,
				Times: c.times, Unfiltered: c.unfiltered, Empty: c.empty, Found: c.found, FoundAt: c.foundAt,
			})
		}
	}
	return batch
}

// tidy returns a text as one line.
func tidy(text string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(plain), " ")
}
