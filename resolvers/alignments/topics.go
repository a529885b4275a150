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

// visible holds the videos of themes that the caller sees.
type visible struct {
	// refs is nil unless the operation selects videos in any form.
	refs map[catalogue.ID]catalogue.Ref
	// videos is nil unless the operation selects them.
	videos map[catalogue.ID]*model.Video
}

// visibleIn reads what the operation selects of the videos of themes.
func (r *Resolver) visibleIn(ctx context.Context, themes []catalogue.OwnedItem) (*visible, error) {
	if !graphql.AnyFieldRequested(ctx, "topics.targets.videoIds", "topics.targets.references", "topics.targets.videos") {
		return &visible{}, nil
	}
	states, err := r.videos.VisibleStates(ctx, videosOf(themes))
	if err != nil {
		return nil, err
	}
	v := &visible{refs: make(map[catalogue.ID]catalogue.Ref, len(states))}
	for i := range states {
		v.refs[states[i].ID] = states[i].Ref
	}
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

// target shows a target with the IDs of its visible videos, and with as many references and videos as the budget allows.
func (v *visible) target(target catalogue.ThemeTarget, budget *int) *graph.ThemeTarget {
	shown := &graph.ThemeTarget{
		Index: target.Index, Title: target.Title,
		VideoIds: []catalogue.ID{}, References: &model.References{}, Videos: []*model.Video{},
	}
	for _, id := range target.VideoIDs {
		ref, visible := v.refs[id]
		if !visible {
			continue
		}
		shown.VideoIds = append(shown.VideoIds, id)
		if *budget == 0 {
			continue
		}
		*budget--
		shown.References.List = append(shown.References.List, ref)
		if video := v.videos[id]; video != nil {
			shown.Videos = append(shown.Videos, video)
		}
	}
	return shown
}
