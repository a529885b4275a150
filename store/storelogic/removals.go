package storelogic

import (
	"context"
	"math"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// RemovalRow records the last write that removed a video. A video has at most one row.
type RemovalRow struct {
	ID catalogue.ID
	// At is not before the At of any earlier row, so that rows are in the order of their transactions.
	At time.Time
	// Position is the position of the write. It orders rows with the same time.
	Position store.Position
	Reason   catalogue.RemovalReason
}

// noteRemoval adds a removal if a write removes a video, and deletes its row if a write adds or restores the video. A
// video whose last day passes without a write has no row; queries find it by its last day.
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

// removalOf returns why nobody can see an existing video; "": some callers may see it.
func removalOf(v *catalogue.Video, today catalogue.Date) catalogue.RemovalReason {
	switch {
	case v.Retired:
		return catalogue.Retired
	case v.AvailableUntil != nil && *v.AvailableUntil < today:
		return catalogue.Expired
	}
	return ""
}

// dateRemovals sets the time of new rows.
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

// Removed is a row of a removal, with its place in the order of rows.
type Removed struct {
	At       int64
	Position store.Position
	ID       catalogue.ID
	Reason   catalogue.RemovalReason
}

// Passed is a video that a query finds by its last day.
type Passed struct {
	Until catalogue.Date
	ID    catalogue.ID
}

// MergeRemovals merges the rows and the videos found by their last day that follow query.After into a page. Each list
// contains up to one element more than the page has space for.
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

// momentOf returns when an availability ends.
func momentOf(until catalogue.Date) time.Time { return (until + 1).Start() }

// RemovedFrom returns the earliest time, in microseconds since 1970, of the rows that a query includes.
func RemovedFrom(query store.RemovalQuery) int64 {
	if query.From.IsZero() {
		return 0
	}
	return query.From.Add(time.Microsecond - 1).UnixMicro()
}

// PassedAfter returns the place after which a query continues with the videos that are found by their last day.
func PassedAfter(query store.RemovalQuery) (catalogue.Date, catalogue.ID) {
	if query.After.ID == "" {
		return firstDay, ""
	}
	return query.After.Until, query.After.ID
}

// firstDay is before every day.
const firstDay catalogue.Date = math.MinInt32

// PassedFrom returns the earliest last day of the videos that a query includes.
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
