package deprecation

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Item is a deprecated part of the API. Items are made only here and never change.
type Item struct {
	// Key is the permanent name of the item.
	Key string
	// What describes the item and Instead its replacement, in words.
	What, Instead string
	// Since is the UTC day on which it was announced.
	Since catalogue.Date
	// Documentation is the path of its documentation on the service.
	Documentation string
	// Parameters are parameters of HAL routes: "GET /v1/videos age_range".
	Parameters []string
	// Answers are fields of HAL documents, by the schemas of the OpenAPI document: "Video.ageRange.min".
	// Every response has them, so their use cannot be observed.
	Answers []string
	// Fields are fields of GraphQL objects and inputs: "VideoFilter.ages".
	Fields []string
	// ByValue: only some values of the parameter or field are deprecated (IsName).
	ByValue bool

	number int // in items
}

// Places lists the parameters, response fields and schema fields of the item.
func (i *Item) Places() []string { return slices.Concat(i.Parameters, i.Answers, i.Fields) }

// announced is the day on which the first items were announced.
var announced = mustParse("2026-11-22")

func mustParse(text string) catalogue.Date {
	date, err := catalogue.ParseDate(text)
	if err != nil {
		panic(err) // it is a constant
	}
	return date
}

// The documentation of the items.
const (
	searchPage      = "/docs/reference#tag/videos/searchVideos"
	videoPage       = "/docs/reference#tag/videos/getVideo"
	metadataPage    = "/docs/reference#tag/videos/getVideoMetadata"
	channelsPage    = "/docs/reference#tag/reference-data/getChannels"
	collectionsPage = "/docs/reference#tag/collections/getCollection"
	// PolicyPage is the path of the deprecation notice on the service.
	PolicyPage = "/docs/versioning"
)

// ChannelName is the item for searches by the name of a channel instead of its ID.
var ChannelName = &Item{
	Key: "video-search.channel_name", What: "filtering videos by the name of a channel",
	Instead: "filter by the channel's id", Since: announced, Documentation: searchPage,
	Parameters: []string{"GET /v1/videos channel"}, Fields: []string{"VideoFilter.channels"}, ByValue: true,
}

// items are all deprecated items, in the order of their keys.
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

// Items returns all deprecated items, in the order of their keys.
func Items() []*Item { return slices.Clone(items) }

// ItemOf returns the item with a key, nil if there is none.
func ItemOf(key string) *Item { return one(items, func(item *Item) bool { return item.Key == key }) }

// OfParameter returns the item of a parameter of a HAL route, nil if the parameter is not deprecated.
func OfParameter(method, path, name string) *Item {
	place := method + " " + path + " " + name
	return one(items, func(item *Item) bool { return slices.Contains(item.Parameters, place) })
}

// OfField returns the item of a field of the GraphQL schema, nil if the field is not deprecated.
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

// IsName reports whether a value is a name, because it does not have the form of an ID. It does not matter whether that
// name exists: the response must not depend on what the caller may not see.
func IsName(value string) bool { return value != "" && !catalogue.ID(value).Valid() }
