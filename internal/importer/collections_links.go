package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// checkLinks checks the lines about collections against the future catalogue and against one another. The lines that it
// does not reject can be written, unless somebody changes collections or users meanwhile.
func (r *run) checkLinks(ctx context.Context, write func(context.Context, func(context.Context, store.Tx) error) error) error {
	err := r.eachPending(ctx, "checking collections", func(ctx context.Context, batch []collectionLine) error {
		links := linksOf(batch, func(link catalogue.Link) bool { return link.Kind != collection.Kind })
		var known linked
		err := write(ctx, func(ctx context.Context, tx store.Tx) (err error) {
			known, err = lookUp(ctx, tx, links)
			return err
		})
		if err != nil {
			return err
		}
		for _, one := range batch {
			if faults := known.faults(links[one.draft]); len(faults) > 0 {
				r.refuseLine(one, faults)
			}
		}
		return nil
	})
	if err == nil {
		r.settlePending()
	}
	return err
}

// linksOf returns the wanted references of each line that is not rejected.
func linksOf(batch []collectionLine, wanted func(catalogue.Link) bool) map[*draft][]catalogue.Link {
	links := map[*draft][]catalogue.Link{}
	for _, one := range batch {
		if one.rejected {
			continue
		}
		if said, _ := saidOf(one.record, false); said != nil {
			links[one.draft] = slices.DeleteFunc(said.Links(), func(link catalogue.Link) bool { return !wanted(link) })
		}
	}
	return links
}

func once(ids []catalogue.ID) []catalogue.ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// linked maps links to the items they lead to: highlights to their videos, others to their own ids.
type linked map[catalogue.Link]catalogue.ID

func lookUp(ctx context.Context, tx store.Tx, links map[*draft][]catalogue.Link) (linked, error) {
	ids := map[catalogue.Kind][]catalogue.ID{}
	for _, ofOne := range links {
		for _, link := range ofOne {
			ids[link.Kind] = append(ids[link.Kind], link.ID)
		}
	}
	known := linked{}
	for kind, ids := range ids {
		for some := range slices.Chunk(once(ids), DefaultBatchSize) {
			items, err := tx.Items(ctx, kind, some)
			if err != nil {
				return nil, err
			}
			for id, item := range items {
				known[catalogue.Link{Kind: kind, ID: id}] = id
				if highlight, ok := item.(*catalogue.Highlight); ok {
					known[catalogue.Link{Kind: kind, ID: id}] = highlight.VideoID
				}
			}
		}
	}
	return known, nil
}

// faults finds links of one line that lead nowhere, and highlights of another video than the preceding link.
func (l linked) faults(links []catalogue.Link) (faults fault.FieldErrors) {
	for i, link := range links {
		to, there := l[catalogue.Link{Kind: link.Kind, ID: link.ID}]
		switch {
		case !there:
			faults = append(faults, fault.FieldError{Field: link.Field, Problem: fmt.Sprintf("there is no %s %q", link.Kind, link.ID)})
		case link.Kind == catalogue.KindHighlight && to != links[i-1].ID:
			faults = append(faults, fault.FieldError{Field: link.Field, Problem: fmt.Sprintf("the highlight %q is one of the video %q", link.ID, to)})
		}
	}
	return faults
}

// settlePending rejects lines that refer to collections that are neither stored nor created by another line, and lines
// that would give a user too many collections, until no such line remains.
func (r *run) settlePending() {
	for more := true; more; {
		more = r.refuseWithoutParts()
		more = r.refuseBeyondLimit() || more
	}
}

func (r *run) refuseWithoutParts() (refused bool) {
	there := map[catalogue.ID]bool{}
	for _, d := range r.collections.drafts {
		if !d.rejected {
			there[d.record.ID] = true
		}
	}
	for _, d := range r.collections.drafts {
		var faults fault.FieldErrors
		for _, part := range d.parts {
			if !there[part.ID] {
				faults = append(faults, fault.FieldError{Field: part.Field, Problem: fmt.Sprintf("there is no collection %q", part.ID)})
			}
		}
		if !d.rejected && len(faults) > 0 {
			r.refuse(d, faults)
			refused = true
		}
	}
	return refused
}

func (r *run) refuseBeyondLimit() (refused bool) {
	has := map[string]int{}
	for _, d := range r.collections.drafts {
		if d.rejected || !d.creates || d.owner == "" {
			continue
		}
		if has[d.owner]++; r.collections.owned[d.owner]+has[d.owner] > collection.MaxOwned {
			r.refuse(d, fault.FieldErrors{{Field: "owner", Problem: fmt.Sprintf("a user may have %d collections, no more", collection.MaxOwned)}})
			has[d.owner]--
			refused = true
		}
	}
	return refused
}
