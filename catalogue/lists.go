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

// VideoTypes returns the video types in the order of the specification.
func VideoTypes() []VideoType {
	return []VideoType{News, Instructional, Stock, Podcast, HistoricalNewsArchive}
}

// ParseVideoType parses a video type in any case. INSTRUCTIONAL_CLIPS is an old name of INSTRUCTIONAL.
func ParseVideoType(text string) (VideoType, error) {
	if strings.EqualFold(text, "INSTRUCTIONAL_CLIPS") {
		return Instructional, nil
	}
	return parseListed(text, VideoTypes())
}

// Subtype is a content category of a video, the value of the "subtype" filter.
type Subtype string

// Subtypes returns the video subtypes in the order of the specification.
func Subtypes() []Subtype {
	return []Subtype{
		"ANIMATION", "CHALK_AND_TALK_PRESENTATION", "DEMONSTRATION", "DOCUMENTARY",
		"HISTORICAL_ARCHIVE", "INTERVIEW", "LIVE_ARTS_PERFORMANCES", "TALKING_HEAD",
	}
}

// ParseSubtype parses a video subtype in any case.
func ParseSubtype(text string) (Subtype, error) {
	return parseListed(text, Subtypes())
}

// CEFRLevel is a level of the Common European Framework of Reference for Languages.
type CEFRLevel string

// CEFRLevels returns the levels, the easiest first.
func CEFRLevels() []CEFRLevel { return []CEFRLevel{"A1", "A2", "B1", "B2", "C1", "C2"} }

// ParseCEFRLevel parses a CEFR level in any case.
func ParseCEFRLevel(text string) (CEFRLevel, error) {
	return parseListed(text, CEFRLevels())
}

// AttachmentType is the type of an attachment.
type AttachmentType string

// AttachmentTypes returns the attachment types, which are the values of the resource_types filter.
func AttachmentTypes() []AttachmentType {
	return []AttachmentType{"LESSON_PLAN", "ACTIVITY", "FINAL_PROJECT"}
}

// Label returns the key of the attachment type in the resourceTypes facet.
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

// ParseAttachmentType parses an attachment type or its label in any case.
func ParseAttachmentType(text string) (AttachmentType, error) {
	for _, t := range AttachmentTypes() {
		if strings.EqualFold(text, t.Label()) {
			return t, nil
		}
	}
	return parseListed(text, AttachmentTypes())
}

// MarketSegment is a market segment of a subject.
type MarketSegment string

// MarketSegments returns the market segments.
func MarketSegments() []MarketSegment { return []MarketSegment{"K12", "HIGHER_EDUCATION"} }

// ParseMarketSegment parses a market segment in any case.
func ParseMarketSegment(text string) (MarketSegment, error) {
	return parseListed(text, MarketSegments())
}

// IngestType is the way in which a channel's videos are ingested.
type IngestType string

// IngestTypes returns the ingest types.
func IngestTypes() []IngestType { return []IngestType{"MANUAL", "CUSTOM", "MRSS", "YOUTUBE"} }

// ParseIngestType parses an ingest type in any case.
func ParseIngestType(text string) (IngestType, error) {
	return parseListed(text, IngestTypes())
}

// DistributionMethod is a way in which a channel's videos may be delivered to viewers.
type DistributionMethod string

// DistributionMethods returns the distribution methods.
func DistributionMethods() []DistributionMethod { return []DistributionMethod{"STREAM", "DOWNLOAD"} }

// ParseDistributionMethod parses a distribution method in any case.
func ParseDistributionMethod(text string) (DistributionMethod, error) {
	return parseListed(text, DistributionMethods())
}

// EditingPermission is what a contract permits to change in a video.
type EditingPermission string

// EditingPermissions returns the editing permissions.
func EditingPermissions() []EditingPermission {
	return []EditingPermission{"ALLOWED", "ALLOWED_WITH_RESTRICTIONS", "NOT_ALLOWED"}
}

// TerritoryType states whether a video may be shown everywhere.
type TerritoryType string

// TerritoryTypes returns the territory types.
func TerritoryTypes() []TerritoryType {
	return []TerritoryType{"NO_RESTRICTIONS", "RESTRICTED"}
}

// PlaybackProvider is the source of a video's stream.
type PlaybackProvider string

// The playback providers.
const (
	// ProviderHLS means that the operator has an HLS URL of the stream.
	ProviderHLS PlaybackProvider = "HLS"
	// ProviderYouTube means that the video is hosted on YouTube and has no stream URL to sign.
	ProviderYouTube PlaybackProvider = "YOUTUBE"
)

// PlaybackProviders returns the playback providers.
func PlaybackProviders() []PlaybackProvider {
	return []PlaybackProvider{ProviderHLS, ProviderYouTube}
}

func parseListed[T ~string](text string, listed []T) (T, error) {
	upper := T(strings.ToUpper(text))
	if slices.Contains(listed, upper) {
		return upper, nil
	}
	return "", fault.InvalidRequest("%s", fault.NotOneOf(text, listed))
}

// Label returns the subtype in words, such as "Chalk and talk presentation".
func (s Subtype) Label() string {
	if s == "" {
		return ""
	}
	words := strings.ToLower(strings.ReplaceAll(string(s), "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}
