package search

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search"
)

const (
	// maxBuckets is the most buckets of a facet, those with the most hits.
	maxBuckets = 60
	// maxChannelBuckets is the same for channels; channels that the filter names come on top.
	maxChannelBuckets = 10
)

// selection is what to count.
type selection struct {
	durations        []catalogue.DurationRange
	ages             []catalogue.AgeBracket
	channels         bool
	educationLevels  bool
	topics           bool
	cefrLevels       bool
	selectedChannels []catalogue.ID
	channelBuckets   int // the most channels that the filter does not name
}

var (
	defaultDurations = catalogue.DefaultDurationBuckets()
	defaultAges      = catalogue.DefaultAgeBuckets()
)

func selectFacets(input *graph.FacetRequest, channels []catalogue.ID) (selection, error) {
	s := selection{durations: defaultDurations, ages: defaultAges, selectedChannels: channels, channelBuckets: maxChannelBuckets}
	if input == nil {
		return s, nil
	}
	s.channels, s.educationLevels = input.Channels, input.EducationLevels
	s.topics, s.cefrLevels = input.Topics, input.CefrLevels
	if n := max(len(input.Durations), len(input.Ages)); n > search.MaxBuckets {
		return s, fault.InvalidRequest("%d buckets are more than the %d that one facet may have", n, search.MaxBuckets)
	}
	if len(input.Durations) > 0 {
		ranges, err := durationRanges(input.Durations)
		if err != nil {
			return s, err
		}
		s.durations = values.DistinctBy(values.Map(ranges, catalogue.DurationRange.DurationBucket), catalogue.DurationRange.String)
	}
	if len(input.Ages) > 0 {
		brackets, err := AgeBrackets(input.Ages)
		if err != nil {
			return s, err
		}
		s.ages = values.DistinctBy(brackets, catalogue.AgeBracket.String)
	}
	return s, nil
}

// namesChannels reports whether the facet of channels may show one without hits.
func (s *selection) namesChannels() bool { return s.channels && len(s.selectedChannels) > 0 }

func (s *selection) request() *search.FacetRequest {
	return &search.FacetRequest{
		Durations: s.durations, Ages: s.ages, Channels: s.channels,
		EducationLevels: s.educationLevels, Topics: s.topics, CEFR: s.cefrLevels,
	}
}

// show adds keys and names to counts. It leaves out what the directory no longer contains.
func (s *selection) show(counted *search.Facets, directory *catalogue.Directory, showsChannel func(*catalogue.Channel) bool) *model.Facets {
	facets := &model.Facets{}
	facets.Durations = ranges(s.durations, counted.Durations)
	facets.AgeRanges = ranges(s.ages, counted.Ages)
	facets.Subjects = named(first(counted.Subjects), func(id string) *string {
		if subject := directory.Subject(catalogue.ID(id)); subject != nil {
			return &subject.Name
		}
		return nil
	})
	facets.Channels = s.showChannels(counted.Channels, directory, showsChannel)
	facets.Topics = scored(named(first(counted.Topics), func(id string) *string {
		if topic := directory.Topic(catalogue.ID(id)); topic != nil {
			return &topic.Name
		}
		return nil
	}))
	facets.BestForTags = keyed(counted.Tags, func(id string) (string, *string) {
		if tag := directory.Tag(catalogue.ID(id)); tag != nil {
			return tag.Label, nil
		}
		return "", nil
	})
	facets.EducationLevels = keyed(counted.EducationLevels, func(code string) (string, *string) {
		if level := directory.EducationLevel(code); level != nil {
			return code, &level.Label
		}
		return code, nil
	})
	facets.Languages = keyed(counted.Languages, func(code string) (string, *string) {
		name := catalogue.Language(code).DisplayName()
		return code, &name
	})
	facets.ResourceTypes = keyed(counted.ResourceTypes, func(key string) (string, *string) {
		return catalogue.AttachmentType(key).Label(), nil
	})
	facets.VideoTypes = keyed(counted.Types, asIs)
	facets.CefrLevels = keyed(counted.CEFR, asIs)
	facets.VideoSubtypes = keyed(counted.Subtypes, asIs)
	return facets
}

// showChannels shows the channels with the most hits, and all visible channels that the filter names, even without hits.
func (s *selection) showChannels(counted []search.Bucket, directory *catalogue.Directory, shows func(*catalogue.Channel) bool) []model.FacetBucket {
	if !s.channels {
		return nil
	}
	chosen := slices.Clone(counted[:min(len(counted), s.channelBuckets)])
	for _, id := range s.selectedChannels {
		at := slices.IndexFunc(counted, func(b search.Bucket) bool { return b.Key == string(id) })
		switch channel := directory.Channel(id); {
		case at >= 0 && at < s.channelBuckets:
		case at >= 0:
			chosen = append(chosen, counted[at])
		case channel != nil && shows(channel):
			chosen = append(chosen, search.Bucket{Key: string(id)})
		}
	}
	return named(values.DistinctBy(chosen, func(b search.Bucket) string { return b.Key }), func(id string) *string {
		if channel := directory.Channel(catalogue.ID(id)); channel != nil {
			return &channel.Name
		}
		return nil
	})
}

func first(buckets []search.Bucket) []search.Bucket { return buckets[:min(len(buckets), maxBuckets)] }

func asIs(key string) (string, *string) { return key, nil }

func ranges[T interface{ String() string }](buckets []T, hits []int) []model.FacetBucket {
	list := make([]model.FacetBucket, len(buckets))
	for i, bucket := range buckets {
		list[i] = model.FacetBucket{Key: bucket.String(), Hits: hits[i]}
	}
	return list
}

// named shows buckets with an ID as their key.
func named(counted []search.Bucket, name func(id string) *string) []model.FacetBucket {
	list := make([]model.FacetBucket, 0, len(counted))
	for i := range counted {
		if name := name(counted[i].Key); name != nil {
			list = append(list, model.FacetBucket{
				Key: counted[i].Key, Hits: counted[i].Hits, ID: &counted[i].Key, Name: name,
			})
		}
	}
	return list
}

// keyed shows buckets under keys that show makes from those of the index, with a name if there is one.
func keyed(counted []search.Bucket, show func(string) (key string, name *string)) []model.FacetBucket {
	counted = first(counted)
	list := make([]model.FacetBucket, 0, len(counted))
	for _, bucket := range counted {
		if key, name := show(bucket.Key); key != "" {
			list = append(list, model.FacetBucket{Key: key, Hits: bucket.Hits, Name: name})
		}
	}
	return list
}

// scored sets the score of each bucket: its hits, divided by those of the first, which has the most.
func scored(buckets []model.FacetBucket) []model.FacetBucket {
	for i := range buckets {
		score := float64(buckets[i].Hits) / float64(buckets[0].Hits)
		buckets[i].Score = &score
	}
	return buckets
}
