package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

type usageSkipDamaged struct {
	used
	Position []string `required:"" help:"Positions or ranges of damaged events, such as 700-702,25000; errors, /readyz and usage verify name them." placeholder:"POSITION"`
	Reason   string   `required:"" help:"Why the events are skipped, for the audit log."`
}

// skipNote is the entry of skipped events in the audit log.
type skipNote struct {
	At        time.Time `json:"damagedEventsSkipped"`
	Positions []string  `json:"positions"`
	Reason    string    `json:"reason"`
}

// Run skips exactly the named events and prints how many there were.
func (c *usageSkipDamaged) Run(ctx context.Context, console console) error {
	if err := checkReason(c.Reason); err != nil {
		return err
	}
	positions, err := positionsOf(c.Position)
	if err != nil {
		return err
	}
	return c.using(ctx, func(u *use) error {
		now := time.Now().UTC()
		who := atCommandLine()
		events := make([]store.SkippedEvent, len(positions))
		for i, position := range positions {
			events[i] = store.SkippedEvent{Position: position, At: event.InstantOf(now), By: who.ClientID + ", " + who.User, Reason: c.Reason}
		}
		skipped, err := u.Events.SkipDamaged(ctx, events)
		if err != nil {
			return err
		}
		if skipped > 0 {
			if err := noteOperation(ctx, u.Accounts, skipNote{At: now, Positions: c.Position, Reason: c.Reason}); err != nil {
				return fmt.Errorf("the events are skipped, but the audit log has no entry: %w", err)
			}
		}
		counted, err := u.Usage.Progress(ctx)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%d damaged events are skipped\n", skipped)
		if before := len(positions) - skipped; before > 0 {
			text = fmt.Sprintf("%d damaged events are skipped; %d of the named events were skipped before\n", skipped, before)
		}
		if positions[0] <= counted.Position {
			text += fmt.Sprintf("the counts reach event %d and may include some of them: run filmstrip usage recount\n", counted.Position)
		}
		result := struct {
			Skipped int            `json:"skipped"`
			Before  int            `json:"skippedBefore"`
			Counted event.Position `json:"counted"`
			Recount bool           `json:"recountNeeded"`
		}{skipped, len(positions) - skipped, counted.Position, positions[0] <= counted.Position}
		return console.printf(result, "%s", text)
	})
}

// positionsOf parses positions and ranges, and returns the positions in order.
func positionsOf(texts []string) (positions []event.Position, err error) {
	seen := map[event.Position]bool{}
	for _, text := range texts {
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		from, errFrom := strconv.ParseInt(first, 10, 64)
		to, errTo := strconv.ParseInt(last, 10, 64)
		if errFrom != nil || errTo != nil || from < 1 || to < from {
			return nil, fmt.Errorf("--position %q is neither a position such as 700 nor a range such as 700-702", text)
		}
		if to-from >= store.MaxSkipped {
			return nil, fmt.Errorf("--position %q names more than %d events, the maximum of one call", text, store.MaxSkipped)
		}
		for position := from; position <= to; position++ {
			seen[position] = true
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}
