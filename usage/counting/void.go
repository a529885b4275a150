package counting

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// Void counts what was received until now, and voids a selection of plays (store.Usage.Void). To void one event, only its ID is
// needed. The error is of code NotFound if there is no such event, of code Invalid if it is not a play.
func (c *Counter) Void(ctx context.Context, void usage.Void) (usage.Void, error) {
	selection, err := c.selection(ctx, void.Selection)
	if err != nil {
		return void, err
	}
	void.Selection = selection
	return c.Usage.Void(ctx, void)
}

// PreviewVoid counts what was received until now, and returns the sums that Void would remove from the counts.
func (c *Counter) PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error) {
	selection, err := c.selection(ctx, selection)
	if err != nil {
		return nil, err
	}
	return c.Usage.PreviewVoid(ctx, selection)
}

// UndoVoid restores the plays of a void (store.Usage.UndoVoid).
func (c *Counter) UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error) {
	return c.Usage.UndoVoid(ctx, id, by)
}

// selection counts what was received until now, and completes a selection with the position of its event.
func (c *Counter) selection(ctx context.Context, selection usage.Selection) (usage.Selection, error) {
	selection.Video = strings.ToLower(selection.Video)
	if selection.Event != "" {
		if selection.Client != "" || selection.Video != "" || selection.Account != "" || selection.From != 0 || selection.To != 0 {
			return selection, fault.InvalidRequest("a void of event %s names nothing else", selection.Event)
		}
		e, err := c.findEvent(ctx, selection.Event)
		if err != nil {
			return selection, err
		}
		if e.Played() == 0 {
			return selection, fault.InvalidRequest("event %s is not a play, so it is on no bill", selection.Event)
		}
		selection = usage.Selection{Event: e.ID.String(), EventPosition: e.Position, Account: e.Account, From: e.At, To: e.At + 1}
	}
	if err := selection.Check(); err != nil {
		return selection, err
	}
	return selection, c.CatchUp(ctx)
}

// findEvent finds an event of the log by its ID, which begins with the time of receipt.
func (c *Counter) findEvent(ctx context.Context, text string) (*event.Event, error) {
	id, err := parseID(text)
	if err != nil {
		return nil, err
	}
	var high [8]byte
	copy(high[2:], id[:6])
	received := event.Instant(binary.BigEndian.Uint64(high[:]))
	dropped, err := c.Log.Dropped(ctx)
	if err != nil {
		return nil, err
	}
	query := store.EventQuery{From: received, To: received + 1, Dropped: dropped}
	after, err := c.nearby(ctx, received, dropped)
	if err != nil {
		return nil, err
	}
	// Positions are in the order of commits, nearly that of receipt: look nearby first, then everywhere.
	for _, part := range []struct{ after, upTo event.Position }{{max(0, after-maxRead), after + maxRead}, {0, 0}} {
		query.UpTo = part.upTo
		for at := part.after; ; {
			events, err := c.Log.Read(ctx, query, at, maxRead)
			if err != nil {
				return nil, err
			}
			for i := range events {
				if events[i].ID == id {
					return &events[i], nil
				}
			}
			if len(events) < maxRead {
				break
			}
			at = events[len(events)-1].Position
		}
	}
	if dropped > 0 {
		return nil, fault.Errorf(fault.NotFound, "there is no event %s in the log, which has dropped events up to position %d (--keep-events)", text, dropped)
	}
	return nil, fault.Errorf(fault.NotFound, "there is no event %s in the log", text)
}

// nearby returns a position near which events were received at an instant.
func (c *Counter) nearby(ctx context.Context, received event.Instant, dropped event.Position) (event.Position, error) {
	head, err := c.Log.Head(ctx)
	if err != nil {
		return 0, err
	}
	low, high := dropped, head
	for low < high {
		middle := low + (high-low)/2
		events, err := c.Log.Read(ctx, store.EventQuery{Dropped: dropped}, middle, 1)
		if err != nil {
			return 0, err
		}
		if len(events) > 0 && events[0].Received < received {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// parseID parses the usual form of an event ID.
func parseID(text string) (id event.ID, err error) {
	digits, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(digits) != len(id) || event.ID(digits).String() != strings.ToLower(text) {
		return id, fault.InvalidRequest("%q is not the id of an event, such as 019a8b7c-1d2e-7f30-8a4b-5c6d7e8f9a0b", fault.Shorten(text))
	}
	return event.ID(digits), nil
}

// settled calls fn, and again while another process makes or undoes a void.
func (c *Counter) settled(ctx context.Context, fn func() error) error {
	for {
		if err := c.Usage.SettleVoids(ctx); err != nil {
			return err
		}
		if err := fn(); !errors.Is(err, usage.ErrVoiding) {
			return err
		}
	}
}
