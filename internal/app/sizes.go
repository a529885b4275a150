package app

import (
	"context"
	"runtime/metrics"
	"sync"

	"github.com/filmstrip/filmstrip/resolvers/system"
	"github.com/filmstrip/filmstrip/store"
)

// holder is an index or a cache that knows its size in bytes, -1 if it is unknown, and the number of its entries.
type holder interface {
	Size(ctx context.Context) (bytes, entries int64, err error)
}

// measurement is one of the sizes that operators see.
type measurement struct {
	system.Size
	measure func(ctx context.Context, into *system.Size) error
}

// sizes measures everything at the same time. Concurrent calls share one round.
func (s *App) sizes(ctx context.Context) []system.Size {
	sizes, _, _ := s.sizing.Do("", func() (any, error) { return s.takeSizes(context.WithoutCancel(ctx)), nil })
	return sizes.([]system.Size)
}

// takeSizes leaves out the bytes and tables of an engine that fails or does not answer in time.
func (s *App) takeSizes(ctx context.Context) []system.Size {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	list := s.measurements()
	sizes := make([]system.Size, len(list))
	var asking sync.WaitGroup
	for i, one := range list {
		asking.Go(func() {
			measured := one.Size
			if err := one.measure(ctx, &measured); err != nil {
				s.logger.DebugContext(ctx, "a size is unknown", "name", one.Name, "error", err)
				measured = one.Size
			}
			sizes[i] = measured
		})
	}
	asking.Wait()
	return sizes
}

func (s *App) measurements() (list []measurement) {
	stored := func(name string, port any) {
		if engine, ok := port.(store.Sizer); ok {
			list = append(list, measurement{system.Size{Name: name, Engine: s.stores.engine}, func(ctx context.Context, into *system.Size) (err error) {
				size, err := engine.Size(ctx)
				into.Bytes, into.Tables = &size.Bytes, size.Tables
				return err
			}})
		}
	}
	held := func(name, engine string, inMemory bool, entries string, h holder) {
		list = append(list, measurement{system.Size{Name: name, Engine: engine, InMemory: inMemory}, func(ctx context.Context, into *system.Size) error {
			bytes, n, err := h.Size(ctx)
			if bytes >= 0 {
				into.Bytes = &bytes
			}
			into.Tables = []store.TableSize{{Name: entries, Rows: &n}}
			return err
		}})
	}
	for _, part := range []struct {
		name string
		port any
	}{
		{"store", s.stores.Catalogue}, {"accounts", s.stores.sizers.accounts}, {"events", s.stores.Events}, {"usage", s.stores.Usage},
		{"collections", s.stores.sizers.collections}, {"searchLog", s.stores.Queries}, {"jobs", s.stores.Jobs},
	} {
		stored(part.name, part.port)
	}
	if s.stores.database != nil {
		stored("database", s.stores.database)
	}
	d := s.indexes
	if index, ok := d.index.(holder); ok {
		held("search", d.engine, d.shared != nil, "documents", index)
	}
	list = append(list, measurement{system.Size{Name: "collectionSearch", Engine: d.collections.engine, InMemory: true}, func(ctx context.Context, into *system.Size) error {
		n, err := d.collections.count(ctx)
		into.Tables = []store.TableSize{{Name: "documents", Rows: new(int64(n))}}
		return err
	}})
	if d.far != nil {
		held("cache", engineRedis, true, "keys", d.far)
	}
	held("answers", engineMemory, true, "entries", d.answers)
	held("documents", engineMemory, true, "entries", s.documents)
	held("pages", engineMemory, true, "entries", s.pages)
	return append(list, measurement{system.Size{Name: "process", InMemory: true}, func(_ context.Context, into *system.Size) error {
		into.Bytes = new(processMemory())
		return nil
	}})
}

// processMemory returns the memory that this process has from the operating system, in bytes.
func processMemory() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}
