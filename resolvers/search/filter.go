package search

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search"
)

// Filter turns a filter of the schema into one of the index: names become IDs, labels become tags, and aliases become
// videos. A value that does not exist matches nothing.
func (r *Resolver) Filter(ctx context.Context, input *graph.VideoFilter, access catalogue.Access, directory *catalogue.Directory) (search.Filter, error) {
	if input == nil {
		return search.Filter{}, nil
	}
	channels, err := r.splitChannels(ctx, input.Channels, access, directory)
	if err != nil {
		return search.Filter{}, err
	}
	bestFor := catalogue.SplitNames(ctx, input.BestFor, func(label string) bool { return directory.TagLabeled(label) != nil })
	if err := checkLists(input); err != nil {
		return search.Filter{}, err
	}
	input = withoutRepetitions(input)
	filter := search.Filter{
		ReleasedFrom: input.ReleasedFrom, ReleasedTo: input.ReleasedTo,
		AgeMin: input.AgeMin, AgeMax: input.AgeMax,
		Subjects: values.IDs(input.Subjects), SubjectsSetManually: input.SubjectsSetManually,
		Channels: channelIDs(channels, directory),
		Types:    input.Types, Promoted: input.Promoted,
		EducationLevels: input.EducationLevels, CEFR: input.CefrLevels,
		Subtypes: input.Subtypes, ResourceTypes: input.ResourceTypes,
		Categories: input.Categories, Topics: values.IDs(input.Topics),
		Curriculum: curriculum(input.NgssCodes, input.NgssGrades),
		Tags:       tagIDs(bestFor, directory),
	}
	if from, to := input.ReleasedFrom, input.ReleasedTo; from != nil && to != nil && *from > *to {
		return search.Filter{}, fault.InvalidRequest("releasedFrom %s is after releasedTo %s", *from, *to)
	}
	if input.UpdatedAsOf != nil {
		start := input.UpdatedAsOf.Start()
		filter.UpdatedFrom = &start
	}
	if input.Source != nil {
		youTube := *input.Source == graph.VideoSourceYoutube
		filter.YouTube = &youTube
	}
	if input.Ids != nil {
		if filter.IDs, err = r.Videos.ResolveAliases(ctx, input.Ids); err != nil {
			return search.Filter{}, err
		}
	}
	if filter.Durations, err = durationRanges(input.Durations); err != nil {
		return search.Filter{}, err
	}
	if filter.Ages, err = AgeBrackets(input.Ages); err != nil {
		return search.Filter{}, err
	}
	if err := CheckAges(input.AgeMin, input.AgeMax); err != nil {
		return search.Filter{}, err
	}
	filter.Languages, err = mapAll(input.Languages, catalogue.ParseSpokenLanguage)
	return filter, err
}

// accessOf returns the access that a search applies: the caller's own or, if the filter names a content package, that of
// an account with this package, which only the operator may ask for. It returns false, and the search finds nothing, if
// there is no such package or its rules cannot be read.
func (r *Resolver) accessOf(ctx context.Context, caller *account.Caller, filter *graph.VideoFilter) (catalogue.Access, bool, error) {
	if filter == nil || filter.ContentPackage == nil {
		return caller.Access, true, nil
	}
	if err := account.Require(ctx, account.Operate); err != nil {
		return catalogue.Access{}, false, err
	}
	content, err := registry.Record[*account.ContentPackage](ctx, r.Registry, account.KindContentPackage.Key(*filter.ContentPackage))
	if err != nil || content == nil {
		return catalogue.Access{}, false, err
	}
	access, err := catalogue.CompileRules(content.Rules)
	if err != nil {
		return catalogue.Access{}, false, nil
	}
	included, err := r.videosIncludedBy(ctx, access)
	access, _ = access.WithCollections(included)
	return access, err == nil, err
}

// videosIncludedBy reads the videos of the collections that the rules of an access include.
func (r *Resolver) videosIncludedBy(ctx context.Context, access catalogue.Access) (map[catalogue.ID][]catalogue.ID, error) {
	if access.Rules == nil || access.Rules.Collections == nil {
		return nil, nil
	}
	if r.Collections == nil {
		return nil, ErrNoCollections
	}
	found, err := r.Collections.Collections(ctx, access.Rules.Collections)
	return collection.VideosOf(found), err
}

// ErrNoCollections is the error of a schema without collections.
var ErrNoCollections = fault.Errorf(fault.Unavailable, "this server has no collections")

// withoutRepetitions returns a filter with each value of its lists once, because engines evaluate each value.
func withoutRepetitions(input *graph.VideoFilter) *graph.VideoFilter {
	once := *input
	once.Ids, once.Subjects, once.Channels, once.Types = values.Distinct(input.Ids), values.Distinct(input.Subjects), values.Distinct(input.Channels), values.Distinct(input.Types)
	once.BestFor, once.Languages, once.EducationLevels = values.Distinct(input.BestFor), values.Distinct(input.Languages), values.Distinct(input.EducationLevels)
	once.CefrLevels, once.Subtypes, once.ResourceTypes = values.Distinct(input.CefrLevels), values.Distinct(input.Subtypes), values.Distinct(input.ResourceTypes)
	once.Categories, once.Topics = values.Distinct(input.Categories), values.Distinct(input.Topics)
	once.NgssCodes, once.NgssGrades = values.Distinct(input.NgssCodes), values.Distinct(input.NgssGrades)
	return &once
}

func checkLists(input *graph.VideoFilter) error {
	for _, list := range listsOf(input) {
		if err := CheckList(list.name, list.n); err != nil {
			return err
		}
	}
	return nil
}

// CheckList returns an error with the code Invalid if a list of a filter has too many values.
func CheckList(name string, n int) error {
	if n > catalogue.MaxFilterValues {
		return fault.InvalidRequest("%s has %d values, at most %d are allowed", name, n, catalogue.MaxFilterValues)
	}
	return nil
}

// filterList is the name and length of a list of a filter.
type filterList struct {
	name string
	n    int
}

func listsOf(input *graph.VideoFilter) []filterList {
	return []filterList{
		{"ids", len(input.Ids)}, {"durations", len(input.Durations)}, {"ages", len(input.Ages)},
		{"subjects", len(input.Subjects)}, {"channels", len(input.Channels)},
		{"types", len(input.Types)}, {"bestFor", len(input.BestFor)},
		{"languages", len(input.Languages)}, {"educationLevels", len(input.EducationLevels)},
		{"cefrLevels", len(input.CefrLevels)}, {"subtypes", len(input.Subtypes)},
		{"resourceTypes", len(input.ResourceTypes)}, {"categories", len(input.Categories)},
		{"topics", len(input.Topics)}, {"ngssCodes", len(input.NgssCodes)},
		{"ngssGrades", len(input.NgssGrades)},
	}
}

// channelIDs takes each text as an ID or as the name of a channel.
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

// splitChannels splits joined names of channels (catalogue.SplitNames). A channel that the access hides counts as unknown,
// so that nobody learns its name.
func (r *Resolver) splitChannels(ctx context.Context, names []string, access catalogue.Access, directory *catalogue.Directory) (split []string, err error) {
	var shows func(*catalogue.Channel) bool
	split = catalogue.SplitNames(ctx, names, func(name string) bool {
		channel := directory.ChannelNamed(name)
		if channel == nil || err != nil {
			return false
		}
		if shows == nil {
			if shows, err = r.Videos.ShowsChannel(ctx, access); err != nil {
				return false
			}
		}
		return shows(channel)
	})
	return split, err
}

// tagIDs returns the tags with these labels. A video must have all of them, so one unknown label matches nothing.
func tagIDs(labels []string, directory *catalogue.Directory) []catalogue.ID {
	if labels == nil {
		return nil
	}
	tags := make([]catalogue.ID, 0, len(labels))
	for _, label := range labels {
		tag := directory.TagLabeled(label)
		if tag == nil {
			return []catalogue.ID{}
		}
		tags = append(tags, tag.ID)
	}
	return tags
}

func durationRanges(input []*graph.DurationRange) ([]catalogue.DurationRange, error) {
	return mapAll(input, func(one *graph.DurationRange) (catalogue.DurationRange, error) {
		read := catalogue.DurationRange{Min: one.Min, Max: one.Max}
		if one.Max != nil && *one.Max < one.Min {
			return read, fault.InvalidRequest("the duration range %s is reversed: min %s is longer than max %s", read, one.Min, *one.Max)
		}
		return read, nil
	})
}

// AgeBrackets reads the age brackets of a filter.
func AgeBrackets(input []*graph.AgeBracket) ([]catalogue.AgeBracket, error) {
	return mapAll(input, func(one *graph.AgeBracket) (catalogue.AgeBracket, error) {
		return catalogue.ParseAgeBracket(catalogue.AgeBracket{From: one.From, To: one.To}.String())
	})
}

// mapAll converts each value of a list; nil stays nil, and the first error ends it.
func mapAll[S, V any](list []S, convert func(S) (V, error)) ([]V, error) {
	if list == nil {
		return nil, nil
	}
	converted := make([]V, len(list))
	for i, one := range list {
		var err error
		if converted[i], err = convert(one); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// CheckAges returns an error with the code Invalid if an age is out of range, or the lowest is above the highest.
func CheckAges(lowest, highest *int) error {
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
