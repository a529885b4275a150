package catalogue

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Video is one video asset: what the operator says of it. What it shows of others (names, the
// contract's restrictions) is looked up in a Directory when it is shown.
type Video struct {
	Meta
	// Sequence is given at first insert and never changes; it orders the feed and breaks ties.
	Sequence int64 `json:"-"`

	Title                 string  `json:"title"`
	Description           string  `json:"description"`
	AdditionalDescription *string `json:"additionalDescription"`
	// ReleasedOn is the original release date as stated by the producer.
	ReleasedOn Date      `json:"releasedOn"`
	Type       VideoType `json:"type"`
	Playback   Playback  `json:"playback"`
	ChannelID  ID        `json:"channel"`
	SubjectIDs []ID      `json:"subjects"`
	// SubjectsSetManually is true where people chose the subjects, false where a classifier did.
	SubjectsSetManually bool         `json:"subjectsSetManually"`
	LegalRestrictions   string       `json:"legalRestrictions"`
	AgeRange            AgeRange     `json:"ageRange"`
	BestForIDs          []ID         `json:"bestFor"`
	Promoted            bool         `json:"promoted"`
	Language            *Language    `json:"language"`
	Attachments         []Attachment `json:"attachments"`
	// ContentWarningIDs is nil where nobody has judged the video, empty where it needs no warning.
	ContentWarningIDs []ID     `json:"contentWarnings"`
	Keywords          []string `json:"keywords"`
	// AvailableUntil is the last UTC day on which the video may be seen; nil: there is no end.
	AvailableUntil  *Date      `json:"availableUntil"`
	EducationLevels []string   `json:"educationLevels"`
	CEFRLevel       *CEFRLevel `json:"cefrLevel"`
	// ContentCategories are the video's subtypes.
	ContentCategories []Subtype `json:"contentCategories"`
	// Categories are Thema codes of the video itself; those of its channel hold as well.
	Categories []string `json:"categories"`
	TopicIDs   []ID     `json:"topics"`
	// HasTranscript says whether there is one; the text itself lies beside the video.
	HasTranscript bool `json:"hasTranscript"`
	// HasCaptions says whether there are Captions of the video; the store sets it.
	HasCaptions bool `json:"hasCaptions,omitempty"`
	// LegacyID is an all-digits alias; "": none.
	LegacyID string `json:"legacyId"`
	// Retired videos are seen by nobody. A retired duplicate names its twin, which may itself be retired into
	// another later.
	Retired     bool `json:"retired"`
	RetiredInto *ID  `json:"retiredInto"`

	// Transcript is the text that is to be stored with the video. Reading a video leaves it nil;
	// writing one with nil keeps the stored text, with an empty string removes it.
	Transcript *string `json:"-"`
}

// Playback says how a video is played.
type Playback struct {
	// ID is the playback's own identifier.
	ID       string           `json:"id"`
	Provider PlaybackProvider `json:"provider"`
	Duration Duration         `json:"duration"`
	// Stream is the address of the HLS playlist, or "demo:<name>" for a stream that the binary
	// carries, its name 1 to 40 characters of a-z, 0-9 and hyphen; "": there is none
	// (ProviderYouTube).
	Stream string `json:"stream"`
	// Thumbnail is the address of the poster. It may hold {thumbnailWidth}. "": there is none.
	Thumbnail string `json:"thumbnail"`
	// Preview is the address of the sprite of frames; it holds {thumbnailWidth} and
	// {thumbnailCount}. "": there is none.
	Preview string `json:"preview"`
}

// Attachment is a resource that helps use a video in class.
type Attachment struct {
	ID          string         `json:"id"`
	Type        AttachmentType `json:"type"`
	Description *string        `json:"description"`
	// Link is where the resource lies; it is passed on unchanged.
	Link string `json:"link"`
}

// DemoStreamScheme starts a Playback address that names a stream which the binary carries.
const DemoStreamScheme = "demo:"

// Kind is KindVideo.
func (*Video) Kind() Kind { return KindVideo }

// Links lists channel, subjects, tags, warnings, education levels and topics.
func (v *Video) Links() []Link {
	links := []Link{{Kind: KindChannel, ID: v.ChannelID, Field: "channel"}}
	links = append(links, linksTo(KindSubject, "subjects", v.SubjectIDs)...)
	links = append(links, linksTo(KindTag, "bestFor", v.BestForIDs)...)
	links = append(links, linksTo(KindContentWarning, "contentWarnings", v.ContentWarningIDs)...)
	links = append(links, educationLevelLinks(v.EducationLevels)...)
	return append(links, linksTo(KindTopic, "topics", v.TopicIDs)...)
}

// Validate checks every field but what Links names, which only a store can.
func (v *Video) Validate() fault.FieldErrors {
	var f Faults
	f.Text("title", v.Title, 1, MaxTitleLength)
	f.Text("description", v.Description, 0, MaxTextLength)
	f.optional("additionalDescription", v.AdditionalDescription, MaxTextLength)
	Listed(&f, "type", v.Type, VideoTypes())
	v.Playback.validate(&f)
	if v.ChannelID == "" {
		f.Add("channel", "is required")
	}
	f.Length("subjects", len(v.SubjectIDs), MaxListLength)
	f.Text("legalRestrictions", v.LegalRestrictions, 0, MaxTextLength)
	v.AgeRange.validate(&f, "ageRange")
	f.Length("bestFor", len(v.BestForIDs), MaxListLength)
	if v.Language != nil && !v.Language.Valid() {
		f.Add("language", "%q is not an ISO 639-2 code", Shorten(string(*v.Language)))
	}
	f.attachments(v.Attachments)
	f.Length("contentWarnings", len(v.ContentWarningIDs), MaxListLength)
	f.Length("keywords", len(v.Keywords), MaxListLength)
	for i, keyword := range v.Keywords {
		f.Text(fmt.Sprintf("keywords[%d]", i), keyword, 1, MaxNameLength)
	}
	f.Length("educationLevels", len(v.EducationLevels), MaxListLength)
	if v.CEFRLevel != nil {
		Listed(&f, "cefrLevel", *v.CEFRLevel, CEFRLevels())
	}
	f.Length("contentCategories", len(v.ContentCategories), MaxListLength)
	for i, subtype := range v.ContentCategories {
		Listed(&f, fmt.Sprintf("contentCategories[%d]", i), subtype, Subtypes())
	}
	checkThema(&f, "categories", v.Categories)
	f.Length("topics", len(v.TopicIDs), MaxListLength)
	if v.LegacyID != "" && !IsLegacyAlias(v.LegacyID) {
		f.Add("legacyId", "%q is not 1 to 23 digits", Shorten(v.LegacyID))
	}
	if v.RetiredInto != nil && (!v.Retired || *v.RetiredInto == v.ID || !v.RetiredInto.Valid()) {
		f.Add("retiredInto", "%q needs \"retired\": true and another video's id", Shorten(string(*v.RetiredInto)))
	}
	f.optional("transcript", v.Transcript, MaxTranscriptLength)
	return f.List()
}

func (p *Playback) validate(f *Faults) {
	Listed(f, "playback.provider", p.Provider, PlaybackProviders())
	f.Text("playback.id", p.ID, 1, MaxNameLength)
	if p.Duration < 0 || p.Duration > Day {
		f.Add("playback.duration", "%s is not between PT0S and PT24H", p.Duration)
	}
	if p.Provider == ProviderHLS {
		streamAddress(f, "playback.stream", p.Stream)
	} else if p.Stream != "" {
		f.Add("playback.stream", "only playback of provider HLS has one")
	}
	if p.Thumbnail != "" {
		streamAddress(f, "playback.thumbnail", p.Thumbnail)
	}
	if p.Preview != "" {
		streamAddress(f, "playback.preview", p.Preview)
	}
}

// demoStream is the name of a stream that the binary carries. It becomes part of an address as it is.
var demoStream = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

func streamAddress(f *Faults, field, address string) {
	name, isDemo := strings.CutPrefix(address, DemoStreamScheme)
	switch {
	case !isDemo:
		f.url(field, address)
	case !demoStream.MatchString(name):
		f.Add(field, "%q does not name a demo stream: expected 1 to 40 characters of a-z, 0-9 and hyphen", Shorten(name))
	}
}

func (r AgeRange) validate(f *Faults, field string) {
	for _, bound := range []*int{r.Min, r.Max} {
		if bound != nil && (*bound < 0 || *bound > MaxAge) {
			f.Add(field, "%d is not an age between 0 and %d", *bound, MaxAge)
		}
	}
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		f.Add(field, "min %d is above max %d", *r.Min, *r.Max)
	}
}

// ValidateAttachments returns every fault of some attachments, in their order.
func ValidateAttachments(attachments []Attachment) fault.FieldErrors {
	var f Faults
	f.attachments(attachments)
	return f.List()
}

func (f *Faults) attachments(attachments []Attachment) {
	f.Length("attachments", len(attachments), MaxListLength)
	for i, attachment := range attachments {
		field := fmt.Sprintf("attachments[%d]", i)
		f.Text(field+".id", attachment.ID, 1, MaxNameLength)
		Listed(f, field+".type", attachment.Type, AttachmentTypes())
		f.optional(field+".description", attachment.Description, MaxTextLength)
		f.url(field+".link", attachment.Link)
	}
}

// State is the little of a stored video that decides whether and in which version a caller sees it.
type State struct {
	Ref
	Sequence  int64
	UpdatedAt time.Time
	// AvailableUntil is that of Video.
	AvailableUntil *Date
	// Private: the video's channel is private.
	Private     bool
	Retired     bool
	RetiredInto *ID
	// Duration is that of Video.Playback; 0: not known.
	Duration Duration
	Traits
}

// VisibleTo reports whether a caller with this access sees the video on a day: it is not retired, its
// availability has not ended, its channel is open to the caller, and the rules let it through.
func (s State) VisibleTo(access Access, today Date) bool {
	return !s.Retired &&
		(s.AvailableUntil == nil || *s.AvailableUntil >= today) &&
		access.opensPrivate(s.Private, s.Channel) &&
		access.Rules.Passes(s.ID, &s.Traits)
}
