package importer

import (
	"context"
	"reflect"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// batch writes some entries in one transaction.
type batch struct {
	entries []entry
	// final is the kind of which what is refused now is rejected, and not tried again; "": there is none.
	final catalogue.Kind
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
	faults fault.FieldErrors
	// unsound: the line is at fault by itself, whatever the store holds.
	unsound bool
}

// thingKey identifies a thing; explicit ids may repeat across kinds.
type thingKey struct {
	kind catalogue.Kind
	id   catalogue.ID
}

func keyOf(e entry) thingKey { return thingKey{kind: e.record.Kind, id: e.record.ID} }

// thing is what a batch makes of one thing.
type thing struct {
	// item is what is stored, in this transaction; nil: nothing is.
	item catalogue.Item
	// ours: a line of this batch went into item.
	ours bool
	// lines are the places of the entries about the thing that are still to be laid over item.
	lines []int
}

// put writes the entries. It changes nothing but verdicts, so that it can run again where its
// transaction failed.
//
// It goes in waves, each of at most one line of every thing, so that a line that is refused takes no
// other with it. Lines that only repeat what is known take no wave.
func (b *batch) put(ctx context.Context, tx store.Tx) error {
	b.verdicts = make([]verdict, len(b.entries))
	things, err := b.load(ctx, tx)
	if err != nil {
		return err
	}
	for len(things) > 0 {
		wave := b.wave(things)
		if err := b.putWave(ctx, tx, wave); err != nil {
			return err
		}
		things = slices.DeleteFunc(things, func(t *thing) bool { return len(t.lines) == 0 })
	}
	return nil
}

// load gathers the things that the sound entries speak of, in an order in which they can refer to
// one another, with what is stored of them.
func (b *batch) load(ctx context.Context, tx store.Tx) (ordered []*thing, err error) {
	things := make(map[thingKey]*thing, len(b.entries))
	ids := map[catalogue.Kind][]catalogue.ID{}
	for place, e := range b.entries {
		switch key := keyOf(e); {
		case len(e.record.Faults) > 0:
			b.verdicts[place] = verdict{status: store.Rejected, faults: e.record.Faults, unsound: true}
		case b.waiting[key]:
			b.verdicts[place] = verdict{status: store.Rejected}
		case things[key] != nil:
			things[key].lines = append(things[key].lines, place)
		default:
			things[key] = &thing{lines: []int{place}}
			ordered = append(ordered, things[key])
			ids[key.kind] = append(ids[key.kind], key.id)
		}
	}
	for kind, ids := range ids {
		stored, err := tx.Items(ctx, kind, ids)
		if err != nil {
			return nil, err
		}
		for id, item := range stored {
			things[thingKey{kind: kind, id: id}].item = item
		}
	}
	slices.SortStableFunc(ordered, func(x, y *thing) int {
		return rank[b.entries[x.lines[0]].record.Kind] - rank[b.entries[y.lines[0]].record.Kind]
	})
	return ordered, nil
}

// change is a line that is to be written, as the item that it makes.
type change struct {
	*thing
	place int
	next  catalogue.Item
}

// wave takes lines off each thing until one makes a change.
func (b *batch) wave(things []*thing) (wave []change) {
	for _, t := range things {
		for len(t.lines) > 0 {
			place := t.lines[0]
			t.lines = t.lines[1:]
			next, faults := b.entries[place].record.Apply(t.item)
			if len(faults) > 0 {
				b.refuse(t, place, faults)
				continue
			}
			if t.ours && reflect.DeepEqual(next, t.item) {
				b.verdicts[place] = verdict{status: store.Unchanged}
				continue
			}
			wave = append(wave, change{thing: t, place: place, next: next})
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
	for i, change := range wave {
		if outcomes[i].Status == store.Rejected {
			b.refuse(change.thing, change.place, outcomes[i].Faults)
			continue
		}
		change.item, change.ours = change.next, true
		b.verdicts[change.place] = verdict{status: outcomes[i].Status}
	}
	return nil
}

// refuse notes that a line does not go in now. Unless that is final, the lines behind it about the same
// thing wait with it.
func (b *batch) refuse(t *thing, place int, faults fault.FieldErrors) {
	b.verdicts[place] = verdict{status: store.Rejected, faults: faults}
	if b.entries[place].record.Kind == b.final {
		return
	}
	for _, behind := range t.lines {
		b.verdicts[behind] = verdict{status: store.Rejected}
	}
	t.lines = nil
}

// rank is the place of each kind in the order of references and mentions.
var rank = func() map[catalogue.Kind]int {
	ranks := map[catalogue.Kind]int{}
	for i, kind := range catalogue.Kinds() {
		ranks[kind] = i
	}
	ranks[catalogue.KindSearchRule] = len(ranks) // a rule mentions videos, and nothing mentions a rule
	return ranks
}()
