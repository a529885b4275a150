package projection

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// videos is the subject of a catalogue and its index.
type videos struct {
	store store.Catalogue
	index search.Writer
	model string // of the vectors in the documents; "": they have none
}

func (v *videos) head(ctx context.Context) (store.Position, error) { return v.store.Head(ctx) }

func (v *videos) changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	return v.store.Changes(ctx, after, limit)
}

func (v *videos) trim(ctx context.Context, keep int) error { return v.store.Trim(ctx, keep) }

// fansOut reports whether videos show any of the changed records.
func (v *videos) fansOut(changes []store.Change) bool {
	return slices.ContainsFunc(changes, func(c store.Change) bool { return catalogue.Holds(c.Kind) })
}

func (v *videos) fanOut(ctx context.Context, limit int) (bool, error) {
	return v.store.FanOut(ctx, limit)
}

func (v *videos) size(ctx context.Context) (int, error) { return v.store.CountVideos(ctx) }

func (v *videos) position(ctx context.Context) (store.Position, error) { return v.index.Position(ctx) }

func (v *videos) rebuild(
	ctx context.Context, position store.Position, size int, announce func(context.Context, store.Position) error,
) error {
	return v.index.Rebuild(ctx, position, documents(ctx, v.scan(size), announce))
}

// scan returns a function that reads the next videos of the store.
func (v *videos) scan(size int) func(context.Context) (piece[search.Document], bool, error) {
	var after int64
	return func(ctx context.Context) (piece[search.Document], bool, error) {
		found, err := v.store.Scan(ctx, after, size)
		if err != nil || len(found) == 0 {
			return piece[search.Document]{}, false, err
		}
		after = found[len(found)-1].Sequence
		next, err := v.mapped(ctx, found, func(video *catalogue.Video) string {
			if video.Transcript == nil {
				return ""
			}
			return *video.Transcript
		})
		return next, true, err
	}
}

// fullChunk is the number of bytes of text from which on a chunk takes no further piece.
const fullChunk = 16 << 20

// read fetches each changed video once. The log was read before, so that each video is as new as its last change. Videos that
// the store does not have were deleted by this entry or a later one.
func (v *videos) read(ctx context.Context, changes []store.Change, size int) (chunk, error) {
	var batch search.Batch
	next := chunk{apply: func(ctx context.Context, position store.Position) error {
		batch.Position = position
		return v.index.Apply(ctx, batch)
	}}
	listed := make(map[catalogue.ID]bool, len(changes))
	texts := 0
	for some := range slices.Chunk(changes, size) {
		read, gone, err := v.fetch(ctx, v.changedVideos(some, listed))
		if err != nil {
			return chunk{}, err
		}
		batch.Put, batch.Delete = append(batch.Put, read.documents...), append(batch.Delete, gone...)
		next.position, next.newest = some[len(some)-1].Position, max(next.newest, read.newest)
		for i := range read.documents {
			texts += len(read.documents[i].Description) + len(read.documents[i].Transcript)
		}
		if texts >= fullChunk {
			break
		}
	}
	return next, nil
}

// fetch reads videos, and returns the IDs of those that do not exist.
func (v *videos) fetch(ctx context.Context, ids []catalogue.ID) (read piece[search.Document], gone []catalogue.ID, err error) {
	if len(ids) == 0 {
		return read, nil, nil
	}
	found, err := v.store.Videos(ctx, ids)
	if err != nil {
		return read, nil, err
	}
	transcripts, err := v.store.Transcripts(ctx, withTranscript(found))
	if err != nil {
		return read, nil, err
	}
	read, err = v.mapped(ctx, found, func(video *catalogue.Video) string { return transcripts[video.ID] })
	return read, without(ids, found, func(video *catalogue.Video) catalogue.ID { return video.ID }), err
}

// mapped makes documents of videos with a directory that is not older than any of them.
func (v *videos) mapped(
	ctx context.Context, found []*catalogue.Video, transcript func(*catalogue.Video) string,
) (piece[search.Document], error) {
	var made piece[search.Document]
	for _, video := range found {
		made.newest = max(made.newest, video.Version)
	}
	directory, err := v.store.Directory(ctx, made.newest)
	if err != nil {
		return made, err
	}
	texts, err := spokenTexts(ctx, v.store, found, transcript)
	if err != nil {
		return made, err
	}
	embeddings, err := v.embeddings(ctx, found)
	if err != nil {
		return made, err
	}
	made.documents = make([]search.Document, len(found))
	for i, video := range found {
		made.documents[i] = Document(video, texts[video.ID], embeddings[video.ID], directory)
	}
	return made, nil
}

// changedVideos lists the videos of the changes, each once and without those listed already. An embedding has the ID of its
// video.
func (v *videos) changedVideos(changes []store.Change, listed map[catalogue.ID]bool) []catalogue.ID {
	ids := changed(changes, catalogue.KindVideo, listed)
	if v.model != "" {
		ids = append(ids, changed(changes, catalogue.KindEmbedding, listed)...)
	}
	return ids
}

// embeddings reads the embeddings of videos that the model made.
func (v *videos) embeddings(ctx context.Context, of []*catalogue.Video) (map[catalogue.ID]*catalogue.Embedding, error) {
	if v.model == "" {
		return nil, nil
	}
	ids := make([]catalogue.ID, len(of))
	for i, video := range of {
		ids[i] = video.ID
	}
	stored, err := v.store.OwnedItems(ctx, catalogue.KindEmbedding, ids)
	found := make(map[catalogue.ID]*catalogue.Embedding, len(stored))
	for _, item := range stored {
		if embedding := item.(*catalogue.Embedding); embedding.Model == v.model {
			found[embedding.ID] = embedding
		}
	}
	return found, err
}

func withTranscript(found []*catalogue.Video) []catalogue.ID {
	var ids []catalogue.ID
	for _, video := range found {
		if video.HasTranscript {
			ids = append(ids, video.ID)
		}
	}
	return ids
}
