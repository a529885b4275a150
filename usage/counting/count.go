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

// maxRead is the greatest number of events that the log returns at once.
const maxRead = 10_000

// maxBatch is the greatest number of plays that store.Usage counts at once.
const maxBatch = 1_000_000

// look reads how far the log is counted, and its head. The error is of code Conflict if the log is not the one that was counted, or
// if events were dropped before they were counted.
func (c *Counter) look(ctx context.Context) (counted usage.Progress, head event.Position, err error) {
	if counted, err = c.Usage.Progress(ctx); err != nil {
		return counted, 0, err
	}
	// The head is read second, so that it is never behind the counted position.
	if head, err = c.Log.Head(ctx); err != nil {
		return counted, 0, err
	}
	c.see(counted)
	c.head.Store(head)
	if err := c.checkDropped(ctx, counted); err != nil {
		return counted, head, err
	}
	return counted, head, c.recognize(ctx, counted, head)
}

// count counts one batch. It returns the position up to which the log is certainly counted, and the head at that time.
func (c *Counter) count(ctx context.Context) (counted, head event.Position, err error) {
	from, head, err := c.look(ctx)
	switch {
	case err != nil:
		return 0, 0, err
	case from.Position == head:
		return head, head, nil
	}
	to, plays, err := c.read(ctx, from, head, 0, c.Batch)
	if err != nil {
		return 0, 0, err
	}
	switch err := c.Usage.Apply(ctx, from, to, plays); {
	case fault.CodeOf(err) == fault.Conflict:
		return from.Position, head, nil // another process has counted them
	case err != nil:
		return 0, 0, err
	}
	c.see(to)
	c.recognized.Store(to.Position)
	return to.Position, head, nil
}

// CatchUp counts everything that the log contains now, unless another process does.
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

// read returns up to batch plays behind a position, and the position that they reach. It accepts that events up to dropped were
// dropped.
func (c *Counter) read(ctx context.Context, from usage.Progress, head, dropped event.Position, batch int) (to usage.Progress, plays []usage.Play, err error) {
	query := store.EventQuery{Kinds: []event.Kind{event.Playback}, UpTo: head, Dropped: dropped}
	to = from
	same := shared{}
	for to.Position < head && len(plays) < batch {
		limit := min(maxRead, batch-len(plays))
		events, err := c.Log.Read(ctx, query, to.Position, limit)
		if err != nil {
			return to, nil, err
		}
		for i := range events {
			before := len(plays)
			plays = appendPlay(plays, &events[i])
			same.share(plays[before:])
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

// shared contains texts, so that plays with equal texts share their memory: a batch has many plays of few accounts.
type shared map[string]string

func (s shared) share(plays []usage.Play) {
	for i := range plays {
		p := &plays[i]
		for _, text := range []*string{&p.Account, &p.Client, &p.Person, &p.Video} {
			if known, found := s[*text]; found {
				*text = known
			} else {
				s[*text] = *text
			}
		}
	}
}

// reach moves a position to the head if no playback follows: other kinds of events were received, too.
func (c *Counter) reach(ctx context.Context, to usage.Progress, head, dropped event.Position) (usage.Progress, error) {
	if to.Position == head {
		return to, nil
	}
	last, err := c.Log.Read(ctx, store.EventQuery{UpTo: head, Dropped: dropped}, head-1, 1)
	if err != nil {
		return to, err
	}
	to.Position = head
	for i := range last { // none if its month was dropped
		to.AsOf = max(to.AsOf, last[i].Received)
	}
	return to, nil
}

// appendPlay appends the play of an event, if the event is one.
func appendPlay(plays []usage.Play, e *event.Event) []usage.Play {
	if e.Played() == 0 {
		return plays
	}
	return append(plays, playOf(e))
}

// playOf returns the play of an event, without channel and subjects.
func playOf(e *event.Event) usage.Play {
	return usage.Play{
		Position: e.Position, At: e.At, Account: e.Account, Client: e.Client, Person: e.Person(),
		Video: videoOf(e), Start: e.Start, End: e.End, Excess: e.Excess(), Sandbox: e.Sandbox, Continues: e.Continues,
	}
}

// videoOf returns the video that a play counts for; "" if the account could not see it, or it does not exist.
func videoOf(e *event.Event) string {
	if e.Hidden {
		return ""
	}
	return strings.ToLower(e.Video)
}

// measuresOf returns the measures of an event that is a play.
func measuresOf(e *event.Event) usage.Measures {
	p := playOf(e)
	return usage.Measures{Plays: p.Plays(), Milliseconds: p.Milliseconds(), Excess: p.Excess}
}

// describe adds the channel and subjects of their videos to plays, with one query.
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

// texts returns IDs as strings, each once.
func texts(ids []catalogue.ID) []string {
	var list []string
	for _, id := range ids {
		if text := string(id); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
