package collections

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// captionsAtOnce is the number of videos whose captions, which are long, are in memory at once.
const captionsAtOnce = 200

// segmentsOf returns the segments of the highlights and passages that exist, by the keys of assets that name them. spoken
// holds the languages of the videos that the caller sees. Assets of other videos have no segments, whether their
// highlights exist or not.
func (r *Resolver) segmentsOf(ctx context.Context, keys []collection.Key, spoken map[catalogue.ID]catalogue.Language) (map[collection.Key]collection.Segment, error) {
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
	segments := make(map[collection.Key]collection.Segment, len(highlights)+len(captioned))
	if len(highlights) > 0 {
		records, err := r.config.Catalogue.OwnedItems(ctx, catalogue.KindHighlight, values.Distinct(highlights))
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			highlight := record.(*catalogue.Highlight)
			segments[collection.Key{Video: highlight.VideoID, Highlight: highlight.ID}] = collection.Segment{Start: highlight.Start, End: highlight.End}
		}
	}
	for some := range slices.Chunk(values.Distinct(captioned), captionsAtOnce) {
		if err := r.addPassages(ctx, segments, some, spoken); err != nil {
			return nil, err
		}
	}
	return segments, nil
}

// addPassages adds the passages that the captions of videos currently have.
func (r *Resolver) addPassages(ctx context.Context, segments map[collection.Key]collection.Segment, ids []catalogue.ID, spoken map[catalogue.ID]catalogue.Language) error {
	some := make(map[catalogue.ID]catalogue.Language, len(ids))
	for _, id := range ids {
		some[id] = spoken[id]
	}
	of, err := r.config.Videos.CaptionsOf(ctx, some)
	for video, captions := range of {
		for _, p := range captions[0].Passages() {
			key := collection.Key{Video: video, Highlight: catalogue.PassageID(video, p.Start, p.End)}
			segments[key] = collection.Segment{Start: p.Start, End: p.End}
		}
	}
	return err
}
