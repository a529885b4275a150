package alignments

import (
	"cmp"
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

// maxThemeVideos is the most references, and videos, that the targets of one theme show.
const maxThemeVideos = catalogue.MaxVideosAtOnce

// visible holds the videos that themes show to the caller.
type visible struct {
	// shown has them by the IDs in themes. It is nil unless the operation selects videos in any form.
	shown map[catalogue.ID]*catalogue.State
	// videos is nil unless the operation selects them.
	videos map[catalogue.ID]*model.Video
}

// visibleIn reads what the operation selects of the videos of themes.
func (r *Resolver) visibleIn(ctx context.Context, themes []catalogue.OwnedItem) (*visible, error) {
	if !graphql.AnyFieldRequested(ctx, "topics.targets.videoIds", "topics.targets.references", "topics.targets.videos") {
		return &visible{}, nil
	}
	shown, err := r.videos.Shown(ctx, videosOf(themes))
	if err != nil {
		return nil, err
	}
	v := &visible{shown: shown}
	if graphql.FieldRequested(ctx, "topics.targets.videos") {
		err = r.loadVideos(ctx, v, themes)
	}
	return v, err
}

// videosOf returns the videos that themes name, each once.
func videosOf(themes []catalogue.OwnedItem) []catalogue.ID {
	var ids []catalogue.ID
	for _, record := range themes {
		for _, topic := range record.(*catalogue.Theme).Topics {
			for _, target := range topic.Targets {
				ids = append(ids, target.VideoIDs...)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// loadVideos reads the videos that the targets of themes refer to, in one call.
func (r *Resolver) loadVideos(ctx context.Context, v *visible, themes []catalogue.OwnedItem) error {
	var ids []catalogue.ID
	for _, record := range themes {
		for _, topic := range v.topics(record.(*catalogue.Theme)) {
			for _, target := range topic.Targets {
				for _, ref := range target.References.List {
					ids = append(ids, ref.ID)
				}
			}
		}
	}
	slices.Sort(ids)
	loaded, err := r.videos.VideosByID(ctx, slices.Compact(ids))
	v.videos = make(map[catalogue.ID]*model.Video, len(loaded))
	for _, video := range loaded {
		v.videos[video.ID] = video
	}
	return err
}

// topics returns the topics of a theme and their targets, both by index.
func (v *visible) topics(theme *catalogue.Theme) []*graph.ThemeTopic {
	budget := maxThemeVideos
	topics := make([]*graph.ThemeTopic, len(theme.Topics))
	for i, topic := range theme.Topics {
		topics[i] = &graph.ThemeTopic{Index: topic.Index, Title: topic.Title, Targets: make([]*graph.ThemeTarget, len(topic.Targets))}
		for j, target := range topic.Targets {
			topics[i].Targets[j] = v.target(target, &budget)
		}
		slices.SortStableFunc(topics[i].Targets, func(a, b *graph.ThemeTarget) int { return cmp.Compare(a.Index, b.Index) })
	}
	slices.SortStableFunc(topics, func(a, b *graph.ThemeTopic) int { return cmp.Compare(a.Index, b.Index) })
	return topics
}

// target shows a target with the IDs of its visible videos, each once, and with as many references and videos as the budget
// allows.
func (v *visible) target(target catalogue.ThemeTarget, budget *int) *graph.ThemeTarget {
	shown := &graph.ThemeTarget{
		Index: target.Index, Title: target.Title,
		VideoIds: []catalogue.ID{}, References: &model.References{}, Videos: []*model.Video{},
	}
	met := make(map[catalogue.ID]bool, len(target.VideoIDs))
	for _, id := range target.VideoIDs {
		video := v.shown[id]
		if video == nil || met[video.ID] {
			continue
		}
		met[video.ID] = true
		shown.VideoIds = append(shown.VideoIds, video.ID)
		if *budget == 0 {
			continue
		}
		*budget--
		shown.References.List = append(shown.References.List, video.Ref)
		if video := v.videos[video.ID]; video != nil {
			shown.Videos = append(shown.Videos, video)
		}
	}
	return shown
}
