package catalogue

import (
	"context"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/captions"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) Captions(ctx context.Context, videoID string, language *string, humanGenerated *bool) (*graph.Captions, error) {
	var wanted *catalogue.Language
	if language != nil {
		parsed, err := catalogue.ParseLanguage(*language)
		if err != nil {
			return nil, fault.About("language", err)
		}
		wanted = &parsed
	}
	video, err := r.Video(ctx, videoID, nil)
	if err != nil || video == nil {
		return nil, err
	}
	list, err := r.captionsOfOne(ctx, video)
	for _, one := range list {
		if (wanted == nil || one.Language == *wanted) && (humanGenerated == nil || one.HumanGenerated == *humanGenerated) {
			return shownCaptions(ctx, one, video), nil
		}
	}
	return nil, err
}

// CaptionsOf reads the captions of videos with these languages; "" is an unknown one. The captions of each video are in
// the order in which players offer them.
func (r *Resolver) CaptionsOf(ctx context.Context, spoken map[catalogue.ID]catalogue.Language) (map[catalogue.ID][]*catalogue.Captions, error) {
	if len(spoken) == 0 {
		return nil, nil
	}
	stored, err := r.store.OwnedItemsOf(ctx, catalogue.KindCaptions, slices.Collect(maps.Keys(spoken)))
	if err != nil {
		return nil, err
	}
	of := make(map[catalogue.ID][]*catalogue.Captions, len(spoken))
	for _, record := range stored {
		one := record.(*catalogue.Captions)
		of[one.VideoID] = append(of[one.VideoID], one)
	}
	for id, list := range of {
		catalogue.ArrangeCaptions(list, spoken[id])
	}
	return of, nil
}

func (r *Resolver) captionsOfOne(ctx context.Context, video *model.Video) ([]*catalogue.Captions, error) {
	if !video.HasCaptions {
		return nil, nil
	}
	of, err := r.CaptionsOf(ctx, map[catalogue.ID]catalogue.Language{video.ID: video.LanguageCode()})
	return of[video.ID], err
}

// shownCaptions writes files only if the operation selects them.
func shownCaptions(ctx context.Context, stored *catalogue.Captions, video *model.Video) *graph.Captions {
	one := &graph.Captions{
		Language:       &model.Language{Code: string(stored.Language), DisplayName: stored.Language.DisplayName()},
		HumanGenerated: stored.HumanGenerated, FileName: fileName(video.Title), Cues: []*graph.Cue{},
	}
	if graphql.FieldRequested(ctx, "cues") {
		one.Cues = values.Map(stored.Cues, func(cue catalogue.Cue) *graph.Cue {
			return &graph.Cue{Start: cue.Start.Seconds(), End: cue.End.Seconds(), Text: cue.Text}
		})
	}
	if graphql.FieldRequested(ctx, "webVtt") {
		one.WebVtt = captions.WebVTT(stored.Cues)
	}
	if graphql.FieldRequested(ctx, "subRip") {
		one.SubRip = captions.SubRip(stored.Cues)
	}
	return one
}
