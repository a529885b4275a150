package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/search"
)

// filter turns what a client asked for into what the engines understand: names become IDs, labels
// tags, aliases videos. What names nothing matches nothing.
func (r *resolver) filter(ctx context.Context, asked *graph.VideoFilter, access catalogue.Access, directory *catalogue.Directory) (search.Filter, error) {
	if asked == nil {
		return search.Filter{}, nil
	}
	channels, err := r.splitChannels(ctx, asked.Channels, access, directory)
	if err != nil {
		return search.Filter{}, err
	}
	bestFor := catalogue.SplitNames(ctx, asked.BestFor, func(label string) bool { return directory.TagLabelled(label) != nil })
	if err := checkLists(asked); err != nil {
		return search.Filter{}, err
	}
	asked = withoutRepeats(asked)
	filter := search.Filter{
		ReleasedFrom: asked.ReleasedFrom, ReleasedTo: asked.ReleasedTo,
		AgeMin: asked.AgeMin, AgeMax: asked.AgeMax,
		Subjects: idsOf(asked.Subjects), SubjectsSetManually: asked.SubjectsSetManually,
		Channels: channelIDs(channels, directory),
		Types:    asked.Types, Promoted: asked.Promoted,
		EducationLevels: asked.EducationLevels, CEFR: asked.CefrLevels,
		Subtypes: asked.Subtypes, ResourceTypes: asked.ResourceTypes,
		Categories: asked.Categories, Topics: idsOf(asked.Topics),
		Curriculum: curriculum(asked.NgssCodes, asked.NgssGrades),
	}
	if from, to := asked.ReleasedFrom, asked.ReleasedTo; from != nil && to != nil && *from > *to {
		return search.Filter{}, fault.InvalidRequest("releasedFrom %s is after releasedTo %s", *from, *to)
	}
	if asked.UpdatedAsOf != nil {
		start := asked.UpdatedAsOf.Start()
		filter.UpdatedFrom = &start
	}
	if asked.Source != nil {
		youTube := *asked.Source == graph.VideoSourceYoutube
		filter.YouTube = &youTube
	}
	if asked.Ids != nil {
		if filter.IDs, err = r.resolveAliases(ctx, asked.Ids); err != nil {
			return search.Filter{}, err
		}
	}
	if filter.Durations, err = durationRanges(asked.Durations); err != nil {
		return search.Filter{}, err
	}
	if filter.Ages, err = ageBrackets(asked.Ages); err != nil {
		return search.Filter{}, err
	}
	if err := checkAges(asked.AgeMin, asked.AgeMax); err != nil {
		return search.Filter{}, err
	}
	if filter.Languages, err = languages(asked.Languages); err != nil {
		return search.Filter{}, err
	}
	addTags(&filter, bestFor, directory)
	return filter, nil
}

// searchable returns what a search may find: what the caller may see or, where the filter names a content
// package, what an account with that package would. Only the operator may look through others' eyes. It is
// false where there is no such package, or its rules cannot be read: nothing is found then.
func (r *resolver) searchable(ctx context.Context, caller *account.Caller, asked *graph.VideoFilter) (catalogue.Access, bool, error) {
	if asked == nil || asked.ContentPackage == nil {
		return caller.Access, true, nil
	}
	if err := account.Require(ctx, account.Operate); err != nil {
		return catalogue.Access{}, false, err
	}
	registry, err := r.administered()
	if err != nil {
		return catalogue.Access{}, false, err
	}
	record, err := registry.Entity(ctx, account.EntityKey{Kind: account.KindContentPackage, ID: *asked.ContentPackage})
	if err != nil {
		return catalogue.Access{}, false, err
	}
	content, ok := record.(*account.ContentPackage)
	if !ok {
		return catalogue.Access{}, false, nil
	}
	access, err := catalogue.CompileRules(content.Rules)
	if err != nil {
		return catalogue.Access{}, false, nil
	}
	held, err := r.heldBy(ctx, access)
	access, _ = access.WithCollections(held)
	return access, err == nil, err
}

// heldBy reads the videos of the collections that the rules of an access name.
func (r *resolver) heldBy(ctx context.Context, access catalogue.Access) (map[catalogue.ID][]catalogue.ID, error) {
	if access.Rules == nil || access.Rules.Collections == nil {
		return nil, nil
	}
	shelves, err := r.collections()
	if err != nil {
		return nil, err
	}
	found, err := shelves.Collections(ctx, access.Rules.Collections)
	return collection.VideosOf(found), err
}

// withoutRepeats returns the filter with each value of its lists once: an engine goes through all videos of a value
// each time it is named.
func withoutRepeats(asked *graph.VideoFilter) *graph.VideoFilter {
	once := *asked
	once.Ids, once.Subjects, once.Channels, once.Types = distinctOf(asked.Ids), distinctOf(asked.Subjects), distinctOf(asked.Channels), distinctOf(asked.Types)
	once.BestFor, once.Languages, once.EducationLevels = distinctOf(asked.BestFor), distinctOf(asked.Languages), distinctOf(asked.EducationLevels)
	once.CefrLevels, once.Subtypes, once.ResourceTypes = distinctOf(asked.CefrLevels), distinctOf(asked.Subtypes), distinctOf(asked.ResourceTypes)
	once.Categories, once.Topics = distinctOf(asked.Categories), distinctOf(asked.Topics)
	once.NgssCodes, once.NgssGrades = distinctOf(asked.NgssCodes), distinctOf(asked.NgssGrades)
	return &once
}

// distinctOf returns the values in their order, each once; nil stays nil.
func distinctOf[T comparable](values []T) []T {
	if len(values) < 2 {
		return values
	}
	seen := make(map[T]bool, len(values))
	kept := make([]T, 0, len(values))
	for _, value := range values {
		if !seen[value] {
			seen[value] = true
			kept = append(kept, value)
		}
	}
	return kept
}

func checkLists(asked *graph.VideoFilter) error {
	for _, list := range listsOf(asked) {
		if list.n > catalogue.MaxFilterValues {
			return fault.InvalidRequest("%s has %d values, at most %d are allowed", list.name, list.n, catalogue.MaxFilterValues)
		}
	}
	return nil
}

// filterList is a list of a filter and its length.
type filterList struct {
	name string
	n    int
}

func listsOf(asked *graph.VideoFilter) []filterList {
	return []filterList{
		{"ids", len(asked.Ids)}, {"durations", len(asked.Durations)}, {"ages", len(asked.Ages)},
		{"subjects", len(asked.Subjects)}, {"channels", len(asked.Channels)},
		{"types", len(asked.Types)}, {"bestFor", len(asked.BestFor)},
		{"languages", len(asked.Languages)}, {"educationLevels", len(asked.EducationLevels)},
		{"cefrLevels", len(asked.CefrLevels)}, {"subtypes", len(asked.Subtypes)},
		{"resourceTypes", len(asked.ResourceTypes)}, {"categories", len(asked.Categories)},
		{"topics", len(asked.Topics)}, {"ngssCodes", len(asked.NgssCodes)},
		{"ngssGrades", len(asked.NgssGrades)},
	}
}

func idsOf(texts []string) []catalogue.ID {
	if texts == nil {
		return nil
	}
	ids := make([]catalogue.ID, len(texts))
	for i, text := range texts {
		ids[i] = catalogue.ID(text)
	}
	return ids
}

// channelIDs takes each value for an ID or else for the name of a channel.
func channelIDs(texts []string, directory *catalogue.Directory) []catalogue.ID {
	if texts == nil {
		return nil
	}
	ids := make([]catalogue.ID, 0, len(texts))
	for _, text := range texts {
		if directory.Channel(catalogue.ID(text)) != nil {
			ids = append(ids, catalogue.ID(text))
		} else if channel := directory.ChannelNamed(text); channel != nil {
			ids = append(ids, channel.ID)
		}
	}
	return ids
}

// splitChannels splits joined names of channels (catalogue.SplitNames). A channel that is hidden with an access does
// not count as existing, so that nobody learns of its name.
func (r *resolver) splitChannels(ctx context.Context, names []string, access catalogue.Access, directory *catalogue.Directory) (split []string, err error) {
	var shows func(*catalogue.Channel) bool
	split = catalogue.SplitNames(ctx, names, func(name string) bool {
		channel := directory.ChannelNamed(name)
		if channel == nil || err != nil {
			return false
		}
		if shows == nil {
			if shows, err = r.showsChannel(ctx, access); err != nil {
				return false
			}
		}
		return shows(channel)
	})
	return split, err
}

// addTags requires every label; a label that no tag has matches nothing.
func addTags(filter *search.Filter, labels []string, directory *catalogue.Directory) {
	if labels == nil {
		return
	}
	filter.Tags = make([]catalogue.ID, 0, len(labels))
	for _, label := range labels {
		if tag := directory.TagLabelled(label); tag != nil {
			filter.Tags = append(filter.Tags, tag.ID)
		} else {
			filter.Tags = []catalogue.ID{}
			return
		}
	}
}

func languages(codes []string) ([]catalogue.Language, error) {
	if codes == nil {
		return nil, nil
	}
	languages := make([]catalogue.Language, len(codes))
	for i, code := range codes {
		language, err := catalogue.ParseSpokenLanguage(code)
		if err != nil {
			return nil, err
		}
		languages[i] = language
	}
	return languages, nil
}

func durationRanges(asked []*graph.DurationRange) ([]catalogue.DurationRange, error) {
	if asked == nil {
		return nil, nil
	}
	ranges := make([]catalogue.DurationRange, len(asked))
	for i, one := range asked {
		ranges[i] = catalogue.DurationRange{Min: one.Min, Max: one.Max}
		if one.Max != nil && *one.Max < one.Min {
			return nil, fault.InvalidRequest("the duration range %s is reversed: min %s is longer than max %s", ranges[i], one.Min, *one.Max)
		}
	}
	return ranges, nil
}

func ageBrackets(asked []*graph.AgeBracket) ([]catalogue.AgeBracket, error) {
	if asked == nil {
		return nil, nil
	}
	brackets := make([]catalogue.AgeBracket, len(asked))
	for i, one := range asked {
		bracket, err := catalogue.ParseAgeBracket(catalogue.AgeBracket{From: one.From, To: one.To}.String())
		if err != nil {
			return nil, err
		}
		brackets[i] = bracket
	}
	return brackets, nil
}

func checkAges(lowest, highest *int) error {
	for _, age := range []*int{lowest, highest} {
		if age != nil && (*age < 0 || *age > catalogue.MaxAge) {
			return fault.InvalidRequest("%d is not an age between 0 and %d", *age, catalogue.MaxAge)
		}
	}
	if lowest != nil && highest != nil && *lowest > *highest {
		return fault.InvalidRequest("ageMin %d is above ageMax %d", *lowest, *highest)
	}
	return nil
}
