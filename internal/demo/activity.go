package demo

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/searchlog"
	"github.com/filmstrip/filmstrip/store"
)

// The size of the demo's past: the number of days, which always contain last month and the whole month before, and of plays
// and searches in them.
const (
	pastDays     = 100
	pastPlays    = 18_000
	pastSearches = 2_500
)

// Past adds what happened before the demo started: playback events and searches of its three customers.
type Past struct {
	Events   store.Events
	Searches store.SearchLog
	// Fold folds the texts of searches (searchlog.Options.Fold).
	Fold func(text string) string
	// Find returns the number of videos that a search for a text finds, and the first of them.
	Find func(ctx context.Context, text string) (found int, first catalogue.ID, err error)
	Now  time.Time
}

// Start is the beginning of the past.
func (p *Past) Start() time.Time { return p.Now.AddDate(0, 0, -pastDays) }

// Add adds the past to an event log that has no events. It reports whether it did. If several processes call it at the
// same time, one of them adds the past.
func (p *Past) Add(ctx context.Context) (added bool, err error) {
	head, err := p.Events.Head(ctx)
	if err != nil || head > 0 {
		return false, err
	}
	verdicts, err := p.Events.Append(ctx, []event.Submission{{
		Client: Actor, Key: "past", Fingerprint: sha256.Sum256([]byte(Actor)), Received: event.InstantOf(p.Now), Events: p.plays(),
	}})
	if err != nil || verdicts[0] != event.Stored {
		return false, err
	}
	return true, p.addSearches(ctx)
}

// plays returns the playback events in the order of receipt.
func (p *Past) plays() []event.Event {
	end := p.Now.Truncate(time.Hour)
	published := contents().published()
	watched := make([]generate.Watched, len(published))
	for i, v := range published {
		length, _ := v.length() // the test of the catalogue checks it
		watched[i] = generate.Watched{ID: string(id(v.Ref)), Length: length.Milliseconds()}
	}
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the past need not be unpredictable
	rng.Shuffle(len(watched), func(i, k int) { watched[i], watched[k] = watched[k], watched[i] })
	return slices.Collect(generate.Events(generate.EventOptions{
		Count: pastPlays, Accounts: []string{Account, PlusAccount, BasicAccount}, Watched: watched, Seed: seed,
		From: event.InstantOf(p.Start().Truncate(time.Hour)), To: event.InstantOf(end),
		Clients: func(of string) []string {
			if of == Account {
				return []string{Account, WebClient, WatchClient}
			}
			return []string{of}
		},
		Users: func(of string) (ids []string) {
			for _, user := range users() {
				if user.AccountID == of {
					ids = append(ids, user.ID)
				}
			}
			return ids
		},
	}))
}

// queries are what customers search for, the most frequent first. The catalogue has nothing about some of them.
var queries = []string{
	"photosynthesis", "water cycle", "fractions", "french revolution", "cell", "climate change", "minecraft", "gravity", "dna",
	"essay", "volcano", "probability", "shakespeare", "inflation", "electricity", "roblox", "ice", "moon", "algorithm", "stress",
	"cold war", "pythagoras", "fake news", "taylor swift", "democracy", "perspective", "rhythm", "job interview", "evolution",
	"fotosíntesis", "klimawandel", "révolution", "cryptozoology", "sonnet", "supply and demand", "sleep", "origami", "bridges",
}

// addSearches adds the searches, day by day.
func (p *Past) addSearches(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the past need not be unpredictable
	customers := []*account.Account{
		{ID: Account, Environment: account.Live}, {ID: PlusAccount, Environment: account.Live}, {ID: BasicAccount, Environment: account.Sandbox},
	}
	for day := range pastDays {
		at := p.Start().AddDate(0, 0, day)
		recorder := searchlog.New(searchlog.Options{Queries: p.Searches, Fold: p.Fold, Now: func() time.Time { return at }})
		for range pastSearches / pastDays {
			by, text := customers[rng.IntN(len(customers))], queries[min(rng.IntN(len(queries)), rng.IntN(len(queries)))]
			found, first, err := p.Find(ctx, text)
			if err != nil {
				return err
			}
			recorder.Searched(by, text, false, found)
			if found > 0 && rng.IntN(3) > 0 {
				recorder.Clicked(by, text, string(first))
			}
		}
		if err := recorder.Write(ctx); err != nil {
			return err
		}
	}
	return nil
}
