package importer

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// noted is what the catalogue's trail keeps of what a run did to a kind.
type noted struct {
	// Sources are those that the lines named; what was pruned is of them too.
	Sources []string `json:"sources"`
	Added   int      `json:"added"`
	Changed int      `json:"changed"`
	Deleted int      `json:"deleted"`
}

// noteTime is how long a run that was broken off may take to tell what it had done by then.
const noteTime = 10 * time.Second

// noteFreely tells the trail of what a free run did, also where it was broken off.
func (r *run) noteFreely(ctx context.Context) error {
	if r.Client == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	return r.patiently(ctx, func() error {
		return r.catalogue.Write(ctx, r.note)
	})
}

// note tells the trail of what the run did: one entry for each kind of which it changed anything.
func (r *run) note(ctx context.Context, tx store.Tx) error {
	if r.Client == "" {
		return nil
	}
	var entries []store.CatalogueAuditEntry
	for _, kind := range catalogue.Kinds() {
		counts := r.counts[kind]
		if counts == nil || counts.Added+counts.Changed+counts.Pruned == 0 {
			continue
		}
		body, err := json.Marshal(noted{r.sourcesOf(kind), counts.Added, counts.Changed, counts.Pruned})
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
