package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/store"
)

type generateEventsCommand struct {
	Count             int      `required:"" help:"The number of events." min:"0"`
	Accounts          int      `help:"The number of accounts, named generated-1 and so on." default:"20" placeholder:"NUMBER" min:"1"`
	Account           []string `help:"Ids of accounts to use instead." placeholder:"ID"`
	Videos            int      `help:"The number of videos in the events: those of a generated catalogue of that size." default:"10000" placeholder:"NUMBER" min:"1"`
	From              *instant `help:"The time of receipt of the first event (2025-01-01)." placeholder:"TIME"`
	To                *instant `help:"The time before which all events are received (2026-01-01)." placeholder:"TIME"`
	Persons           int      `help:"The number of users of each account." default:"2000" placeholder:"NUMBER" min:"1"`
	Interactions      bool     `help:"With --append, also generate interactions with the player: one event in eight."`
	Seed              uint64   `help:"Selects one of many sets of events of the same size." default:"1"`
	Append            bool     `help:"Add the events to the event log instead of printing batches for the API. This cannot be undone."`
	Force             bool     `help:"Append also to a log that has events, and beside a server."`
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
		Persons: c.Persons, Interactions: c.Interactions,
	}
	if options.From == 0 {
		options.From = event.InstantOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	if options.To == 0 {
		options.To = event.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	switch {
	case !c.Append && (c.Interactions || c.Force):
		return options, errors.New("--interactions and --force require --append: a batch for the API contains only playback")
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

// add appends to an existing event log. Generating and appending go on at the same time.
func (c *generateEventsCommand) add(ctx context.Context, console console, options generate.EventOptions) (err error) {
	stores, err := c.StoreSettings.OpenEvents(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	log := stores.Events
	unlock, err := c.claim(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	begun, added := time.Now(), 0
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for batch := range batches(ctx, options) {
		if _, err := log.Append(ctx, []event.Submission{{Received: batch[0].Received, Events: batch}}); err != nil {
			return fmt.Errorf("after %d events: %w", added, err)
		}
		added += len(batch)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	took := time.Since(begun)
	for more := true; more; {
		if more, err = log.IndexPersons(ctx); err != nil {
			return err
		}
	}
	indexed := time.Since(begun) - took
	result := struct {
		Events  int     `json:"events"`
		Seconds float64 `json:"seconds"`
		// IndexSeconds is the time that the index of persons took.
		IndexSeconds float64 `json:"indexSeconds"`
	}{added, took.Seconds(), indexed.Seconds()}
	return console.printf(result, "%d events in %s, %.0f a second; the index of persons in %s\n", added, took.Round(time.Millisecond),
		float64(added)/took.Seconds(), indexed.Round(time.Millisecond))
}

// claim makes sure that the log is empty and that no server uses it, because nothing can remove generated events.
func (c *generateEventsCommand) claim(ctx context.Context, log store.Events) (unlock func() error, err error) {
	unlock = func() error { return nil }
	if c.Force {
		return unlock, nil
	}
	head, err := log.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head > 0 {
		return nil, fmt.Errorf("the event log has %d events already; --force adds the generated ones to them, and nothing can remove them again", head)
	}
	if c.InFiles() {
		return app.LockData(c.Data)
	}
	return unlock, nil
}

// batches generates events in lists of up to addedAtOnce, ahead of the caller.
func batches(ctx context.Context, options generate.EventOptions) <-chan []event.Event {
	ahead := make(chan []event.Event, 2)
	go func() {
		defer close(ahead)
		batch := make([]event.Event, 0, addedAtOnce)
		send := func() (ended bool) {
			select {
			case ahead <- batch:
				batch = make([]event.Event, 0, addedAtOnce) // the log keeps the appended events
				return false
			case <-ctx.Done():
				return true
			}
		}
		for e := range generate.Events(options) {
			if batch = append(batch, e); len(batch) == addedAtOnce && send() {
				return
			}
		}
		if len(batch) > 0 {
			send()
		}
	}()
	return ahead
}
