package searchtest

import (
	"context"
	"fmt"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// written is the random content of an index.
type written[D any] struct {
	// rebuilt is the initial content. The batches follow.
	rebuilt []D
	batches []search.BatchOf[D]
}

// drawWritten draws documents by their number and version. Versions increase with every write, as in the log, except for
// stale writes, which Apply must ignore.
func drawWritten[D any](d drawer, document func(n int, version int64) D, id func(n int) catalogue.ID) (w written[D]) {
	for n := range rapid.IntRange(4, 25).Draw(d.t, "documents") {
		w.rebuilt = append(w.rebuilt, document(n, int64(n+10)))
	}
	for b := range d.upTo("batches", 3) {
		batch := search.BatchOf[D]{Position: int64(100 * (b + 1))}
		touched := map[int]bool{}
		for range d.upTo("writes", 6) {
			n := d.upTo("document", 30)
			if touched[n] {
				continue
			}
			touched[n] = true
			switch d.upTo("write", 3) {
			case 0:
				batch.Delete = append(batch.Delete, id(n))
			case 1:
				batch.Put = append(batch.Put, document(n, 1)) // stale or new
			default:
				batch.Put = append(batch.Put, document(n, batch.Position+int64(n)))
			}
		}
		w.batches = append(w.batches, batch)
	}
	return w
}

// run writes to an engine and a model, compares their states and calls ask after the rebuild and after each batch, and
// returns the first difference.
func (w written[D]) run(ctx context.Context, engine, model search.WriterOf[D], ask func() error) error {
	step := func(name string, write func(search.WriterOf[D]) error) error {
		for _, do := range []func() error{
			func() error { return write(engine) },
			func() error { return write(model) },
			func() error { return sameState(ctx, engine, model) },
			ask,
		} {
			if err := do(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
	err := step("rebuild", func(index search.WriterOf[D]) error { return index.Rebuild(ctx, 1, sequence(w.rebuilt)) })
	for i, batch := range w.batches {
		if err == nil {
			err = step(fmt.Sprint("batch ", i), func(index search.WriterOf[D]) error { return index.Apply(ctx, batch) })
		}
	}
	return err
}

func sameState[D any](ctx context.Context, engine, model search.WriterOf[D]) error {
	got, err := engine.Count(ctx)
	want, _ := model.Count(ctx)
	if err != nil || got != want {
		return fmt.Errorf("count %d (%w), want %d", got, err, want)
	}
	position, err := engine.Position(ctx)
	at, _ := model.Position(ctx)
	if err != nil || position != at {
		return fmt.Errorf("position %d (%w), want %d", position, err, at)
	}
	return nil
}
