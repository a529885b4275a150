package places

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// area is where a place is. State is "" in countries without known states.
type area struct{ country, state string }

// entry holds the fields of a place that searches use.
type entry struct {
	id      catalogue.ID
	version int64
	name    string
	area    area
}

// nameIndex holds all places of a kind.
type nameIndex[T catalogue.OwnedItem] struct {
	kind  catalogue.Kind
	entry func(T) entry

	// Only refresh uses these fields. dirty reports whether the blocks lack changes.
	all    map[catalogue.ID]T
	newest store.Position
	dirty  bool

	blocks atomic.Pointer[map[area]*block[T]]
	loaded chan struct{} // closed once there are blocks
	once   sync.Once
}

func newNameIndex[T catalogue.OwnedItem](kind catalogue.Kind, entry func(T) entry) *nameIndex[T] {
	return &nameIndex[T]{kind: kind, entry: entry, all: map[catalogue.ID]T{}, loaded: make(chan struct{})}
}

// maxRead is the number of items per read.
const maxRead = 10_000

// refresh reads the changes since the last refresh, or everything if something was deleted.
func (s *nameIndex[T]) refresh(ctx context.Context, source Source) error {
	if err := s.readSince(ctx, source); err != nil {
		return err
	}
	count, _, err := source.CountOwnedItems(ctx, s.kind)
	if err != nil {
		return err
	}
	if count < len(s.all) {
		clear(s.all)
		s.newest, s.dirty = 0, true
		if err := s.readSince(ctx, source); err != nil {
			return err
		}
	}
	if s.dirty || s.blocks.Load() == nil {
		blocks := s.sorted()
		s.blocks.Store(&blocks)
		s.dirty = false
		s.once.Do(func() { close(s.loaded) })
	}
	return nil
}

func (s *nameIndex[T]) readSince(ctx context.Context, source Source) error {
	for {
		records, err := source.OwnedItemsSince(ctx, s.kind, s.newest, maxRead)
		if err != nil {
			return err
		}
		for _, record := range records {
			place, ok := record.(T)
			if !ok {
				continue
			}
			entry := s.entry(place)
			s.all[entry.id], s.newest, s.dirty = place, entry.version, true
		}
		if len(records) < maxRead {
			return nil
		}
	}
}

// sorted returns the places of each area, sorted by name, in a block.
func (s *nameIndex[T]) sorted() map[area]*block[T] {
	type named struct {
		folded string
		id     catalogue.ID
		place  T
	}
	areas := map[area][]named{}
	for id, place := range s.all {
		entry := s.entry(place)
		areas[entry.area] = append(areas[entry.area], named{catalogue.FoldName(entry.name), id, place})
	}
	blocks := make(map[area]*block[T], len(areas))
	for where, places := range areas {
		slices.SortFunc(places, func(a, b named) int {
			return cmp.Or(cmp.Compare(a.folded, b.folded), cmp.Compare(a.id, b.id))
		})
		block := newBlock[T](len(places))
		for _, p := range places {
			block.add(p.folded, p.place)
		}
		blocks[where] = block
	}
	return blocks
}

func (s *nameIndex[T]) search(ctx context.Context, where area, text string) ([]T, error) {
	select {
	case <-s.loaded:
	default:
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
	typed := catalogue.FoldName(text)
	blocks := *s.blocks.Load()
	if where.state != "" {
		if block := blocks[where]; block != nil {
			return block.search(typed), nil
		}
		return nil, nil
	}
	var found []T
	for of, block := range blocks {
		if of.country == where.country {
			found = append(found, block.search(typed)...)
		}
	}
	return s.best(found, typed), nil
}

// best sorts the results of several blocks as one block would, and truncates them to MaxFound.
func (s *nameIndex[T]) best(found []T, typed string) []T {
	type ranked struct {
		rank   int
		folded string
		id     catalogue.ID
		place  T
	}
	list := make([]ranked, len(found))
	for i, place := range found {
		entry := s.entry(place)
		folded := catalogue.FoldName(entry.name)
		list[i] = ranked{rankOf([]byte(folded), []byte(typed), []byte(" "+typed)), folded, entry.id, place}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.folded, b.folded), cmp.Compare(a.id, b.id))
	})
	list = list[:min(len(list), MaxFound)]
	found = found[:0]
	for _, one := range list {
		found = append(found, one.place)
	}
	return found
}

func (s *nameIndex[T]) wait(ctx context.Context) error {
	select {
	case <-s.loaded:
		return nil
	case <-ctx.Done():
		return &fault.Error{Code: fault.Unavailable, Message: "schools and districts are not there yet", Cause: ctx.Err()}
	}
}
