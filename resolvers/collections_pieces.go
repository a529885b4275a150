package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// captionsAtOnce is of how many videos captions, which are long, are held at once.
const captionsAtOnce = 200

// piecesNamed are the spans of those highlights and passages that the keys of assets name and that there are, each
// of its own video. spoken are the videos that the caller may see, and what is spoken in them; of no others' pieces
// it is told whether there are any.
func (r *resolver) piecesNamed(ctx context.Context, keys []collection.Key, spoken map[catalogue.ID]catalogue.Language) (map[collection.Key]collection.Segment, error) {
	var highlights, captioned []catalogue.ID
	for _, key := range keys {
		if _, visible := spoken[key.Video]; !visible {
			continue
		}
		if key.Highlight.Valid() {
			highlights = append(highlights, key.Highlight)
		} else if video, _, _, ok := catalogue.ParsePassageID(key.Highlight); ok && video == key.Video {
			captioned = append(captioned, video)
		}
	}
	pieces := make(map[collection.Key]collection.Segment, len(highlights)+len(captioned))
	if len(highlights) > 0 {
		records, err := r.catalogue.OwnedItems(ctx, catalogue.KindHighlight, once(highlights))
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			highlight := record.(*catalogue.Highlight)
			pieces[collection.Key{Video: highlight.VideoID, Highlight: highlight.ID}] = collection.Segment{Start: highlight.Start, End: highlight.End}
		}
	}
	for some := range slices.Chunk(once(captioned), captionsAtOnce) {
		if err := r.addPassages(ctx, pieces, some, spoken); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

// addPassages adds what the captions of videos are cut into now.
func (r *resolver) addPassages(ctx context.Context, pieces map[collection.Key]collection.Segment, videos []catalogue.ID, spoken map[catalogue.ID]catalogue.Language) error {
	asked := make(map[catalogue.ID]catalogue.Language, len(videos))
	for _, id := range videos {
		asked[id] = spoken[id]
	}
	of, err := r.captionsOf(ctx, asked)
	for video, captions := range of {
		for _, p := range captions[0].Passages() {
			key := collection.Key{Video: video, Highlight: catalogue.PassageID(video, p.Start, p.End)}
			pieces[key] = collection.Segment{Start: p.Start, End: p.End}
		}
	}
	return err
}
