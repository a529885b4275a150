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

// NewChannel makes the view of a channel, nil of nil.
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

// LegalRestriction is nil where the channel has none. Its ID follows from its text.
func (c *Channel) LegalRestriction() *LegalRestriction {
	text := c.stored.LegalRestriction
	if text == "" {
		return nil
	}
	return &LegalRestriction{ID: catalogue.DeriveID("legal-restriction", "", text), Text: text}
}

// LegalRestriction is a text that restricts what may be done with videos, of a channel or by contracts.
type LegalRestriction struct {
	ID   catalogue.ID
	Text string
}

// ContentCategories are the channel's video subtypes with readable labels.
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

// Language is nil where it is not known.
func (c *Channel) Language() *ChannelLanguage {
	if c.stored.Language == nil {
		return nil
	}
	return &ChannelLanguage{Code: string(*c.stored.Language), Name: c.stored.Language.DisplayName()}
}

// ChannelLanguage is a language with its English name.
type ChannelLanguage struct{ Code, Name string }

// ContentTypes is the content type in a list, as older clients read it.
func (c *Channel) ContentTypes() []string {
	if c.stored.ContentType == "" {
		return []string{}
	}
	return []string{c.stored.ContentType}
}

// EducationLevels are those of the channel, in its order.
func (c *Channel) EducationLevels() []*catalogue.EducationLevel {
	return view(c.stored.EducationLevels, c.directory.EducationLevel, itself)
}

// IngestType is nil where it is not known.
func (c *Channel) IngestType() *catalogue.IngestType {
	if c.stored.IngestType == "" {
		return nil
	}
	return &c.stored.IngestType
}

// Ingest is nil where it is not known how videos come in.
func (c *Channel) Ingest() *ChannelIngest {
	if c.stored.IngestType == "" {
		return nil
	}
	return &ChannelIngest{
		Type: c.stored.IngestType, Urls: orEmpty(c.stored.IngestURLs), PlaylistIds: orEmpty(c.stored.IngestPlaylistIDs),
	}
}

// ChannelIngest is how, and from where, videos of a channel come in.
type ChannelIngest struct {
	Type              catalogue.IngestType
	Urls, PlaylistIds []string
}

// ContractID is nil where the channel is under no contract.
func (c *Channel) ContractID() *catalogue.ID { return c.stored.ContractID }

// ContractName is that of the channel's contract, nil where it is under none.
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

// Taxonomy is where the channel stands by subject.
func (c *Channel) Taxonomy() ChannelTaxonomy {
	return ChannelTaxonomy{Categories: orEmpty(c.stored.Categories), RequiresVideoLevelTagging: c.stored.VideoLevelTagging}
}

// ChannelTaxonomy holds Thema codes, and whether each video needs its own.
type ChannelTaxonomy struct {
	Categories                []string
	RequiresVideoLevelTagging bool
}

// Currency is nil where it is not known.
func (c *Channel) Currency() *string { return orNil(string(c.stored.Currency)) }

// DistributionMethods is empty where nobody has said any.
func (c *Channel) DistributionMethods() []catalogue.DistributionMethod {
	return orEmpty(c.stored.DistributionMethods)
}

// AgeRange is nil where no bound is known.
func (c *Channel) AgeRange() *catalogue.AgeRange {
	if !c.stored.AgeRange.Known() {
		return nil
	}
	return &c.stored.AgeRange
}

// MarketingInformation is how the operator presents the channel.
func (c *Channel) MarketingInformation() ChannelMarketing {
	m := &c.stored.Marketing
	return ChannelMarketing{
		Status: orNil(m.Status), OneLineIntro: orNil(m.OneLineIntro), Logos: orEmpty(m.Logos), Showreel: orNil(m.Showreel),
		SampleVideos: orEmpty(m.SampleVideos),
	}
}

// ChannelMarketing is catalogue.ChannelMarketing with nil for texts that say nothing.
type ChannelMarketing struct {
	Status, OneLineIntro *string
	Logos                []string
	Showreel             *string
	SampleVideos         []string
}

// PedagogyInformation is what the channel is good for in class.
func (c *Channel) PedagogyInformation() ChannelPedagogy {
	p := &c.stored.Pedagogy
	return ChannelPedagogy{Subjects: orEmpty(p.SubjectIDs), AgeRanges: orEmpty(p.AgeRanges), BestForTags: orEmpty(p.BestForTagIDs)}
}

// ChannelPedagogy names subjects and tags by their IDs, as they are written.
type ChannelPedagogy struct {
	Subjects    []catalogue.ID
	AgeRanges   []catalogue.AgeRange
	BestForTags []catalogue.ID
}
