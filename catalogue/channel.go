package catalogue

import (
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
)

// Channel is a provider's line of videos.
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
	// Categories are Thema codes; every video of the channel has them too.
	Categories      []string   `json:"categories"`
	EducationLevels []string   `json:"educationLevels"`
	IngestType      IngestType `json:"ingestType"`
	ContractID      *ID        `json:"contract"`
	// Private hides the channel and its videos from whoever has no access to private channels.
	Private bool `json:"private"`

	// Fields that came later are left out of a body in which they say nothing, so that it equals one that was
	// stored before.

	// Currency is what the provider is paid in; "": not said.
	Currency Currency `json:"currency,omitempty"`
	// DistributionMethods are the ways in which the videos may reach those who watch; empty: not said.
	DistributionMethods []DistributionMethod `json:"distributionMethods,omitempty"`
	// AgeRange says for whom the channel is. Its videos have their own.
	AgeRange AgeRange `json:"ageRange,omitzero"`
	// VideoLevelTagging: the channel's Categories are not enough, each video needs its own.
	VideoLevelTagging bool `json:"requiresVideoLevelTagging,omitempty"`
	// IngestURLs and IngestPlaylistIDs are where the videos come from, by the IngestType, which must be said
	// where there are any.
	IngestURLs        []string         `json:"ingestUrls,omitempty"`
	IngestPlaylistIDs []string         `json:"ingestPlaylistIds,omitempty"`
	Marketing         ChannelMarketing `json:"marketingInformation,omitzero"`
	Pedagogy          ChannelPedagogy  `json:"pedagogyInformation,omitzero"`
}

// ChannelMarketing is how the operator presents a channel. The zero value says nothing.
type ChannelMarketing struct {
	// Status is how far that has come, in the operator's words.
	Status       string `json:"status"`
	OneLineIntro string `json:"oneLineIntro"`
	// Logos, Showreel and SampleVideos are http(s) addresses; Showreel is "" where there is none.
	Logos        []string `json:"logos"`
	Showreel     string   `json:"showreel"`
	SampleVideos []string `json:"sampleVideos"`
}

// ChannelPedagogy is what a channel is good for in class. It says nothing of single videos.
type ChannelPedagogy struct {
	SubjectIDs []ID `json:"subjects"`
	// AgeRanges each know one bound at least.
	AgeRanges     []AgeRange `json:"ageRanges"`
	BestForTagIDs []ID       `json:"bestForTags"`
}

// Kind is KindChannel.
func (*Channel) Kind() Kind { return KindChannel }

// Links lists the education levels, the contract, and the subjects and tags of the pedagogy.
func (c *Channel) Links() []Link {
	links := educationLevelLinks(c.EducationLevels)
	if c.ContractID != nil {
		links = append(links, Link{Kind: KindContract, ID: *c.ContractID, Field: "contract"})
	}
	links = append(links, linksTo(KindSubject, "pedagogyInformation.subjects", c.Pedagogy.SubjectIDs)...)
	return append(links, linksTo(KindTag, "pedagogyInformation.bestForTags", c.Pedagogy.BestForTagIDs)...)
}

// Validate checks every field.
func (c *Channel) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", c.Name, 1, MaxNameLength)
	f.Text("description", c.Description, 0, MaxTextLength)
	f.Text("oneLineDescription", c.OneLineDesc, 0, MaxTextLength)
	f.Text("notes", c.Notes, 0, MaxTextLength)
	f.Text("contentType", c.ContentType, 0, MaxNameLength)
	f.Text("legalRestriction", c.LegalRestriction, 0, MaxTextLength)
	if c.Language != nil && !c.Language.Valid() {
		f.Add("language", "%q is not an ISO 639-2 code", Shorten(string(*c.Language)))
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
		f.Add("currency", "%q is not an ISO 4217 code", Shorten(string(c.Currency)))
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
		f.Add("ingestType", "is required where videos have places that they come from")
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
