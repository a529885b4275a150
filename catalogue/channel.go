package catalogue

import (
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
)

// Channel is a series of videos by one provider.
type Channel struct {
	Meta
	Name             string    `json:"name"`
	Description      string    `json:"description"`
	OneLineDesc      string    `json:"oneLineDescription"`
	Notes            string    `json:"notes"`
	ContentType      string    `json:"contentType"`
	LegalRestriction string    `json:"legalRestriction"`
	Language         *Language `json:"language"`
	// ContentCategories are the video subtypes that the channel offers.
	ContentCategories []Subtype `json:"contentCategories"`
	// Categories are Thema codes. They apply to every video of the channel.
	Categories      []string   `json:"categories"`
	EducationLevels []string   `json:"educationLevels"`
	IngestType      IngestType `json:"ingestType"`
	ContractID      *ID        `json:"contract"`
	// Private hides the channel and its videos from callers without access to private channels.
	Private bool `json:"private"`

	// Fields added later are omitted from the JSON encoding if they are empty, so that it equals the encoding of
	// channels stored earlier.

	// Currency is the currency in which the provider is paid; "" if unspecified.
	Currency Currency `json:"currency,omitempty"`
	// DistributionMethods are the ways in which videos may be delivered to viewers; empty if unspecified.
	DistributionMethods []DistributionMethod `json:"distributionMethods,omitempty"`
	// AgeRange is the target age of the channel. Videos have their own.
	AgeRange AgeRange `json:"ageRange,omitzero"`
	// VideoLevelTagging reports that the channel's Categories are not sufficient and each video needs its own.
	VideoLevelTagging bool `json:"requiresVideoLevelTagging,omitempty"`
	// IngestURLs and IngestPlaylistIDs are the sources of the videos for the IngestType, which is required if there
	// are any.
	IngestURLs        []string         `json:"ingestUrls,omitempty"`
	IngestPlaylistIDs []string         `json:"ingestPlaylistIds,omitempty"`
	Marketing         ChannelMarketing `json:"marketingInformation,omitzero"`
	Pedagogy          ChannelPedagogy  `json:"pedagogyInformation,omitzero"`
}

// ChannelMarketing is the marketing data of a channel. The zero value is empty.
type ChannelMarketing struct {
	// Status is the operator's own description of the progress.
	Status       string `json:"status"`
	OneLineIntro string `json:"oneLineIntro"`
	// Logos, Showreel and SampleVideos are http(s) URLs; Showreel is "" if there is none.
	Logos        []string `json:"logos"`
	Showreel     string   `json:"showreel"`
	SampleVideos []string `json:"sampleVideos"`
}

// ChannelPedagogy describes the use of a channel in class. It does not apply to single videos.
type ChannelPedagogy struct {
	SubjectIDs []ID `json:"subjects"`
	// AgeRanges each have at least one bound.
	AgeRanges     []AgeRange `json:"ageRanges"`
	BestForTagIDs []ID       `json:"bestForTags"`
}

// Kind returns KindChannel.
func (*Channel) Kind() Kind { return KindChannel }

// Links returns the education levels, the contract, and the subjects and tags of the pedagogy.
func (c *Channel) Links() []Link {
	links := educationLevelLinks(c.EducationLevels)
	if c.ContractID != nil {
		links = append(links, Link{Kind: KindContract, ID: *c.ContractID, Field: "contract"})
	}
	links = append(links, linksTo(KindSubject, "pedagogyInformation.subjects", c.Pedagogy.SubjectIDs)...)
	return append(links, linksTo(KindTag, "pedagogyInformation.bestForTags", c.Pedagogy.BestForTagIDs)...)
}

// Validate checks all fields.
func (c *Channel) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", c.Name, 1, MaxNameLength)
	f.Text("description", c.Description, 0, MaxTextLength)
	f.Text("oneLineDescription", c.OneLineDesc, 0, MaxTextLength)
	f.Text("notes", c.Notes, 0, MaxTextLength)
	f.Text("contentType", c.ContentType, 0, MaxNameLength)
	f.Text("legalRestriction", c.LegalRestriction, 0, MaxTextLength)
	if c.Language != nil && !c.Language.Valid() {
		f.Add("language", "%q is not an ISO 639-2 code", fault.Shorten(string(*c.Language)))
	}
	f.Length("contentCategories", len(c.ContentCategories), MaxListLength)
	for _, subtype := range c.ContentCategories {
		Listed(&f, "contentCategories", subtype, Subtypes())
	}
	checkThema(&f, "categories", c.Categories)
	f.Length("educationLevels", len(c.EducationLevels), MaxListLength)
	if c.IngestType != "" {
		Listed(&f, "ingestType", c.IngestType, IngestTypes())
	}
	if c.Currency != "" && !c.Currency.Valid() {
		f.Add("currency", "%q is not an ISO 4217 code", fault.Shorten(string(c.Currency)))
	}
	f.Length("distributionMethods", len(c.DistributionMethods), MaxListLength)
	for i, method := range c.DistributionMethods {
		Listed(&f, fmt.Sprintf("distributionMethods[%d]", i), method, DistributionMethods())
	}
	c.AgeRange.validate(&f, "ageRange")
	c.validateIngest(&f)
	c.Marketing.validate(&f)
	c.Pedagogy.validate(&f)
	return f.List()
}

func (c *Channel) validateIngest(f *Faults) {
	f.addresses("ingestUrls", c.IngestURLs)
	f.Length("ingestPlaylistIds", len(c.IngestPlaylistIDs), MaxListLength)
	for i, id := range c.IngestPlaylistIDs {
		f.Line(fmt.Sprintf("ingestPlaylistIds[%d]", i), id, 1, MaxNameLength)
	}
	if c.IngestType == "" && len(c.IngestURLs)+len(c.IngestPlaylistIDs) > 0 {
		f.Add("ingestType", "is required if there are ingest URLs or playlists")
	}
}

func (m *ChannelMarketing) validate(f *Faults) {
	f.Line("marketingInformation.status", m.Status, 0, MaxNameLength)
	f.Text("marketingInformation.oneLineIntro", m.OneLineIntro, 0, MaxTextLength)
	f.addresses("marketingInformation.logos", m.Logos)
	f.optionalURL("marketingInformation.showreel", m.Showreel)
	f.addresses("marketingInformation.sampleVideos", m.SampleVideos)
}

func (p *ChannelPedagogy) validate(f *Faults) {
	f.Length("pedagogyInformation.subjects", len(p.SubjectIDs), MaxListLength)
	f.Length("pedagogyInformation.ageRanges", len(p.AgeRanges), MaxListLength)
	for i, ages := range p.AgeRanges {
		field := fmt.Sprintf("pedagogyInformation.ageRanges[%d]", i)
		ages.validate(f, field)
		if !ages.Known() {
			f.Add(field, "has neither min nor max")
		}
	}
	f.Length("pedagogyInformation.bestForTags", len(p.BestForTagIDs), MaxListLength)
}
