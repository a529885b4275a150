package counting

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// maxRead is the most events that the log gives at once.
const maxRead = 10_000

// look learns how far the log is counted, and where it ends. The error is of code Conflict where that is not the
// log that was counted, or where events were dropped before they were counted.
func (c *Counter) look(ctx context.Context) (counted usage.Progress, head event.Position, err error) {
	if counted, err = c.Usage.Progress(ctx); err != nil {
		return counted, 0, err
	}
	// The head comes second: it is never behind what is counted of it.
	if head, err = c.Log.Head(ctx); err != nil {
		return counted, 0, err
	}
	c.see(counted)
	c.head.Store(head)
	if err := c.checkDropped(ctx, counted); err != nil {
		return counted, head, err
	}
	return counted, head, c.recognise(ctx, counted, head)
}

// count counts one batch. It returns how far the log is counted for certain, and where it ended then.
func (c *Counter) count(ctx context.Context) (counted, head event.Position, err error) {
	from, head, err := c.look(ctx)
	switch {
	case err != nil:
		return 0, 0, err
	case from.Position == head:
		return head, head, nil
	}
	to, plays, err := c.read(ctx, from, head, 0)
	if err != nil {
		return 0, 0, err
	}
	switch err := c.Usage.Apply(ctx, from, to, plays); {
	case fault.CodeOf(err) == fault.Conflict:
		return from.Position, head, nil // somebody else has counted them
	case err != nil:
		return 0, 0, err
	}
	c.see(to)
	c.recognised.Store(to.Position)
	return to.Position, head, nil
}

// CatchUp counts all that the log holds now, as far as nobody else does.
func (c *Counter) CatchUp(ctx context.Context) error {
	_, until, err := c.look(ctx)
	if err != nil {
		return c.explain(ctx, err)
	}
	for counted := event.Position(-1); counted < until; {
		if counted, _, err = c.count(ctx); err != nil {
			return c.explain(ctx, err)
		}
	}
	return nil
}

// read returns a batch of plays behind a place, and the place that they reach. It accepts that events up to a position
// were dropped.
func (c *Counter) read(ctx context.Context, from usage.Progress, head, dropped event.Position) (to usage.Progress, plays []usage.Play, err error) {
	query := store.EventQuery{Kinds: []event.Kind{event.Playback}, UpTo: head, Dropped: dropped}
	to = from
	for to.Position < head && len(plays) < c.Batch {
		limit := min(maxRead, c.Batch-len(plays))
		events, err := c.Log.Read(ctx, query, to.Position, limit)
		if err != nil {
			return to, nil, err
		}
		for i := range events {
			plays = appendPlay(plays, &events[i])
			to.Position, to.AsOf = events[i].Position, max(to.AsOf, events[i].Received)
		}
		if len(events) < limit {
			if to, err = c.reach(ctx, to, head, dropped); err != nil {
				return to, nil, err
			}
		}
	}
	return to, plays, c.describe(ctx, plays)
}

// reach moves a place to the head, where no playback comes in between: other events were received as well.
func (c *Counter) reach(ctx context.Context, to usage.Progress, head, dropped event.Position) (usage.Progress, error) {
	if to.Position == head {
		return to, nil
	}
	last, err := c.Log.Read(ctx, store.EventQuery{UpTo: head, Dropped: dropped}, head-1, 1)
	if err != nil {
		return to, err
	}
	to.Position = head
	for i := range last { // none where its month was dropped
		to.AsOf = max(to.AsOf, last[i].Received)
	}
	return to, nil
}

// appendPlay adds the play that an event is, if it is one.
func appendPlay(plays []usage.Play, e *event.Event) []usage.Play {
	if e.Played() == 0 {
		return plays
	}
	return append(plays, playOf(e))
}

// playOf is the play that an event is, without channel and subjects.
func playOf(e *event.Event) usage.Play {
	return usage.Play{
		Position: e.Position, At: e.At, Account: e.Account, Client: e.Client, Person: e.Person(),
		Video: videoOf(e), Start: e.Start, End: e.End, Excess: e.Excess(), Sandbox: e.Sandbox,
	}
}

// videoOf is the video that a play counts for; "" where the account could not see it, or there was no such video.
func videoOf(e *event.Event) string {
	if e.Hidden {
		return ""
	}
	return strings.ToLower(e.Video)
}

// measuresOf is what an event that is a play comes to.
func measuresOf(e *event.Event) usage.Measures {
	return usage.Measures{Plays: 1, Milliseconds: e.Played() - e.Excess(), Excess: e.Excess()}
}

// describe gives plays the channel and subjects of their videos, which one question to the catalogue tells.
func (c *Counter) describe(ctx context.Context, plays []usage.Play) error {
	asked := map[catalogue.ID]*catalogue.State{}
	for i := range plays {
		if id := catalogue.ID(plays[i].Video); id.Valid() {
			asked[id] = nil
		}
	}
	if len(asked) == 0 {
		return nil
	}
	states, err := c.Catalogue.States(ctx, slices.Collect(maps.Keys(asked)))
	if err != nil {
		return err
	}
	for i := range states {
		asked[states[i].ID] = &states[i]
	}
	subjects := make(map[catalogue.ID][]string, len(states))
	for i := range plays {
		id := catalogue.ID(plays[i].Video)
		state := asked[id]
		if state == nil {
			continue
		}
		if _, known := subjects[id]; !known {
			subjects[id] = texts(state.Subjects)
		}
		plays[i].Channel, plays[i].Subjects = string(state.Channel), subjects[id]
	}
	return nil
}

// texts lists IDs, each once.
func texts(ids []catalogue.ID) []string {
	var list []string
	for _, id := range ids {
		if text := string(id); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
