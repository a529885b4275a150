package importer

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// batch writes some entries in one transaction.
type batch struct {
	entries []entry
	// last: what is refused now is rejected, nothing is tried again.
	last bool
	// waiting holds the things of which a line was put aside: later lines about them must wait too,
	// or the earlier one would be laid over them.
	waiting map[thingKey]bool
	// verdicts says what became of each entry, once put has returned nil.
	verdicts []verdict
}

// verdict is what became of one line.
type verdict struct {
	status store.Status
	// faults is empty where a rejected line only waits for an earlier one.
	faults catalogue.FieldErrors
	// unsound: the line is at fault by itself, whatever the store holds.
	unsound bool
	// source is the source of the thing as it is stored now.
	source string
}

// thingKey identifies a thing; explicit ids may repeat across kinds.
type thingKey struct {
	kind catalogue.Kind
	id   catalogue.ID
}

func keyOf(e entry) thingKey { return thingKey{kind: e.record.Kind, id: e.record.ID} }

// thing is what a batch makes of one thing.
type thing struct {
	stored, item catalogue.Item
	// lines are the places of the entries that item is made of.
	lines []int
}

// put writes the entries. It changes nothing but verdicts, so that it can run again where its
// transaction failed.
func (b *batch) put(ctx context.Context, tx store.Tx) error {
	b.verdicts = make([]verdict, len(b.entries))
	things, err := b.load(ctx, tx)
	if err != nil {
		return err
	}
	ordered := b.merge(things)
	items := make([]catalogue.Item, len(ordered))
	for i, t := range ordered {
		items[i] = t.item
	}
	if len(items) == 0 {
		return nil
	}
	outcomes, err := tx.Put(ctx, items)
	if err != nil {
		return err
	}
	for i, t := range ordered {
		if outcomes[i].Status == store.Rejected && len(t.lines) > 1 {
			if err := b.putOneByOne(ctx, tx, t); err != nil {
				return err
			}
			continue
		}
		for n, place := range t.lines {
			b.verdicts[place] = verdictOf(outcomes[i], t.item)
			if n > 0 && outcomes[i].Status != store.Rejected {
				b.verdicts[place].status = store.Unchanged
			}
		}
	}
	return nil
}

func verdictOf(outcome store.Outcome, item catalogue.Item) verdict {
	return verdict{status: outcome.Status, faults: outcome.Faults, source: item.Head().Source}
}

// load reads what is stored of the things that the entries speak of.
func (b *batch) load(ctx context.Context, tx store.Tx) (map[thingKey]*thing, error) {
	things := make(map[thingKey]*thing, len(b.entries))
	ids := map[catalogue.Kind][]catalogue.ID{}
	for _, e := range b.entries {
		if key := keyOf(e); len(e.record.Faults) == 0 && things[key] == nil {
			things[key] = &thing{}
			ids[key.kind] = append(ids[key.kind], key.id)
		}
	}
	for kind, ids := range ids {
		stored, err := tx.Items(ctx, kind, ids)
		if err != nil {
			return nil, err
		}
		for id, item := range stored {
			t := things[thingKey{kind: kind, id: id}]
			t.stored, t.item = item, item
		}
	}
	return things, nil
}

// merge lays each entry over its thing and returns the things that any entry went into, in an order
// in which they can refer to one another.
func (b *batch) merge(things map[thingKey]*thing) (ordered []*thing) {
	waiting := map[thingKey]bool{}
	for i, e := range b.entries {
		if len(e.record.Faults) > 0 {
			b.verdicts[i] = verdict{status: store.Rejected, faults: e.record.Faults, unsound: true}
			continue
		}
		key := keyOf(e)
		if b.waiting[key] || waiting[key] {
			b.verdicts[i] = verdict{status: store.Rejected}
			continue
		}
		t := things[key]
		item, faults := e.record.Apply(t.item)
		if len(faults) > 0 {
			b.verdicts[i] = verdict{status: store.Rejected, faults: faults}
			waiting[key] = !b.last
			continue
		}
		if len(t.lines) == 0 {
			ordered = append(ordered, t)
		}
		t.item, t.lines = item, append(t.lines, i)
	}
	slices.SortStableFunc(ordered, func(a, b *thing) int {
		return rank[a.item.Kind()] - rank[b.item.Kind()]
	})
	return ordered
}

// rank is the place of each kind in the order of references.
var rank = func() map[catalogue.Kind]int {
	ranks := map[catalogue.Kind]int{}
	for i, kind := range catalogue.Kinds() {
		ranks[kind] = i
	}
	return ranks
}()

// putOneByOne writes the lines of a thing one after the other, where the store refuses them taken
// together, so that the sound ones go in.
func (b *batch) putOneByOne(ctx context.Context, tx store.Tx, t *thing) error {
	t.item = t.stored
	for n, place := range t.lines {
		item, faults := b.entries[place].record.Apply(t.item)
		if len(faults) > 0 {
			b.verdicts[place] = verdict{status: store.Rejected, faults: faults}
		} else {
			outcomes, err := tx.Put(ctx, []catalogue.Item{item})
			if err != nil {
				return err
			}
			b.verdicts[place] = verdictOf(outcomes[0], item)
		}
		if b.verdicts[place].status != store.Rejected {
			t.item = item
			continue
		}
		if !b.last {
			for _, behind := range t.lines[n+1:] {
				b.verdicts[behind] = verdict{status: store.Rejected}
			}
			return nil
		}
	}
	return nil
}
