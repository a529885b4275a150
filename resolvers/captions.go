package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/captions"
)

func (q query) Captions(ctx context.Context, videoID string, language *string, humanGenerated *bool) (*graph.Captions, error) {
	var wanted *catalogue.Language
	if language != nil {
		parsed, err := catalogue.ParseLanguage(*language)
		if err != nil {
			return nil, err
		}
		wanted = &parsed
	}
	video, err := q.Video(ctx, videoID, nil)
	if err != nil || video == nil || !video.HasCaptions() {
		return nil, err
	}
	of, err := q.captionsOf(ctx, map[catalogue.ID]catalogue.Language{video.ID(): video.LanguageCode()})
	if err != nil {
		return nil, err
	}
	for _, one := range of[video.ID()] {
		if (wanted == nil || one.Language == *wanted) && (humanGenerated == nil || one.HumanGenerated == *humanGenerated) {
			return shownCaptions(ctx, one, video), nil
		}
	}
	return nil, nil
}

// captionsOf reads the captions of videos, of which it is known what is spoken in them ("": it is not); each
// video's are in the order in which they are offered.
func (r *resolver) captionsOf(ctx context.Context, spoken map[catalogue.ID]catalogue.Language) (map[catalogue.ID][]*catalogue.Captions, error) {
	if len(spoken) == 0 {
		return nil, nil
	}
	ids := make([]catalogue.ID, 0, len(spoken))
	for id := range spoken {
		ids = append(ids, id)
	}
	stored, err := r.catalogue.OwnedItemsOf(ctx, catalogue.KindCaptions, ids)
	if err != nil {
		return nil, err
	}
	of := make(map[catalogue.ID][]*catalogue.Captions, len(ids))
	for _, record := range stored {
		one := record.(*catalogue.Captions)
		of[one.VideoID] = append(of[one.VideoID], one)
	}
	for id, list := range of {
		catalogue.ArrangeCaptions(list, spoken[id])
	}
	return of, nil
}

// shownCaptions writes files only where they are asked for.
func shownCaptions(ctx context.Context, stored *catalogue.Captions, video *model.Video) *graph.Captions {
	one := &graph.Captions{
		Language:       &model.Language{Code: string(stored.Language), DisplayName: stored.Language.DisplayName()},
		HumanGenerated: stored.HumanGenerated, FileName: fileName(video.Title()), Cues: []*graph.Cue{},
	}
	if graphql.FieldRequested(ctx, "cues") {
		one.Cues = make([]*graph.Cue, len(stored.Cues))
		for i, cue := range stored.Cues {
			one.Cues[i] = &graph.Cue{Start: cue.Start.Seconds(), End: cue.End.Seconds(), Text: cue.Text}
		}
	}
	if graphql.FieldRequested(ctx, "webVtt") {
		one.WebVtt = captions.WebVTT(stored.Cues)
	}
	if graphql.FieldRequested(ctx, "subRip") {
		one.SubRip = captions.SubRip(stored.Cues)
	}
	return one
}

// spokenText is what the captions of a video say, for one that has no transcript of its own; "": there are none.
func (r *resolver) spokenText(ctx context.Context, video *model.Video) (string, error) {
	if !video.HasCaptions() {
		return "", nil
	}
	of, err := r.captionsOf(ctx, map[catalogue.ID]catalogue.Language{video.ID(): video.LanguageCode()})
	if err != nil || len(of[video.ID()]) == 0 {
		return "", err
	}
	return of[video.ID()][0].PlainText(), nil
}
