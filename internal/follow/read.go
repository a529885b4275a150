package follow

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

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

// changesBehind returns a function that reads the next entries of the log, with their videos.
func (f *Follower) changesBehind(position store.Position, upTo func() store.Position) func(context.Context) (chunk, bool, error) {
	return func(ctx context.Context) (chunk, bool, error) {
		last := upTo()
		if position >= last {
			return chunk{}, false, nil
		}
		changes, err := f.options.Store.Changes(ctx, position, f.options.Batch)
		if err != nil {
			return chunk{}, false, err
		}
		for len(changes) > 0 && changes[len(changes)-1].Position > last {
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
