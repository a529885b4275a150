package importer

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// writer is how bringIn writes to the store.
type writer struct {
	// write runs a function in a transaction: a new one, or that of a strict run.
	write func(ctx context.Context, fn func(context.Context, store.Tx) error) error
	// afterBatch, if not nil, runs after each batch, outside its transaction.
	afterBatch func(ctx context.Context) error
}

// maxRounds limits how often lines that were put aside are tried again. References are at most four kinds deep
// (captions, video, channel, contract); the additional round serves exchanged names.
const maxRounds = 5

// maxBatchBytes limits the text of a batch, so that long transcripts do not exhaust memory.
const maxBatchBytes = 8 << 20

// bringIn writes all lines, then retries those that were put aside, until all are in or a round brings in none.
func (r *run) bringIn(ctx context.Context, source lines, w writer) error {
	for round, before := 0, -1; ; round++ {
		aside := &spool{}
		defer aside.close()
		if err := r.round(ctx, source, w, aside, ""); err != nil || aside.len() == 0 {
			return err
		}
		if round == maxRounds || aside.len() == before {
			return r.giveUp(ctx, aside, w)
		}
		r.Progress.Begin("trying again", aside.size())
		source, before = aside, aside.len()
	}
}

// giveUp writes lines for the last time and rejects those that the store refuses, kind by kind. So the items that a
// line may refer to are final when the line's turn comes.
func (r *run) giveUp(ctx context.Context, left *spool, w writer) error {
	for left.len() > 0 {
		r.Progress.Begin("trying again", left.size())
		aside := &spool{}
		defer aside.close()
		if err := r.round(ctx, left, w, aside, left.firstKind()); err != nil {
			return err
		}
		left = aside
	}
	return nil
}

// round writes all lines once, in batches. It puts aside lines that the store refuses, and rejects those of the final
// kind.
func (r *run) round(ctx context.Context, source lines, w writer, aside *spool, final catalogue.Kind) error {
	b := &batch{waiting: map[itemKey]bool{}, final: final, note: r.noteItems()}
	if r.DryRun {
		b.differs = r.reportDifferences
	}
	var bytes int
	flush := func(ctx context.Context) error {
		err := r.settle(ctx, b, w, aside)
		b.entries, bytes = b.entries[:0], 0
		return err
	}
	err := r.decode(ctx, source, func(ctx context.Context, entries []entry, read int64) error {
		for _, e := range entries {
			if aside, err := r.setAside(e); aside || err != nil {
				if err != nil {
					return err
				}
				continue
			}
			b.entries = append(b.entries, e)
			bytes += len(e.text)
			if len(b.entries) >= r.BatchSize || bytes >= maxBatchBytes {
				if err := flush(ctx); err != nil {
					return err
				}
			}
		}
		r.Progress.Advance(read, len(entries))
		return nil
	})
	if err != nil {
		return err
	}
	return flush(ctx)
}

// settle writes the entries of a batch in one transaction and counts the results.
func (r *run) settle(ctx context.Context, b *batch, w writer, aside *spool) error {
	if len(b.entries) == 0 {
		return nil
	}
	if err := w.write(ctx, b.put); err != nil {
		return err
	}
	for i, e := range b.entries {
		verdict := b.verdicts[i]
		switch {
		case verdict.status != store.Rejected:
			r.accept(e, verdict.status)
			r.noteReplacement(e)
			r.keep(e, verdict.kept)
		case verdict.unsound || e.record.Kind == b.final:
			r.reject(e, verdict.faults)
		default:
			b.waiting[keyOf(e)] = true
			if err := aside.add(e); err != nil {
				return err
			}
		}
	}
	if w.afterBatch == nil {
		return nil
	}
	return w.afterBatch(ctx)
}

// accept counts a line that was brought in.
func (r *run) accept(e entry, status store.Status) {
	kind := e.record.Kind
	r.counts.add(kind, status)
	if status == store.Changed && catalogue.Holds(kind) {
		r.stale = true
	}
	r.origins[origin{kind: kind, source: e.record.Source}] = true
	if r.Prune {
		r.mentioned[kind] = append(r.mentioned[kind], rawIDOf(e.record.ID))
	}
}
