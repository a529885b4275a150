package storelogic

import (
	"context"
	"math"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// RemovalRow tells of the write that removed a video. A video has one at most: that of the last.
type RemovalRow struct {
	ID catalogue.ID
	// At is no earlier than that of any other row, so that rows are in the order of their transactions.
	At time.Time
	// Position is that of the write, which orders rows of one time.
	Position store.Position
	Reason   catalogue.RemovalReason
}

// RemovalEngine is the part of an Engine for removals and the audit log.
type RemovalEngine interface {
	// LastRemoval reads the highest At of the rows; zero: there are none.
	LastRemoval(ctx context.Context) (time.Time, error)
	// AddEntries writes entries of the audit log, whose numbers the engine gives.
	AddEntries(ctx context.Context, entries []store.CatalogueAuditEntry) error
}

// noteRemoval notes whether a write removes a video or brings it back. A video whose last day passes without
// being written has no row: it is found by its day.
func (c *Changes) noteRemoval(before, after *catalogue.Video, position store.Position, today catalogue.Date) {
	was, is := catalogue.RemovalReason(""), removalOf(after, today)
	if before != nil {
		was = removalOf(before, today)
	}
	anotherDay := was == catalogue.Expired && is == catalogue.Expired && *before.AvailableUntil != *after.AvailableUntil
	switch {
	case is == "" && (before == nil || was != ""):
		c.NoRemovals = append(c.NoRemovals, after.ID)
	case is != "" && (was != is || anotherDay):
		c.Removals = append(c.Removals, RemovalRow{ID: after.ID, Position: position, Reason: is})
	}
}

// removalOf says why nobody sees a video that is there; "": somebody may.
func removalOf(v *catalogue.Video, today catalogue.Date) catalogue.RemovalReason {
	switch {
	case v.Retired:
		return catalogue.Retired
	case v.AvailableUntil != nil && *v.AvailableUntil < today:
		return catalogue.Expired
	}
	return ""
}

// dateRemovals gives new rows their time.
func (t *Transaction) dateRemovals(ctx context.Context, changes *Changes) error {
	if len(changes.Removals) == 0 {
		return nil
	}
	if t.removed.IsZero() {
		last, err := t.engine.LastRemoval(ctx)
		if err != nil {
			return err
		}
		t.removed = last
	}
	if now := catalogue.Instant(t.now()); now.After(t.removed) {
		t.removed = now
	}
	for i := range changes.Removals {
		changes.Removals[i].At = t.removed
	}
	return nil
}

// Note implements store.Tx.
func (t *Transaction) Note(ctx context.Context, entries []store.CatalogueAuditEntry) error {
	return t.doing(func() error {
		dated := make([]store.CatalogueAuditEntry, len(entries))
		for i, entry := range entries {
			entry.At = catalogue.Instant(t.now())
			dated[i] = entry
		}
		return t.engine.AddEntries(ctx, dated)
	})
}

// Removed is a row with its place in the order of rows.
type Removed struct {
	At       int64
	Position store.Position
	ID       catalogue.ID
	Reason   catalogue.RemovalReason
}

// Passed is a video that is found by its last day.
type Passed struct {
	Until catalogue.Date
	ID    catalogue.ID
}

// MergeRemovals makes a page of what follows query.After: rows, and videos found by their day, of each up to one
// more than the page holds.
func MergeRemovals(query store.RemovalQuery, rows []Removed, passed []Passed) store.RemovalPage {
	page := store.RemovalPage{Next: query.After}
	for len(page.Removals) < max(1, query.Size) && len(rows)+len(passed) > 0 {
		if len(passed) > 0 && (len(rows) == 0 || momentOf(passed[0].Until).UnixMicro() <= rows[0].At) {
			one := passed[0]
			page.Next.Until, page.Next.ID, passed = one.Until, one.ID, passed[1:]
			page.Removals = append(page.Removals, catalogue.Removal{ID: one.ID, RemovedAt: momentOf(one.Until), Reason: catalogue.Expired})
			continue
		}
		one := rows[0]
		page.Next.At, page.Next.Position, rows = one.At, one.Position, rows[1:]
		page.Removals = append(page.Removals, catalogue.Removal{ID: one.ID, RemovedAt: time.UnixMicro(one.At).UTC(), Reason: one.Reason})
	}
	page.More = len(rows)+len(passed) > 0
	return page
}

// momentOf is when an availability ends.
func momentOf(until catalogue.Date) time.Time { return (until + 1).Start() }

// RemovedFrom is the first time, in microseconds since 1970, of rows that a query keeps.
func RemovedFrom(query store.RemovalQuery) int64 {
	if query.From.IsZero() {
		return 0
	}
	return query.From.Add(time.Microsecond - 1).UnixMicro()
}

// PassedAfter is the place behind which videos follow that are found by their day.
func PassedAfter(query store.RemovalQuery) (catalogue.Date, catalogue.ID) {
	if query.After.ID == "" {
		return firstDay, ""
	}
	return query.After.Until, query.After.ID
}

// firstDay is before every day.
const firstDay catalogue.Date = math.MinInt32

// PassedFrom is the first last day of videos that a query keeps.
func PassedFrom(query store.RemovalQuery) catalogue.Date {
	if query.From.IsZero() {
		return firstDay
	}
	day := catalogue.DateOf(query.From)
	if momentOf(day - 1).Before(query.From) {
		return day
	}
	return day - 1
}
