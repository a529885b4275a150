package deprecation

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Item is one thing of the API that is deprecated. Items are made here only, and never change.
type Item struct {
	// Key names the item for good.
	Key string
	// What it is, and what to use Instead, for people.
	What, Instead string
	// Since is the UTC day on which it was announced.
	Since catalogue.Date
	// Documentation is the address of its documentation on the service, without the host.
	Documentation string
	// Parameters are those of the facade, as "GET /v1/videos age_range".
	Parameters []string
	// Answers are fields of the facade's documents, by the schemas of the OpenAPI document: "Video.ageRange.min".
	// Everybody gets them, so nobody can be seen using them.
	Answers []string
	// Fields are those of the GraphQL schema, of objects and of inputs: "VideoFilter.ages".
	Fields []string
	// ByValue: it is not a parameter or field as a whole that is deprecated, but some of its values (IsName).
	ByValue bool

	number int // in items
}

// Places lists where the item stands: parameters, fields of answers, fields of the schema.
func (i *Item) Places() []string { return slices.Concat(i.Parameters, i.Answers, i.Fields) }

// announced is the day on which all items were announced that the service began with.
var announced = mustParse("2026-11-22")

func mustParse(text string) catalogue.Date {
	date, err := catalogue.ParseDate(text)
	if err != nil {
		panic(err) // it is a constant
	}
	return date
}

// What the items say of their documentation.
const (
	searchPage      = "/docs#/Videos/searchVideos"
	videoPage       = "/docs#/Videos/getVideo"
	metadataPage    = "/docs#/Videos/getVideoMetadata"
	channelsPage    = "/docs#/Reference%20data/getChannels"
	collectionsPage = "/docs#/Collections/getCollection"
	// PolicyPage is where the service says what comes of what is deprecated, without the host.
	PolicyPage = "/docs"
)

// ChannelName is the search for videos by the names of channels.
var ChannelName = &Item{
	Key: "video-search.channel_name", What: "filtering videos by the name of a channel",
	Instead: "filter by the channel's id", Since: announced, Documentation: searchPage,
	Parameters: []string{"GET /v1/videos channel"}, Fields: []string{"VideoFilter.channels"}, ByValue: true,
}

// items is everything that is deprecated, in the order of the keys.
var items = numbered([]*Item{
	{
		Key: "video-search.age_range_min", What: "filtering videos by their lowest age",
		Instead: "filter by education levels", Since: announced, Documentation: searchPage,
		Parameters: []string{"GET /v1/videos age_range_min"}, Fields: []string{"VideoFilter.ageMin"},
	},
	{
		Key: "video-search.age_range_max", What: "filtering videos by their highest age",
		Instead: "filter by education levels", Since: announced, Documentation: searchPage,
		Parameters: []string{"GET /v1/videos age_range_max"}, Fields: []string{"VideoFilter.ageMax"},
	},
	{
		Key: "video-search.age_range", What: "filtering videos by ranges of ages",
		Instead: "filter by education levels", Since: announced, Documentation: searchPage,
		Parameters: []string{"GET /v1/videos age_range"}, Fields: []string{"VideoFilter.ages"},
	},
	{
		Key: "video-search.age_range_facets", What: "choosing the ranges of ages that a facet counts",
		Instead: "count by education levels", Since: announced, Documentation: searchPage,
		Parameters: []string{"GET /v1/videos age_range_facets"}, Fields: []string{"FacetRequest.ages"},
	},
	{
		Key: "video-search.content_partner", What: "the parameter content_partner",
		Instead: "use the parameter channel with ids", Since: announced, Documentation: searchPage,
		Parameters: []string{"GET /v1/videos content_partner"},
	},
	ChannelName,
	{
		Key: "video.additional_description", What: "the additional description of a video",
		Instead: "read the description", Since: announced, Documentation: videoPage,
		Answers: []string{"Video.additionalDescription"}, Fields: []string{"Video.additionalDescription"},
	},
	{
		Key: "video.age_range", What: "the range of ages of a video",
		Instead: "read the education levels", Since: announced, Documentation: videoPage,
		Answers: []string{"Video.ageRange", "Video.ageRange.min", "Video.ageRange.max", "Video.ageRange.label"},
		Fields:  []string{"Video.ageRange"},
	},
	{
		Key: "video-metadata.caption_urls", What: "the addresses of captions in the metadata of a video, in GraphQL",
		Instead: "ask for captions", Since: announced, Documentation: metadataPage,
		Fields: []string{"VideoMetadata.downloadSrtCaptionUrl", "VideoMetadata.downloadVttCaptionUrl"},
	},
	{
		Key: "collection.public", What: "whether a collection is public",
		Instead: "read discoverable", Since: announced, Documentation: collectionsPage,
		Answers: []string{"Collection.public", "SubCollection.public"}, Fields: []string{"Collection.public"},
	},
	{
		Key: "channel.content_types", What: "the list of content types of a channel",
		Instead: "read the one content type", Since: announced, Documentation: channelsPage,
		Answers: []string{"Channel.contentTypes"}, Fields: []string{"Channel.contentTypes"},
	},
})

func numbered(list []*Item) []*Item {
	slices.SortFunc(list, func(a, b *Item) int { return strings.Compare(a.Key, b.Key) })
	for number, item := range list {
		item.number = number
	}
	return list
}

// Items returns everything that is deprecated, in the order of the keys.
func Items() []*Item { return slices.Clone(items) }

// ItemOf returns the item with a key; nil: there is none.
func ItemOf(key string) *Item { return one(items, func(item *Item) bool { return item.Key == key }) }

// OfParameter returns the item that a parameter of a route of the facade belongs to, nil where it is not
// deprecated.
func OfParameter(method, path, name string) *Item {
	place := method + " " + path + " " + name
	return one(items, func(item *Item) bool { return slices.Contains(item.Parameters, place) })
}

// OfField returns the item that a field of the GraphQL schema belongs to, nil where it is not deprecated.
func OfField(object, name string) *Item {
	place := object + "." + name
	return one(items, func(item *Item) bool { return slices.Contains(item.Fields, place) })
}

func one(of []*Item, is func(*Item) bool) *Item {
	if at := slices.IndexFunc(of, is); at >= 0 {
		return of[at]
	}
	return nil
}

// IsName reports whether a value names something by its name, as it has no form of an id. Whether there is
// such a thing does not matter: the answer must not depend on what the caller may not see.
func IsName(value string) bool { return value != "" && !catalogue.ID(value).Valid() }
