package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage/counting"
)

type eventsCommand struct {
	Export  eventsExport  `cmd:"" help:"Write the stored events."`
	Archive eventsArchive `cmd:"" help:"Move old months to --archive now, as a server does every ten minutes."`
}

type eventsExport struct {
	used
	Account   *string  `help:"Only those of one account."`
	From      *instant `help:"Only events received from this time on: an RFC 3339 time or a day (UTC)." placeholder:"TIME"`
	To        *instant `help:"Only events received before this time." placeholder:"TIME"`
	After     int64    `help:"Only events after this position, which the last line of an earlier export contains. Without it, or with 0, the export begins with the oldest retained event." placeholder:"POSITION"`
	Kinds     []string `help:"Only events of these kinds: PLAYBACK, PLAYER_INTERACTION, …" placeholder:"KIND"`
	Format    string   `enum:"jsonl,parquet,xapi,caliper" default:"jsonl" help:"The output format: jsonl, parquet, xapi or caliper (docs/exports.md)."`
	Output    string   `help:"The output file instead of standard output; it appears once it is complete." placeholder:"FILE"`
	Addresses bool     `help:"Include network addresses that are not older than --keep-addresses, in jsonl and parquet."`
	BaseURL   string   `help:"The servers' base URL, with which identifiers in xapi and caliper start." placeholder:"URL"`
	app.AddressSettings
}

// Run streams events from the store. A server may run on it.
func (c *eventsExport) Run(ctx context.Context, console console) error {
	if err := console.checkFormat(c.Format); err != nil {
		return err
	}
	query, err := c.query()
	if err != nil {
		return err
	}
	base := strings.TrimRight(c.BaseURL, "/")
	if base != "" && !app.IsAddress(base, true) {
		return fmt.Errorf("--base-url %q is not an http or https address without query and fragment", c.BaseURL)
	}
	var addresses time.Duration // the export contains none
	if c.Addresses {
		addresses = c.KeepAddresses
	}
	if c.Addresses && addresses == 0 {
		console.warn("--keep-addresses is 0: the export contains no addresses")
	}
	stores, err := c.StoreSettings.OpenEvents(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { _ = stores.Close() }() // the command wrote nothing
	log := stores.Events
	if query.Account != "" {
		if err := checkKnown(ctx, log, (&administration{used: c.used}).ask, query.Account); err != nil {
			return err
		}
	}
	var sum export.Summary
	err = writeOutput(console, c.Output, func(w io.Writer) error {
		to, err := export.NewEvents(w, export.Format(c.Format), export.Options{Base: base, Addresses: addresses})
		if err != nil {
			return err
		}
		sum, err = export.Copy(to, logged(ctx, log, query, c.After))
		return err
	})
	if err != nil {
		return err
	}
	skipped, err := log.Skipped(ctx)
	if err != nil {
		return err
	}
	skipped = slices.DeleteFunc(skipped, func(e store.SkippedEvent) bool { return e.Position <= c.After })
	if len(skipped) > 0 {
		console.warn("the export omits %d damaged events of the log (usage skip-damaged)", len(skipped))
	}
	if sum.Omitted > 0 {
		console.warn("%s cannot express %d of these events; the export omits them", c.Format, sum.Omitted)
	}
	return nil
}

// checkKnown refuses an account that neither the log nor the registry contains, because a misspelt ID has no events
// either.
func checkKnown(ctx context.Context, log store.Events, ask asker, id string) error {
	dropped, err := log.Dropped(ctx)
	if err != nil {
		return err
	}
	found, err := log.Read(ctx, store.EventQuery{Account: id, Dropped: dropped}, 0, 1)
	if err != nil {
		head, errHead := log.Head(ctx)
		return cmp.Or(errHead, counting.Damage(ctx, log, dropped, head, err))
	}
	if len(found) > 0 {
		return nil
	}
	return checkAccount(ctx, ask, id)
}

func (c *eventsExport) query() (store.EventQuery, error) {
	query := store.EventQuery{From: c.From.orNone(), To: c.To.orNone()}
	if c.Account != nil {
		if *c.Account == "" { // which would select all accounts
			return query, errors.New("--account is not the id of an account; without it, the export contains all accounts")
		}
		query.Account = *c.Account
	}
	for _, name := range c.Kinds {
		kind, err := event.ParseKind(strings.ToUpper(name))
		if err != nil {
			return query, err
		}
		query.Kinds = append(query.Kinds, kind)
	}
	if query.From != 0 && query.To != 0 && query.To <= query.From {
		return query, fmt.Errorf("--to %s is not after --from %s", query.To, query.From)
	}
	return query, nil
}

// instant is the value of a flag: a time, or the start of a day.
type instant event.Instant

// UnmarshalText reads RFC 3339 or YYYY-MM-DD.
func (i *instant) UnmarshalText(text []byte) error {
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(form, string(text)); err == nil && at.Year() >= 1970 {
			*i = instant(event.InstantOf(at))
			return nil
		}
	}
	return fmt.Errorf("%q is neither an instant such as 2026-10-31T12:00:00Z nor a day such as 2026-10-31", text)
}

func (i *instant) orNone() event.Instant {
	if i == nil {
		return 0
	}
	return event.Instant(*i)
}

// loggedAtOnce is the number of events that an export reads at once: at most some megabytes.
const loggedAtOnce = 2000

// logged yields, in order, the events after a position that match a query, up to the end of the log at the start of the
// iteration. Position 0 selects the oldest retained event. After any other position, and during the iteration, an event
// that retention dropped is an error of code Conflict, whose message says what to do.
func logged(ctx context.Context, log store.Events, query store.EventQuery, after event.Position) iter.Seq2[[]event.Event, error] {
	return func(yield func([]event.Event, error) bool) {
		head, err := log.Head(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		query.UpTo = head
		if after == 0 {
			if query.Dropped, err = log.Dropped(ctx); err != nil {
				yield(nil, err)
				return
			}
		}
		for after < head {
			events, err := log.Read(ctx, query, after, loggedAtOnce)
			if fault.CodeOf(err) == fault.Conflict {
				err = fmt.Errorf("%w: later exports omit their events; start again with the oldest retained event, without --after", err)
			}
			if err != nil {
				yield(nil, counting.Damage(ctx, log, after, head, err))
				return
			}
			if len(events) == 0 {
				return
			}
			after = events[len(events)-1].Position // yield may change the events
			if !yield(events, nil) {
				return
			}
		}
	}
}
