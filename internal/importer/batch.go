package importer

import (
	"context"
	"reflect"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/store"
)

// batch writes some entries in one transaction.
type batch struct {
	entries []entry
	// final is the kind whose refused lines are rejected instead of tried again; "" is none.
	final catalogue.Kind
	// waiting holds the items of which a line was put aside. Later lines about them must wait too, or the earlier line
	// would overwrite them.
	waiting map[itemKey]bool
	// note, if not nil, records changes in the audit log.
	note func(ctx context.Context, tx store.Tx, changes []itemChange) error
	// differs receives each item that a dry run would change; it may be nil.
	differs func(e entry, before, after catalogue.Item) error
	// verdicts holds the result of each entry, once put has returned nil.
	verdicts []verdict
}

// verdict is the result of one line.
type verdict struct {
	status store.Status
	// faults is empty if a line only waits for an earlier one.
	faults fault.FieldErrors
	// unsound means that the line itself is at fault, regardless of the store's content.
	unsound bool
	// kept are the values of the line that held fields did not take.
	kept []importline.Kept
}

// itemKey identifies an item; explicit ids may repeat across kinds.
type itemKey struct {
	kind catalogue.Kind
	id   catalogue.ID
}

func keyOf(e entry) itemKey { return itemKey{kind: e.record.Kind, id: e.record.ID} }

// batchItem is one item while a batch changes it.
type batchItem struct {
	// item is the stored item, within this transaction; nil if none is stored.
	item catalogue.Item
	// ours reports whether a line of this batch has changed item.
	ours bool
	// lines are the indexes of the entries that have not been applied yet.
	lines []int
}

// put writes the entries. It changes only verdicts, so it can run again if its transaction failed.
//
// It works in waves, each with at most one line about every item, so that a refused line does not take others with it.
// Lines that change nothing need no wave.
func (b *batch) put(ctx context.Context, tx store.Tx) error {
	b.verdicts = make([]verdict, len(b.entries))
	items, err := b.load(ctx, tx)
	if err != nil {
		return err
	}
	for len(items) > 0 {
		wave := b.wave(items)
		if err := b.putWave(ctx, tx, wave); err != nil {
			return err
		}
		items = slices.DeleteFunc(items, func(t *batchItem) bool { return len(t.lines) == 0 })
	}
	return nil
}

// load reads the items that the sound entries mention, in an order in which they can refer to one another.
func (b *batch) load(ctx context.Context, tx store.Tx) (ordered []*batchItem, err error) {
	items := make(map[itemKey]*batchItem, len(b.entries))
	ids := map[catalogue.Kind][]catalogue.ID{}
	for place, e := range b.entries {
		switch key := keyOf(e); {
		case len(e.record.Faults) > 0:
			b.verdicts[place] = verdict{status: store.Rejected, faults: e.record.Faults, unsound: true}
		case b.waiting[key]:
			b.verdicts[place] = verdict{status: store.Rejected}
		case items[key] != nil:
			items[key].lines = append(items[key].lines, place)
		default:
			items[key] = &batchItem{lines: []int{place}}
			ordered = append(ordered, items[key])
			ids[key.kind] = append(ids[key.kind], key.id)
		}
	}
	for kind, ids := range ids {
		stored, err := tx.Items(ctx, kind, ids)
		if err != nil {
			return nil, err
		}
		for id, item := range stored {
			items[itemKey{kind: kind, id: id}].item = item
		}
	}
	slices.SortStableFunc(ordered, func(x, y *batchItem) int {
		return rank[b.entries[x.lines[0]].record.Kind] - rank[b.entries[y.lines[0]].record.Kind]
	})
	return ordered, nil
}

// change is a line that must be written, with the resulting item.
type change struct {
	*batchItem
	place int
	next  catalogue.Item
	kept  []importline.Kept
}

// wave takes lines of each item until one changes it.
func (b *batch) wave(items []*batchItem) (wave []change) {
	for _, t := range items {
		for len(t.lines) > 0 {
			place := t.lines[0]
			t.lines = t.lines[1:]
			next, kept, faults := b.entries[place].record.Import(t.item)
			if len(faults) > 0 {
				b.refuse(t, place, faults)
				continue
			}
			if t.ours && reflect.DeepEqual(next, t.item) {
				b.verdicts[place] = verdict{status: store.Unchanged, kept: kept}
				continue
			}
			wave = append(wave, change{batchItem: t, place: place, next: next, kept: kept})
			break
		}
	}
	return wave
}

func (b *batch) putWave(ctx context.Context, tx store.Tx, wave []change) error {
	wave, err := b.refuseCircles(ctx, tx, wave)
	if err != nil || len(wave) == 0 {
		return err
	}
	items := make([]catalogue.Item, len(wave))
	for i, change := range wave {
		items[i] = change.next
	}
	outcomes, err := tx.Put(ctx, items)
	if err != nil {
		return err
	}
	var changed []itemChange
	for i, change := range wave {
		if outcomes[i].Status == store.Rejected {
			b.refuse(change.batchItem, change.place, outcomes[i].Faults)
			continue
		}
		if outcomes[i].Status == store.Changed {
			changed = append(changed, itemChange{change.item, change.next})
		}
		if outcomes[i].Status == store.Changed && b.differs != nil {
			if err := b.differs(b.entries[change.place], change.item, change.next); err != nil {
				return err
			}
		}
		change.item, change.ours = change.next, true
		b.verdicts[change.place] = verdict{status: outcomes[i].Status, kept: change.kept}
	}
	if b.note == nil {
		return nil
	}
	return b.note(ctx, tx, changed)
}

// refuse records that a line is refused for now. Unless the rejection is final, later lines about the same item wait with
// it.
func (b *batch) refuse(t *batchItem, place int, faults fault.FieldErrors) {
	b.verdicts[place] = verdict{status: store.Rejected, faults: faults}
	if b.entries[place].record.Kind == b.final {
		return
	}
	for _, behind := range t.lines {
		b.verdicts[behind] = verdict{status: store.Rejected}
	}
	t.lines = nil
}

// rank is the position of each kind in the order of references and mentions.
var rank = func() map[catalogue.Kind]int {
	ranks := map[catalogue.Kind]int{}
	for i, kind := range catalogue.Kinds() {
		ranks[kind] = i
	}
	ranks[catalogue.KindSearchRule] = len(ranks) // a rule mentions videos, and no other kind mentions rules
	return ranks
}()
