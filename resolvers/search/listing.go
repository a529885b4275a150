package search

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search"
)

var listedStates = map[graph.ListedState]search.ListedState{
	graph.ListedStateAll: search.ListedAll, graph.ListedStateLive: search.ListedLive, graph.ListedStateHidden: search.ListedRetired,
	graph.ListedStatePrivate: search.ListedPrivate, graph.ListedStateExpired: search.ListedExpired, graph.ListedStateIncomplete: search.ListedIncomplete,
}

var listedOrders = map[graph.ListedOrder]search.ListedOrder{
	graph.ListedOrderUpdated: search.ListedByUpdate, graph.ListedOrderTitle: search.ListedByTitle,
}

// ListedVideos lists videos in a state. The index has videos of every state, so a page costs as much as one of a search.
func (r *Resolver) ListedVideos(
	ctx context.Context, state graph.ListedState, text *string, filter *graph.VideoFilter, sortBy graph.ListedOrder, page, size int, facets *graph.FacetRequest,
) (*graph.ListedVideos, error) {
	caller, directory, err := r.Videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	if err := catalogue.CheckWindow(page, size, catalogue.MaxSearchSize); err != nil {
		return nil, err
	}
	query, err := r.listing(ctx, state, text, filter, caller.Access, directory)
	if err != nil {
		return nil, err
	}
	query.Listing.Order, query.ByReleaseDate = listedOrders[sortBy], sortBy == graph.ListedOrderReleased
	query.Offset, query.Size = page*size, size
	selected := selection{}
	if asksForFacets(ctx) {
		if selected, err = selectFacets(facets, query.Filter.Channels); err != nil {
			return nil, err
		}
		selected.channelBuckets = maxBuckets
		query.Facets = selected.request()
	}
	found, err := r.Index.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	list := &graph.ListedVideos{Total: found.Total, TotalPages: (found.Total + size - 1) / size, Facets: &model.Facets{}}
	if found.Facets != nil {
		list.Facets = selected.show(found.Facets, directory, caller.Access.OpensChannel)
	}
	list.Videos, err = r.listed(ctx, found.Refs, state)
	return list, err
}

// listing returns the query of a list.
func (r *Resolver) listing(
	ctx context.Context, state graph.ListedState, text *string, filter *graph.VideoFilter, access catalogue.Access, directory *catalogue.Directory,
) (query search.Query, err error) {
	if filter != nil && filter.ContentPackage != nil {
		return query, fault.InvalidRequest("filter.contentPackage %q: only searchVideos takes a content package", fault.Shorten(*filter.ContentPackage))
	}
	query = search.Query{Today: r.today(), Listing: &search.Listing{State: listedStates[state]}}
	if text != nil {
		if query.Text, err = r.ParseText(*text); err != nil {
			return query, err
		}
	}
	query.Filter, err = r.Filter(ctx, filter, access, directory)
	return query, err
}

// ListedIDs returns the IDs of all videos that ListedVideos lists. The error has the code Invalid if there are more than
// most, which is at most 10,000.
func (r *Resolver) ListedIDs(ctx context.Context, state graph.ListedState, text *string, filter *graph.VideoFilter, most int) (ids []catalogue.ID, err error) {
	caller, directory, err := r.Videos.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	query, err := r.listing(ctx, state, text, filter, caller.Access, directory)
	if err != nil {
		return nil, err
	}
	query.ByReleaseDate, query.Size = true, most
	found, err := r.Index.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	if found.Total > most {
		return nil, fault.InvalidRequest("the list has %d videos; at most %d can change at once: narrow it", found.Total, most)
	}
	return values.Map(found.Refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID }), nil
}

// listed reads videos and leaves out those that are no longer in a state.
func (r *Resolver) listed(ctx context.Context, refs []catalogue.Ref, state graph.ListedState) ([]*graph.ListedVideo, error) {
	videos, directory, err := r.read(ctx, values.Map(refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID }))
	if err != nil {
		return nil, err
	}
	list := make([]*graph.ListedVideo, 0, len(videos))
	for _, video := range videos {
		one := r.shownListed(video, directory)
		if one.isIn(state) {
			list = append(list, &one.ListedVideo)
		}
	}
	return list, nil
}

// read returns videos, including those that access rules hide, and a directory that is not older.
func (r *Resolver) read(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, *catalogue.Directory, error) {
	videos, err := r.Catalogue.Videos(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	var newest int64
	for _, video := range videos {
		newest = max(newest, video.Version)
	}
	directory, err := r.Catalogue.Directory(ctx, newest)
	return videos, directory, err
}

type listedVideo struct{ graph.ListedVideo }

func (r *Resolver) shownListed(video *catalogue.Video, directory *catalogue.Directory) listedVideo {
	channel := directory.Channel(video.ChannelID)
	return listedVideo{graph.ListedVideo{
		Video: model.NewVideo(video, directory), Hidden: video.Retired, Private: channel != nil && channel.Private,
		Expired: video.AvailableUntil != nil && *video.AvailableUntil < r.today(), Missing: video.Missing(),
	}}
}

func (v *listedVideo) isIn(state graph.ListedState) bool {
	switch state {
	case graph.ListedStateHidden:
		return v.Hidden
	case graph.ListedStateLive:
		return !v.Hidden && !v.Expired && !v.Private
	case graph.ListedStatePrivate:
		return !v.Hidden && !v.Expired && v.Private
	case graph.ListedStateExpired:
		return !v.Hidden && v.Expired
	case graph.ListedStateIncomplete:
		return !v.Hidden && len(v.Missing) > 0
	default:
		return true
	}
}

// VideoCounts counts the videos of each record of a kind from the facets of the index.
func (r *Resolver) VideoCounts(ctx context.Context, kind catalogue.Kind) ([]*graph.VideoCount, error) {
	query := search.Query{
		Today: r.today(), Listing: &search.Listing{State: search.ListedAll},
		Facets: &search.FacetRequest{Channels: kind == catalogue.KindChannel, EducationLevels: kind == catalogue.KindEducationLevel, Topics: kind == catalogue.KindTopic},
	}
	directory, err := r.Videos.Directory(ctx)
	if err != nil {
		return nil, err
	}
	if kind == catalogue.KindDiscipline {
		return r.countDisciplines(ctx, query, directory)
	}
	of := map[catalogue.Kind]func(*search.Facets) []search.Bucket{
		catalogue.KindSubject: func(f *search.Facets) []search.Bucket { return f.Subjects },
		catalogue.KindTag:     func(f *search.Facets) []search.Bucket { return f.Tags },
		catalogue.KindTopic:   func(f *search.Facets) []search.Bucket { return f.Topics },
		catalogue.KindChannel: func(f *search.Facets) []search.Bucket { return f.Channels },
		catalogue.KindEducationLevel: func(f *search.Facets) []search.Bucket {
			return values.Map(f.EducationLevels, func(b search.Bucket) search.Bucket {
				if level := directory.EducationLevel(b.Key); level != nil {
					b.Key = string(level.ID)
				}
				return b
			})
		},
	}[kind]
	if of == nil {
		return nil, fault.InvalidRequest("kind %q: the kinds are subject, discipline, topic, tag, education-level and channel", kind)
	}
	found, err := r.Index.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	return values.Map(of(found.Facets), func(b search.Bucket) *graph.VideoCount {
		return &graph.VideoCount{ID: catalogue.ID(b.Key), Videos: b.Hits}
	}), nil
}

// countDisciplines counts the videos that have any subject of a discipline. Disciplines are few.
func (r *Resolver) countDisciplines(ctx context.Context, query search.Query, directory *catalogue.Directory) ([]*graph.VideoCount, error) {
	counts := []*graph.VideoCount{}
	query.Facets = nil
	for _, discipline := range directory.Disciplines {
		query.Filter.Subjects = append([]catalogue.ID{}, discipline.SubjectIDs...)
		found, err := r.Index.Search(ctx, query)
		if err != nil {
			return nil, err
		}
		if found.Total > 0 {
			counts = append(counts, &graph.VideoCount{ID: discipline.ID, Videos: found.Total})
		}
	}
	return counts, nil
}

const (
	// examples is the number of examples of a preview.
	examples = 10
	// examined is the number of the newest videos among which a preview looks for those that a package hides.
	examined = 2_000
)

// Preview shows what an account with these rules sees.
func (r *Resolver) Preview(ctx context.Context, rules []catalogue.AccessRule) (*graph.ContentPackagePreview, error) {
	access, err := catalogue.CompileRules(rules)
	if err != nil {
		return nil, err
	}
	included, err := r.videosIncludedBy(ctx, access)
	if err != nil {
		return nil, err
	}
	access, _ = access.WithCollections(included)
	visible, err := r.Index.Search(ctx, search.Query{Access: access, Today: r.today(), ByReleaseDate: true, Size: examples})
	if err != nil {
		return nil, err
	}
	all, err := r.Index.Search(ctx, search.Query{Today: r.today(), ByReleaseDate: true, Size: examined})
	if err != nil {
		return nil, err
	}
	states, err := r.Catalogue.States(ctx, values.Map(all.Refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID }))
	if err != nil {
		return nil, err
	}
	var hidden []catalogue.ID
	for i := range states {
		if open := (catalogue.Access{}); len(hidden) < examples && states[i].VisibleTo(open, r.today()) && !states[i].VisibleTo(access, r.today()) {
			hidden = append(hidden, states[i].ID)
		}
	}
	preview := &graph.ContentPackagePreview{Shown: visible.Total, Hidden: max(0, all.Total-visible.Total)}
	if preview.ShownExamples, err = r.exampleVideos(ctx, values.Map(visible.Refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID })); err != nil {
		return nil, err
	}
	preview.HiddenExamples, err = r.exampleVideos(ctx, hidden)
	return preview, err
}

func (r *Resolver) exampleVideos(ctx context.Context, ids []catalogue.ID) ([]*model.Video, error) {
	videos, directory, err := r.read(ctx, ids)
	return values.Map(videos, func(video *catalogue.Video) *model.Video { return model.NewVideo(video, directory) }), err
}
