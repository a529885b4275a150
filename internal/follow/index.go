package follow

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// followIndex brings the index to where subscribers are, again and again.
func (f *Follower) followIndex(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.news:
		}
		for ctx.Err() == nil && !f.bringing.run(ctx, f.bringIndex) {
		}
	}
}

// Rebuild builds the index anew from the store and brings it up to date; searches go on meanwhile. It
// may be called with or without Run.
func (f *Follower) Rebuild(ctx context.Context) error {
	f.indexing.Lock()
	defer f.indexing.Unlock()
	return f.rebuild(ctx)
}

func (f *Follower) bringIndex(ctx context.Context) error {
	f.indexing.Lock()
	defer f.indexing.Unlock()
	position, err := f.options.Index.Position(ctx)
	if err != nil {
		return err
	}
	believed, err := f.believe(ctx, position)
	switch {
	case err != nil:
		return err
	case believed:
		err = f.catchUp(ctx, position)
	default:
		err = f.rebuild(ctx)
	}
	if err == nil {
		f.ready.Store(true)
	}
	return err
}

// catchUp brings the index from its position to where subscribers are.
func (f *Follower) catchUp(ctx context.Context, position store.Position) error {
	f.indexed.Store(position)
	if position > f.told.Load() { // another process may have brought it there just now
		if err := f.advance(ctx); err != nil {
			return err
		}
	}
	anew, err := f.mustRebuild(ctx, position)
	if err != nil {
		return err
	}
	if !anew {
		err = f.replay(ctx, position)
	}
	if anew || errors.Is(err, store.ErrTrimmed) {
		return f.rebuild(ctx)
	}
	return err
}

// mustRebuild reports whether the index is ahead of the store, which cannot be its own then, or, at the start, is so far behind
// that reading the log takes longer than reading the videos.
func (f *Follower) mustRebuild(ctx context.Context, position store.Position) (bool, error) {
	head := f.told.Load()
	switch {
	case position > head:
		return true, nil
	case f.ready.Load() || position == head:
		return false, nil
	case position == 0:
		return true, nil
	}
	videos, err := f.options.Store.CountVideos(ctx)
	return float64(head-position) > f.options.RebuildShare*float64(videos), err
}

// rebuild reads the log's position first: what is written during the scan comes behind it, and is
// replayed when the scan is done.
func (f *Follower) rebuild(ctx context.Context) error {
	if err := f.advance(ctx); err != nil {
		return err
	}
	position := f.told.Load()
	f.options.Logger.InfoContext(ctx, "the index is built anew", "position", position)
	if err := f.options.Index.Rebuild(ctx, position, f.documents(ctx)); err != nil {
		return err
	}
	f.believed.Store(true)
	f.reached(position)
	if err := f.advance(ctx); err != nil {
		return err
	}
	return f.replay(ctx, position)
}

// documents maps every video of the store.
func (f *Follower) documents(ctx context.Context) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		var newest store.Position
		for chunk, err := range ahead(ctx, f.scan()) {
			if err != nil {
				yield(search.Document{}, err)
				return
			}
			newest = max(newest, chunk.newest)
			for _, document := range chunk.documents {
				if !yield(document, nil) {
					return
				}
			}
		}
		// The index goes over to the new documents when the sequence ends.
		if err := f.ensureTold(ctx, newest); err != nil {
			yield(search.Document{}, err)
		}
	}
}

// ensureTold makes sure that subscribers have been told of changes up to a position.
func (f *Follower) ensureTold(ctx context.Context, position store.Position) error {
	if position <= f.told.Load() {
		return nil
	}
	if err := f.advance(ctx); err != nil {
		return err
	}
	if told := f.told.Load(); position > told {
		return fmt.Errorf("version %d is stored, the log shows no more than %d yet", position, told)
	}
	return nil
}

// chunk is a piece of the catalogue on its way to the index.
type chunk struct {
	documents []search.Document
	deleted   []catalogue.ID
	// position is where the index stands with it; newest is the highest version among documents, which
	// may be above: a row can be newer than the entry that led to it.
	position, newest store.Position
}

// scan returns a function that reads the next videos of the store.
func (f *Follower) scan() func(context.Context) (chunk, bool, error) {
	var after int64
	return func(ctx context.Context) (chunk, bool, error) {
		videos, err := f.options.Store.Scan(ctx, after, f.options.Batch)
		if err != nil || len(videos) == 0 {
			return chunk{}, false, err
		}
		after = videos[len(videos)-1].Sequence
		documents, newest, err := f.mapped(ctx, videos, func(v *catalogue.Video) string {
			if v.Transcript == nil {
				return ""
			}
			return *v.Transcript
		})
		return chunk{documents: documents, newest: newest}, true, err
	}
}

// replay applies the log behind a position, as far as subscribers have been told of it.
func (f *Follower) replay(ctx context.Context, position store.Position) error {
	for next, err := range ahead(ctx, f.changesBehind(position)) {
		if err != nil {
			return err
		}
		if err := f.ensureTold(ctx, next.newest); err != nil {
			return err
		}
		batch := search.Batch{Put: next.documents, Delete: next.deleted, Position: next.position}
		if err := f.options.Index.Apply(ctx, batch); err != nil {
			return err
		}
		f.reached(next.position)
	}
	return nil
}

func (f *Follower) reached(position store.Position) {
	f.indexed.Store(position)
	signal(f.applied)
}

// changesBehind returns a function that reads the next entries of the log, with their videos.
func (f *Follower) changesBehind(position store.Position) func(context.Context) (chunk, bool, error) {
	return func(ctx context.Context) (chunk, bool, error) {
		told := f.told.Load()
		if position >= told {
			return chunk{}, false, nil
		}
		changes, err := f.options.Store.Changes(ctx, position, f.options.Batch)
		if err != nil {
			return chunk{}, false, err
		}
		for len(changes) > 0 && changes[len(changes)-1].Position > told {
			changes = changes[:len(changes)-1]
		}
		if len(changes) == 0 {
			return chunk{}, false, nil
		}
		position = changes[len(changes)-1].Position
		next, err := f.read(ctx, changes)
		return next, true, err
	}
}

// read fetches the videos that changed as they are now. Those that are not there have been deleted,
// whether their entry says so or a later one.
func (f *Follower) read(ctx context.Context, changes []store.Change) (chunk, error) {
	next := chunk{position: changes[len(changes)-1].Position}
	ids := changedVideos(changes)
	if len(ids) == 0 {
		return next, nil
	}
	videos, err := f.options.Store.Videos(ctx, ids)
	if err != nil {
		return chunk{}, err
	}
	transcripts, err := f.options.Store.Transcripts(ctx, withTranscript(videos))
	if err != nil {
		return chunk{}, err
	}
	next.deleted = without(ids, videos)
	next.documents, next.newest, err = f.mapped(ctx, videos, func(v *catalogue.Video) string { return transcripts[v.ID] })
	return next, err
}

// mapped makes documents of videos with a directory that is not older than any of them.
func (f *Follower) mapped(
	ctx context.Context, videos []*catalogue.Video, transcript func(*catalogue.Video) string,
) (documents []search.Document, newest store.Position, err error) {
	for _, v := range videos {
		newest = max(newest, v.Version)
	}
	directory, err := f.options.Store.Directory(ctx, newest)
	if err != nil {
		return nil, 0, err
	}
	documents = make([]search.Document, len(videos))
	for i, v := range videos {
		documents[i] = Document(v, transcript(v), directory)
	}
	return documents, newest, nil
}

// changedVideos lists each video once.
func changedVideos(changes []store.Change) []catalogue.ID {
	ids := make([]catalogue.ID, 0, len(changes))
	listed := make(map[catalogue.ID]bool, len(changes))
	for _, change := range changes {
		if change.Kind == catalogue.KindVideo && !listed[change.ID] {
			listed[change.ID] = true
			ids = append(ids, change.ID)
		}
	}
	return ids
}

func withTranscript(videos []*catalogue.Video) []catalogue.ID {
	var ids []catalogue.ID
	for _, v := range videos {
		if v.HasTranscript {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// without lists the IDs that have no video; the videos are in the order of the IDs.
func without(ids []catalogue.ID, videos []*catalogue.Video) []catalogue.ID {
	var gone []catalogue.ID
	for _, id := range ids {
		if len(videos) > 0 && videos[0].ID == id {
			videos = videos[1:]
		} else {
			gone = append(gone, id)
		}
	}
	return gone
}
