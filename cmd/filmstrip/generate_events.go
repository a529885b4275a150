package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/generate"
)

type generateEventsCommand struct {
	Count             int      `required:"" help:"The number of events."`
	Accounts          int      `help:"The number of accounts, named generated-1 and so on." default:"20" placeholder:"NUMBER"`
	Account           []string `help:"Ids of accounts to use instead." placeholder:"ID"`
	Videos            int      `help:"The number of videos in the events: those of a generated catalogue of that size." default:"10000" placeholder:"NUMBER"`
	From              *instant `help:"The time of receipt of the first event (2025-01-01)." placeholder:"TIME"`
	To                *instant `help:"The time before which all events are received (2026-01-01)." placeholder:"TIME"`
	Seed              uint64   `help:"Selects one of many sets of events of the same size." default:"1"`
	Append            bool     `help:"Add the events to the event log instead of printing batches for the API. This cannot be undone."`
	Data              string   `help:"With --append, the directory of SQLite's files (${default})." placeholder:"DIR" default:"data" group:"Stores:"`
	app.StoreSettings `group:"Stores:"`
}

// Run writes lines of JSON to standard output, each a batch, or adds events to a log.
func (c *generateEventsCommand) Run(ctx context.Context, console console) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	if c.Append {
		return c.add(ctx, console, options)
	}
	return generate.WriteEvents(console.out, options)
}

func (c *generateEventsCommand) options() (generate.EventOptions, error) {
	options := generate.EventOptions{
		Count: c.Count, Accounts: c.Account, Videos: c.Videos, Seed: c.Seed, From: c.From.orNone(), To: c.To.orNone(),
	}
	if options.From == 0 {
		options.From = event.InstantOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	if options.To == 0 {
		options.To = event.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	switch {
	case c.Count < 0:
		return options, fmt.Errorf("--count %d is below 0", c.Count)
	case c.Accounts < 1 || c.Videos < 1:
		return options, fmt.Errorf("--accounts %d, --videos %d: both must be at least 1", c.Accounts, c.Videos)
	case options.To < options.From+event.Hour:
		return options, fmt.Errorf("--to %s is not an hour after --from %s", options.To, options.From)
	}
	for n := 1; len(c.Account) == 0 && n <= c.Accounts; n++ {
		options.Accounts = append(options.Accounts, fmt.Sprintf("generated-%d", n))
	}
	return options, nil
}

// addedAtOnce is the number of events in one transaction.
const addedAtOnce = 10_000

// add appends to an existing event log.
func (c *generateEventsCommand) add(ctx context.Context, console console, options generate.EventOptions) (err error) {
	log, closeLog, err := c.StoreSettings.OpenEvents(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	begun, added := time.Now(), 0
	batch := make([]event.Event, 0, addedAtOnce)
	for e := range generate.Events(options) {
		if batch = append(batch, e); len(batch) < addedAtOnce && added+len(batch) < options.Count {
			continue
		}
		if _, err := log.Append(ctx, []event.Submission{{Received: e.Received, Events: batch}}); err != nil {
			return fmt.Errorf("after %d events: %w", added, err)
		}
		added += len(batch)
		batch = make([]event.Event, 0, addedAtOnce) // the log keeps the appended events
	}
	for more := true; more; {
		if more, err = log.IndexPersons(ctx); err != nil {
			return err
		}
	}
	took := time.Since(begun)
	result := struct {
		Events  int     `json:"events"`
		Seconds float64 `json:"seconds"`
	}{added, took.Seconds()}
	return console.printf(result, "%d events in %s, %.0f a second\n", added, took.Round(time.Millisecond), float64(added)/took.Seconds())
}
