package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// held is what the collections hold that content packages name, as of a position of the log of collections.
type held struct {
	position int64
	named    []catalogue.ID
	videos   map[catalogue.ID][]catalogue.ID
}

// fill gives the next roster what the collections hold that its content packages name, and its edition. Once
// there is a roster, collections that cannot be read hold up nothing else: what they held before counts.
func (r *roll) fill(ctx context.Context, next, last *roster) error {
	before := r.held
	if err := r.hold(ctx, next.records.bare.Collections()); err != nil && last == nil {
		return err
	}
	if last != nil {
		next.edition = last.edition
	}
	if last == nil || next.records != last.records || !maps.EqualFunc(r.held.videos, before.videos, slices.Equal[[]catalogue.ID]) {
		next.records = next.records.with(r)
		next.edition++
	}
	return nil
}

// hold renews what the named collections hold. That it fails is reported once when it begins and once when it
// ends.
func (r *roll) hold(ctx context.Context, named []catalogue.ID) error {
	next, err := r.readHeld(ctx, named)
	switch {
	case err != nil && !r.heldFailing:
		r.logger.Error("collections of content packages cannot be read; what they held still counts", "error", err)
	case err == nil && r.heldFailing:
		r.logger.Info("collections of content packages can be read again")
	}
	if r.heldFailing = err != nil; r.heldFailing {
		return fmt.Errorf("auth: reading the collections of content packages: %w", err)
	}
	r.held = next
	return nil
}

// with are the records, and what collections hold as of the last reading.
func (r *records) with(roll *roll) *records {
	next := *r
	var cut []string
	if next.Roster, cut = r.bare.WithCollections(roll.held.videos); cut != nil {
		roll.logger.Warn("collections of content packages hold more videos than rules may; the first are open",
			"packages", cut, "most", catalogue.MaxRuleValues)
	}
	return &next
}

// readHeld reads what the named collections hold, unless nothing has changed since the last reading: then that is
// one row.
func (r *roll) readHeld(ctx context.Context, named []catalogue.ID) (held, error) {
	if r.collections == nil || len(named) == 0 {
		return held{}, nil
	}
	// The position is read first: a change that comes in between is then read once more, not missed.
	position, err := r.collections.Head(ctx)
	if err != nil {
		return held{}, err
	}
	if position == r.held.position && slices.Equal(named, r.held.named) {
		return r.held, nil
	}
	found, err := r.collections.Collections(ctx, named)
	if err != nil {
		return held{}, err
	}
	return held{position, named, collection.VideosOf(found)}, nil
}
