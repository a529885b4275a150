package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// packageCollections lists the videos of the collections that content packages name, as of one position in the
// log of collections.
type packageCollections struct {
	position int64
	named    []catalogue.ID
	videos   map[catalogue.ID][]catalogue.ID
}

// fill completes the next roster with the videos of the collections that its content packages name, and sets its
// edition. Once a roster exists, a failure to read collections does not block it: the last known videos stay in
// force.
func (r *rosterStore) fill(ctx context.Context, next, last *roster) error {
	before := r.packages
	if err := r.renewPackageCollections(ctx, next.records.bare.Collections()); err != nil && last == nil {
		return err
	}
	if last != nil {
		next.edition = last.edition
	}
	if last == nil || next.records != last.records || !maps.EqualFunc(r.packages.videos, before.videos, slices.Equal[[]catalogue.ID]) {
		next.records = next.records.with(r)
		next.edition++
	}
	return nil
}

// renewPackageCollections reads the videos of the named collections. It logs a failure once when it starts and once
// when it ends.
func (r *rosterStore) renewPackageCollections(ctx context.Context, named []catalogue.ID) error {
	next, err := r.readPackageCollections(ctx, named)
	switch {
	case err != nil && !r.packagesFailing:
		r.logger.Error("collections of content packages cannot be read; the last known contents stay in force", "error", err)
	case err == nil && r.packagesFailing:
		r.logger.Info("collections of content packages can be read again")
	}
	if r.packagesFailing = err != nil; r.packagesFailing {
		return fmt.Errorf("auth: reading the collections of content packages: %w", err)
	}
	r.packages = next
	return nil
}

// with returns the records combined with the package collections of the last successful read.
func (r *records) with(rosters *rosterStore) *records {
	next := *r
	var cut []string
	if next.Roster, cut = r.bare.WithCollections(rosters.packages.videos); cut != nil {
		rosters.logger.Warn("collections of content packages contain more videos than a rule allows; only the first are accessible",
			"packages", cut, "most", catalogue.MaxRuleValues)
	}
	return &next
}

// readPackageCollections reads the videos of the named collections. If nothing has changed since the last read, it
// reads one row and returns the same value.
func (r *rosterStore) readPackageCollections(ctx context.Context, named []catalogue.ID) (packageCollections, error) {
	if r.collections == nil || len(named) == 0 {
		return packageCollections{}, nil
	}
	// Read the position first: a change in between is then read again, not missed.
	position, err := r.collections.Head(ctx)
	if err != nil {
		return packageCollections{}, err
	}
	if position == r.packages.position && slices.Equal(named, r.packages.named) {
		return r.packages, nil
	}
	found, err := r.collections.Collections(ctx, named)
	if err != nil {
		return packageCollections{}, err
	}
	return packageCollections{position, named, collection.VideosOf(found)}, nil
}
