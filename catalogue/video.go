package catalogue

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Video is a video as the operator describes it. Data of other items that it shows (names, the contract's
// restrictions) is looked up in a Directory.
type Video struct {
	Meta
	// Sequence is assigned at the first insert and never changes. It determines the order of the feed and breaks
	// ties.
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
	// SubjectsSetManually reports whether people, rather than a classifier, assigned the subjects.
	SubjectsSetManually bool         `json:"subjectsSetManually"`
	LegalRestrictions   string       `json:"legalRestrictions"`
	AgeRange            AgeRange     `json:"ageRange"`
	BestForIDs          []ID         `json:"bestFor"`
	Promoted            bool         `json:"promoted"`
	Language            *Language    `json:"language"`
	Attachments         []Attachment `json:"attachments"`
	// ContentWarningIDs is nil if the video has not been reviewed, and empty if it needs no warning.
	ContentWarningIDs []ID     `json:"contentWarnings"`
	Keywords          []string `json:"keywords"`
	// AvailableUntil is the last UTC day on which the video is available; nil if there is no end.
	AvailableUntil  *Date      `json:"availableUntil"`
	EducationLevels []string   `json:"educationLevels"`
	CEFRLevel       *CEFRLevel `json:"cefrLevel"`
	// ContentCategories are the video's subtypes.
	ContentCategories []Subtype `json:"contentCategories"`
	// Categories are the video's own Thema codes. Those of its channel apply as well.
	Categories []string `json:"categories"`
	TopicIDs   []ID     `json:"topics"`
	// HasTranscript reports whether there is a transcript, which is stored separately.
	HasTranscript bool `json:"hasTranscript"`
	// HasCaptions reports whether there are Captions; the store sets it.
	HasCaptions bool `json:"hasCaptions,omitempty"`
	// LegacyID is an alias of digits only; "" if none.
	LegacyID string `json:"legacyId"`
	// Retired videos are visible to nobody. A retired duplicate may name its replacement, which may later be retired
	// as well.
	Retired     bool `json:"retired"`
	RetiredInto *ID  `json:"retiredInto"`
	// Pruned reports whether pruning retired the video because fields of it are held. The next import line about it
	// restores it.
	Pruned bool `json:"pruned,omitempty"`

	// Transcript is the text to store with the video. Reading a video leaves it nil. Writing nil keeps the stored
	// text, and writing an empty string removes it.
	Transcript *string `json:"-"`
}

// Playback describes how a video is played.
type Playback struct {
	// ID is the playback's own identifier.
	ID       string           `json:"id"`
	Provider PlaybackProvider `json:"provider"`
	Duration Duration         `json:"duration"`
	// Stream is the URL of the HLS playlist, or "demo:<name>" for a stream embedded in the binary, whose name has 1
	// to 40 characters of a-z, 0-9 and hyphen; "" if there is none (ProviderYouTube).
	Stream string `json:"stream"`
	// Thumbnail is the URL of the poster, which may contain {thumbnailWidth}; "" if there is none.
	Thumbnail string `json:"thumbnail"`
	// Preview is the URL of the sprite of frames, which contains {thumbnailWidth} and {thumbnailCount}; "" if there
	// is none.
	Preview string `json:"preview"`
}

// Attachment is a resource for using a video in class.
type Attachment struct {
	ID          string         `json:"id"`
	Type        AttachmentType `json:"type"`
	Description *string        `json:"description"`
	// Link is the URL of the resource. It is passed on unchanged.
	Link string `json:"link"`
}

// DemoStreamScheme is the prefix of a Playback URL that names a stream or an image embedded in the binary.
const DemoStreamScheme = "demo:"

// Kind returns KindVideo.
func (*Video) Kind() Kind { return KindVideo }

// Missing returns the names of the fields without which customers cannot find, understand or play the video: "subjects",
// "description" and "playback", each if it has no value. A playback needs a duration and, for ProviderHLS, a stream.
func (v *Video) Missing() []string {
	missing := []string{}
	if len(v.SubjectIDs) == 0 {
		missing = append(missing, "subjects")
	}
	if strings.TrimSpace(v.Description) == "" {
		missing = append(missing, "description")
	}
	if v.Playback.Duration == 0 || v.Playback.Provider == ProviderHLS && v.Playback.Stream == "" {
		missing = append(missing, "playback")
	}
	return missing
}

// Links returns channel, subjects, tags, warnings, education levels and topics.
func (v *Video) Links() []Link {
	links := []Link{{Kind: KindChannel, ID: v.ChannelID, Field: "channel"}}
	links = append(links, linksTo(KindSubject, "subjects", v.SubjectIDs)...)
	links = append(links, linksTo(KindTag, "bestFor", v.BestForIDs)...)
	links = append(links, linksTo(KindContentWarning, "contentWarnings", v.ContentWarningIDs)...)
	links = append(links, educationLevelLinks(v.EducationLevels)...)
	return append(links, linksTo(KindTopic, "topics", v.TopicIDs)...)
}

// Validate checks all fields except that linked items exist, which only a store can check.
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
		f.Add("language", "%q is not an ISO 639-2 code", fault.Shorten(string(*v.Language)))
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
		f.Add("legacyId", "%q is not 1 to 23 digits", fault.Shorten(v.LegacyID))
	}
	if v.RetiredInto != nil && (!v.Retired || *v.RetiredInto == v.ID || !v.RetiredInto.Valid()) {
		f.Add("retiredInto", "%q needs \"retired\": true and another video's id", fault.Shorten(string(*v.RetiredInto)))
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
		f.Add("playback.stream", "only playback with provider HLS can have a stream")
	}
	if p.Thumbnail != "" {
		streamAddress(f, "playback.thumbnail", p.Thumbnail)
	}
	if p.Preview != "" {
		streamAddress(f, "playback.preview", p.Preview)
	}
}

// demoStream matches names of embedded streams, which become part of URLs unescaped.
var demoStream = regexp.MustCompile(`^[a-z0-9-]{1,80}$`)

func streamAddress(f *Faults, field, address string) {
	name, isDemo := strings.CutPrefix(address, DemoStreamScheme)
	switch {
	case !isDemo:
		f.url(field, address)
	case !demoStream.MatchString(name):
		f.Add(field, "%q does not name a demo stream: expected 1 to 80 characters of a-z, 0-9 and hyphen", fault.Shorten(name))
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

// ValidateAttachments returns all errors of the attachments in order.
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

// State contains the properties of a stored video that determine whether a caller sees it, and in which version.
type State struct {
	Ref
	Sequence  int64
	UpdatedAt time.Time
	// AvailableUntil is Video.AvailableUntil.
	AvailableUntil *Date
	// Private reports whether the video's channel is private.
	Private     bool
	Retired     bool
	RetiredInto *ID
	// Duration is the duration of Video.Playback; 0 if unknown.
	Duration Duration
	Traits
}

// VisibleTo reports whether a caller with this access sees the video on the given day: it is not retired, it is still
// available, its channel is open to the caller, and the rules allow it.
func (s State) VisibleTo(access Access, today Date) bool {
	return !s.Retired &&
		(s.AvailableUntil == nil || *s.AvailableUntil >= today) &&
		access.opensPrivate(s.Private, s.Channel) &&
		access.Rules.Passes(s.ID, &s.Traits)
}
