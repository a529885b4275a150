package catalogue

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// VideoType is the "type" of a video.
type VideoType string

// The video types.
const (
	News                  VideoType = "NEWS"
	Instructional         VideoType = "INSTRUCTIONAL"
	Stock                 VideoType = "STOCK"
	Podcast               VideoType = "PODCAST"
	HistoricalNewsArchive VideoType = "HISTORICAL_NEWS_ARCHIVE"
)

// VideoTypes lists the video types in the order of the specification.
func VideoTypes() []VideoType {
	return []VideoType{News, Instructional, Stock, Podcast, HistoricalNewsArchive}
}

// ParseVideoType reads a video type in any case; INSTRUCTIONAL_CLIPS is an older name of
// INSTRUCTIONAL.
func ParseVideoType(text string) (VideoType, error) {
	if strings.EqualFold(text, "INSTRUCTIONAL_CLIPS") {
		return Instructional, nil
	}
	return parseListed("video type", text, VideoTypes())
}

// Subtype is a content category of a video, the value of the "subtype" filter.
type Subtype string

// Subtypes lists the video subtypes in the order of the specification.
func Subtypes() []Subtype {
	return []Subtype{
		"ANIMATION", "CHALK_AND_TALK_PRESENTATION", "DEMONSTRATION", "DOCUMENTARY",
		"HISTORICAL_ARCHIVE", "INTERVIEW", "LIVE_ARTS_PERFORMANCES", "TALKING_HEAD",
	}
}

// ParseSubtype reads a video subtype in any case.
func ParseSubtype(text string) (Subtype, error) {
	return parseListed("video subtype", text, Subtypes())
}

// CEFRLevel is a level of the Common European Framework of Reference for Languages.
type CEFRLevel string

// CEFRLevels lists the levels, the easiest first.
func CEFRLevels() []CEFRLevel { return []CEFRLevel{"A1", "A2", "B1", "B2", "C1", "C2"} }

// ParseCEFRLevel reads a CEFR level in any case.
func ParseCEFRLevel(text string) (CEFRLevel, error) {
	return parseListed("CEFR level", text, CEFRLevels())
}

// AttachmentType says what an attachment is.
type AttachmentType string

// AttachmentTypes lists the attachment types, which are the values of the resource_types filter.
func AttachmentTypes() []AttachmentType {
	return []AttachmentType{"LESSON_PLAN", "ACTIVITY", "FINAL_PROJECT"}
}

// Label is the attachment type as the resourceTypes facet keys it.
func (t AttachmentType) Label() string {
	switch t {
	case "LESSON_PLAN":
		return "Lesson Guide"
	case "ACTIVITY":
		return "Activity"
	case "FINAL_PROJECT":
		return "Final Project"
	}
	return string(t)
}

// ParseAttachmentType reads an attachment type, or the label that the facet shows for it, in any
// case.
func ParseAttachmentType(text string) (AttachmentType, error) {
	for _, t := range AttachmentTypes() {
		if strings.EqualFold(text, t.Label()) {
			return t, nil
		}
	}
	return parseListed("resource type", text, AttachmentTypes())
}

// MarketSegment is a segment that a subject is meant for.
type MarketSegment string

// MarketSegments lists the market segments.
func MarketSegments() []MarketSegment { return []MarketSegment{"K12", "HIGHER_EDUCATION"} }

// ParseMarketSegment reads a market segment in any case.
func ParseMarketSegment(text string) (MarketSegment, error) {
	return parseListed("market segment", text, MarketSegments())
}

// IngestType says how a channel's videos come in.
type IngestType string

// IngestTypes lists the ingest types.
func IngestTypes() []IngestType { return []IngestType{"MANUAL", "CUSTOM", "MRSS", "YOUTUBE"} }

// ParseIngestType reads an ingest type in any case.
func ParseIngestType(text string) (IngestType, error) {
	return parseListed("ingest type", text, IngestTypes())
}

// DistributionMethod is a way in which the videos of a channel may reach those who watch.
type DistributionMethod string

// DistributionMethods lists the distribution methods.
func DistributionMethods() []DistributionMethod { return []DistributionMethod{"STREAM", "DOWNLOAD"} }

// ParseDistributionMethod reads a distribution method in any case.
func ParseDistributionMethod(text string) (DistributionMethod, error) {
	return parseListed("distribution method", text, DistributionMethods())
}

// EditingPermission is what a contract allows to be done to a video.
type EditingPermission string

// EditingPermissions lists the editing permissions.
func EditingPermissions() []EditingPermission {
	return []EditingPermission{"ALLOWED", "ALLOWED_WITH_RESTRICTIONS", "NOT_ALLOWED"}
}

// TerritoryType says whether a video may be shown everywhere.
type TerritoryType string

// TerritoryTypes lists the territory types.
func TerritoryTypes() []TerritoryType {
	return []TerritoryType{"NO_RESTRICTIONS", "RESTRICTED"}
}

// PlaybackProvider says where a video's stream comes from.
type PlaybackProvider string

// The playback providers.
const (
	// ProviderHLS: the operator has an HLS address of the stream.
	ProviderHLS PlaybackProvider = "HLS"
	// ProviderYouTube: the video is hosted on YouTube; there is no stream address to sign.
	ProviderYouTube PlaybackProvider = "YOUTUBE"
)

// PlaybackProviders lists the playback providers.
func PlaybackProviders() []PlaybackProvider {
	return []PlaybackProvider{ProviderHLS, ProviderYouTube}
}

func parseListed[T ~string](what, text string, listed []T) (T, error) {
	upper := T(strings.ToUpper(text))
	if slices.Contains(listed, upper) {
		return upper, nil
	}
	names := make([]string, len(listed))
	for i, value := range listed {
		names[i] = string(value)
	}
	return "", fault.InvalidRequest("%q is not a %s: expected one of %s", text, what, strings.Join(names, ", "))
}

// Label is the subtype in words, such as "Chalk and talk presentation".
func (s Subtype) Label() string {
	if s == "" {
		return ""
	}
	words := strings.ToLower(strings.ReplaceAll(string(s), "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}
