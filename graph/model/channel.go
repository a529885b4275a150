package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Channel is a channel with its links.
type Channel struct {
	stored    *catalogue.Channel
	directory *catalogue.Directory
}

// NewChannel returns the view of a channel, or nil if stored is nil.
func NewChannel(stored *catalogue.Channel, directory *catalogue.Directory) *Channel {
	if stored == nil {
		return nil
	}
	return &Channel{stored: stored, directory: directory}
}

func (c *Channel) ID() catalogue.ID           { return c.stored.ID }
func (c *Channel) Name() string               { return c.stored.Name }
func (c *Channel) Description() string        { return c.stored.Description }
func (c *Channel) Notes() string              { return c.stored.Notes }
func (c *Channel) ContentType() string        { return c.stored.ContentType }
func (c *Channel) OneLineDescription() string { return c.stored.OneLineDesc }
func (c *Channel) Private() bool              { return c.stored.Private }
func (c *Channel) Links() Links               { return selfOf("channel", c.stored.ID, account.ViewChannels) }

// LegalRestriction returns the channel's legal restriction, or nil if the channel has none. The text determines the ID.
func (c *Channel) LegalRestriction() *LegalRestriction {
	text := c.stored.LegalRestriction
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
	categories := make([]ContentCategory, len(c.stored.ContentCategories))
	for i, subtype := range c.stored.ContentCategories {
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
	if c.stored.Language == nil {
		return nil
	}
	return &ChannelLanguage{Code: string(*c.stored.Language), Name: c.stored.Language.DisplayName()}
}

// ChannelLanguage is a language with its English name.
type ChannelLanguage struct{ Code, Name string }

// ContentTypes returns the content type as a list, the form that older clients read. The list is empty if the channel
// has no content type.
func (c *Channel) ContentTypes() []string {
	if c.stored.ContentType == "" {
		return []string{}
	}
	return []string{c.stored.ContentType}
}

// EducationLevels returns the channel's education levels, in the stored order.
func (c *Channel) EducationLevels() []*catalogue.EducationLevel {
	return view(c.stored.EducationLevels, c.directory.EducationLevel, itself)
}

// IngestType returns the channel's ingest type, or nil if it is unknown.
func (c *Channel) IngestType() *catalogue.IngestType {
	if c.stored.IngestType == "" {
		return nil
	}
	return &c.stored.IngestType
}

// Ingest returns the ingest settings of the channel, or nil if the ingest type is unknown.
func (c *Channel) Ingest() *ChannelIngest {
	if c.stored.IngestType == "" {
		return nil
	}
	return &ChannelIngest{
		Type: c.stored.IngestType, Urls: orEmpty(c.stored.IngestURLs), PlaylistIds: orEmpty(c.stored.IngestPlaylistIDs),
	}
}

// ChannelIngest describes how, and from which sources, the service receives the videos of a channel.
type ChannelIngest struct {
	Type              catalogue.IngestType
	Urls, PlaylistIds []string
}

// ContractID returns the ID of the channel's contract, or nil if the channel has none.
func (c *Channel) ContractID() *catalogue.ID { return c.stored.ContractID }

// ContractName returns the name of the channel's contract, or nil if the channel has none.
func (c *Channel) ContractName() *string {
	if c.stored.ContractID == nil {
		return nil
	}
	contract := c.directory.Contract(*c.stored.ContractID)
	if contract == nil {
		return nil
	}
	return &contract.Name
}

// Taxonomy returns the channel's classification by subject.
func (c *Channel) Taxonomy() ChannelTaxonomy {
	return ChannelTaxonomy{Categories: orEmpty(c.stored.Categories), RequiresVideoLevelTagging: c.stored.VideoLevelTagging}
}

// ChannelTaxonomy contains Thema codes, and whether each video needs codes of its own.
type ChannelTaxonomy struct {
	Categories                []string
	RequiresVideoLevelTagging bool
}

// Currency returns the channel's currency, or nil if it is unknown.
func (c *Channel) Currency() *string { return orNil(string(c.stored.Currency)) }

// DistributionMethods returns the channel's distribution methods. The list is empty if none are set.
func (c *Channel) DistributionMethods() []catalogue.DistributionMethod {
	return orEmpty(c.stored.DistributionMethods)
}

// AgeRange returns the channel's age range, or nil if neither bound is known.
func (c *Channel) AgeRange() *catalogue.AgeRange {
	if !c.stored.AgeRange.Known() {
		return nil
	}
	return &c.stored.AgeRange
}

// MarketingInformation returns the channel's marketing information.
func (c *Channel) MarketingInformation() ChannelMarketing {
	m := &c.stored.Marketing
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
	p := &c.stored.Pedagogy
	return ChannelPedagogy{Subjects: orEmpty(p.SubjectIDs), AgeRanges: orEmpty(p.AgeRanges), BestForTags: orEmpty(p.BestForTagIDs)}
}

// ChannelPedagogy contains the IDs of subjects and tags as they are stored.
type ChannelPedagogy struct {
	Subjects    []catalogue.ID
	AgeRanges   []catalogue.AgeRange
	BestForTags []catalogue.ID
}
