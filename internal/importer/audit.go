package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
)

// auditDetail is the detail of an audit entry of a run.
type auditDetail struct {
	// Sources are the sources that the lines named; pruned items come from them as well.
	Sources []string `json:"sources"`
	Added   int      `json:"added"`
	Changed int      `json:"changed"`
	Deleted int      `json:"deleted"`
}

// auditTime is how long an interrupted run may take to log what it has done.
const auditTime = 10 * time.Second

// auditFreely logs the changes of a free run, even if it was interrupted.
func (r *run) auditFreely(ctx context.Context) error {
	if r.Client == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTime)
	defer cancel()
	return r.patiently(ctx, func() error {
		return r.catalogue.Write(ctx, r.audit)
	})
}

// audit logs the changes of the run: one entry for each changed kind.
func (r *run) audit(ctx context.Context, tx store.Tx) error {
	if r.Client == "" {
		return nil
	}
	var entries []store.CatalogueAuditEntry
	for _, kind := range catalogue.Kinds() {
		counts := r.counts[kind]
		if counts == nil || counts.Added+counts.Changed+counts.Pruned == 0 {
			continue
		}
		body, err := json.Marshal(auditDetail{r.sourcesOf(kind), counts.Added, counts.Changed, counts.Pruned})
		if err != nil {
			return err
		}
		entry := store.CatalogueAuditEntry{Kind: kind, After: body}
		entry.Actor.Client, entry.Actor.User = r.Client, r.User
		entries = append(entries, entry)
	}
	if entries == nil {
		return nil
	}
	return tx.Note(ctx, entries)
}

// sourcesOf lists the sources that the lines about a kind named, sorted.
func (r *run) sourcesOf(kind catalogue.Kind) (sources []string) {
	for from := range r.origins {
		if from.kind == kind {
			sources = append(sources, from.source)
		}
	}
	slices.Sort(sources)
	return sources
}

// itemChange is an item before and after a change; after is nil if the item was deleted.
type itemChange struct{ before, after catalogue.Item }

// noteItems returns a function that logs changes of items, or nil if runs are not logged.
func (r *run) noteItems() func(ctx context.Context, tx store.Tx, changes []itemChange) error {
	if r.Client == "" || r.DryRun {
		return nil
	}
	return func(ctx context.Context, tx store.Tx, changes []itemChange) (err error) {
		if len(changes) == 0 {
			return nil
		}
		entries := make([]store.CatalogueAuditEntry, len(changes))
		for i, change := range changes {
			entry := &entries[i]
			entry.Kind, entry.ID = change.before.Kind(), change.before.Head().ID
			entry.Actor.Client, entry.Actor.User = r.Client, r.User
			if entry.Before, entry.After, err = importline.AuditBodies(change.before, change.after); err != nil {
				return err
			}
		}
		return tx.Note(ctx, entries)
	}
}

// keep counts and reports the values of a line that held fields did not take.
func (r *run) keep(e entry, kept []importline.Kept) {
	r.held += len(kept)
	for _, one := range kept {
		r.Report(Fault{
			File: e.file, Line: e.line, Output: e.output, Kind: e.record.Kind, ID: e.record.ID, Field: one.Field, Held: true,
			Problem: fmt.Sprintf("the field is held: it keeps %s instead of %s", fault.Shorten(string(one.Stored)), fault.Shorten(string(one.Imported))),
		})
	}
}

// reportDifferences reports each field that differs between two states of an item.
func (r *run) reportDifferences(e entry, before, after catalogue.Item) error {
	was, is, err := importline.AuditBodies(before, after)
	if err != nil {
		return err
	}
	var old, next map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(was, &old), json.Unmarshal(is, &next)); err != nil {
		return err
	}
	fields := maps.Clone(next)
	maps.Copy(fields, old)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if bytes.Equal(old[field], next[field]) || field == "held" {
			continue
		}
		r.Report(Fault{
			File: e.file, Line: e.line, Output: e.output, Kind: e.record.Kind, ID: e.record.ID, Field: field, Differs: true,
			Problem: fmt.Sprintf("%s becomes %s", shownValue(old[field]), shownValue(next[field])),
		})
	}
	return nil
}

// shownValue shortens a value of a body; a missing one and null are nothing.
func shownValue(value json.RawMessage) string {
	if value == nil || string(value) == "null" {
		return "nothing"
	}
	return fault.Shorten(string(value))
}
