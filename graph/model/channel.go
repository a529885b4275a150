package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Channel is a channel with its links. Fields of the schema that have no method here are those of the stored channel.
type Channel struct {
	*catalogue.Channel
	directory *catalogue.Directory
}

// NewChannel returns the view of a channel, or nil if stored is nil.
func NewChannel(stored *catalogue.Channel, directory *catalogue.Directory) *Channel {
	if stored == nil {
		return nil
	}
	return &Channel{Channel: stored, directory: directory}
}

func (c *Channel) OneLineDescription() string { return c.Channel.OneLineDesc }
func (c *Channel) Links() Links               { return selfOf("channel", c.Channel.ID, account.ViewChannels) }

// LegalRestriction returns the channel's legal restriction, or nil if the channel has none. The text determines the ID.
func (c *Channel) LegalRestriction() *LegalRestriction {
	text := c.Channel.LegalRestriction
	if text == "" {
		return nil
	}
	return &LegalRestriction{ID: catalogue.DeriveID("legal-restriction", "", text), Text: text}
}

// LegalRestriction is a text that restricts the use of videos. Channels and contracts have legal restrictions.
type LegalRestriction struct {
	ID   catalogue.ID
	Text string
}

// ContentCategories returns the channel's video subtypes with readable labels.
func (c *Channel) ContentCategories() []ContentCategory {
	categories := make([]ContentCategory, len(c.Channel.ContentCategories))
	for i, subtype := range c.Channel.ContentCategories {
		categories[i] = ContentCategory{Key: subtype, Label: subtype.Label()}
	}
	return categories
}

// ContentCategory is a video subtype with a readable label.
type ContentCategory struct {
	Key   catalogue.Subtype
	Label string
}

// Language returns the channel's language, or nil if it is unknown.
func (c *Channel) Language() *ChannelLanguage {
	if c.Channel.Language == nil {
		return nil
	}
	return &ChannelLanguage{Code: string(*c.Channel.Language), Name: c.Channel.Language.DisplayName()}
}

// ChannelLanguage is a language with its English name.
type ChannelLanguage struct{ Code, Name string }

// ContentTypes returns the content type as a list, the form that older clients read. The list is empty if the channel
// has no content type.
func (c *Channel) ContentTypes() []string {
	if c.Channel.ContentType == "" {
		return []string{}
	}
	return []string{c.Channel.ContentType}
}

// EducationLevels returns the channel's education levels, in the stored order.
func (c *Channel) EducationLevels() []*catalogue.EducationLevel {
	return view(c.Channel.EducationLevels, c.directory.EducationLevel, itself)
}

// IngestType returns the channel's ingest type, or nil if it is unknown.
func (c *Channel) IngestType() *catalogue.IngestType {
	if c.Channel.IngestType == "" {
		return nil
	}
	return &c.Channel.IngestType
}

// Ingest returns the ingest settings of the channel, or nil if the ingest type is unknown.
func (c *Channel) Ingest() *ChannelIngest {
	if c.Channel.IngestType == "" {
		return nil
	}
	return &ChannelIngest{
		Type: c.Channel.IngestType, Urls: orEmpty(c.Channel.IngestURLs), PlaylistIds: orEmpty(c.Channel.IngestPlaylistIDs),
	}
}

// ChannelIngest describes how, and from which sources, the service receives the videos of a channel.
type ChannelIngest struct {
	Type              catalogue.IngestType
	Urls, PlaylistIds []string
}

// ContractName returns the name of the channel's contract, or nil if the channel has none.
func (c *Channel) ContractName() *string {
	if c.Channel.ContractID == nil {
		return nil
	}
	contract := c.directory.Contract(*c.Channel.ContractID)
	if contract == nil {
		return nil
	}
	return &contract.Name
}

// Taxonomy returns the channel's classification by subject.
func (c *Channel) Taxonomy() ChannelTaxonomy {
	return ChannelTaxonomy{Categories: orEmpty(c.Channel.Categories), RequiresVideoLevelTagging: c.Channel.VideoLevelTagging}
}

// ChannelTaxonomy contains Thema codes, and whether each video needs codes of its own.
type ChannelTaxonomy struct {
	Categories                []string
	RequiresVideoLevelTagging bool
}

// Currency returns the channel's currency, or nil if it is unknown.
func (c *Channel) Currency() *string { return orNil(string(c.Channel.Currency)) }

// AgeRange returns the channel's age range, or nil if neither bound is known.
func (c *Channel) AgeRange() *catalogue.AgeRange {
	if !c.Channel.AgeRange.Known() {
		return nil
	}
	return &c.Channel.AgeRange
}

// MarketingInformation returns the channel's marketing information.
func (c *Channel) MarketingInformation() ChannelMarketing {
	m := &c.Channel.Marketing
	return ChannelMarketing{
		Status: orNil(m.Status), OneLineIntro: orNil(m.OneLineIntro), Logos: orEmpty(m.Logos), Showreel: orNil(m.Showreel),
		SampleVideos: orEmpty(m.SampleVideos),
	}
}

// ChannelMarketing is catalogue.ChannelMarketing with nil instead of empty texts.
type ChannelMarketing struct {
	Status, OneLineIntro *string
	Logos                []string
	Showreel             *string
	SampleVideos         []string
}

// PedagogyInformation returns the channel's recommended use in class.
func (c *Channel) PedagogyInformation() ChannelPedagogy {
	p := &c.Channel.Pedagogy
	return ChannelPedagogy{Subjects: orEmpty(p.SubjectIDs), AgeRanges: orEmpty(p.AgeRanges), BestForTags: orEmpty(p.BestForTagIDs)}
}

// ChannelPedagogy contains the IDs of subjects and tags as they are stored.
type ChannelPedagogy struct {
	Subjects    []catalogue.ID
	AgeRanges   []catalogue.AgeRange
	BestForTags []catalogue.ID
}
