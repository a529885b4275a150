package model

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Video is a stored video together with the directory of the objects that it refers to. Objects that are no longer in
// the directory are omitted.
type Video struct {
	stored    *catalogue.Video
	directory *catalogue.Directory
}

// NewVideo returns the view of a video.
func NewVideo(stored *catalogue.Video, directory *catalogue.Directory) *Video {
	return &Video{stored: stored, directory: directory}
}

// The fields of the video itself.

func (v *Video) Reference() catalogue.Ref               { return v.stored.Ref() }
func (v *Video) ID() catalogue.ID                       { return v.stored.ID }
func (v *Video) Title() string                          { return v.stored.Title }
func (v *Video) Description() string                    { return v.stored.Description }
func (v *Video) AdditionalDescription() *string         { return v.stored.AdditionalDescription }
func (v *Video) ReleasedOn() catalogue.Date             { return v.stored.ReleasedOn }
func (v *Video) UpdatedAt() time.Time                   { return v.stored.UpdatedAt }
func (v *Video) Playback() Playback                     { return Playback{v.stored} }
func (v *Video) LegalRestrictions() string              { return v.stored.LegalRestrictions }
func (v *Video) Promoted() bool                         { return v.stored.Promoted }
func (v *Video) Keywords() []string                     { return orEmpty(v.stored.Keywords) }
func (v *Video) Type() catalogue.VideoType              { return v.stored.Type }
func (v *Video) CefrLevel() *catalogue.CEFRLevel        { return v.stored.CEFRLevel }
func (v *Video) ContentCategories() []catalogue.Subtype { return orEmpty(v.stored.ContentCategories) }
func (v *Video) HasCaptions() bool                      { return v.stored.HasCaptions }
func (v *Video) Categories() []string                   { return orEmpty(v.directory.CategoriesOf(v.stored)) }

// HasTranscript reports whether the video has a transcript. Captions count as one.
func (v *Video) HasTranscript() bool { return v.stored.HasTranscript || v.stored.HasCaptions }

// LanguageCode returns the code of the video's language, or "" if the language is unknown.
func (v *Video) LanguageCode() catalogue.Language {
	if v.stored.Language == nil {
		return ""
	}
	return *v.stored.Language
}

// Badges returns the source of the stream: "youtube", or "ad-free" for the operator's own streams.
func (v *Video) Badges() []string {
	if v.stored.Playback.Provider == catalogue.ProviderYouTube {
		return []string{"youtube"}
	}
	return []string{"ad-free"}
}

// AgeRange returns the video's age range. It has no bounds if none is known.
func (v *Video) AgeRange() catalogue.AgeRange { return v.stored.AgeRange }

// Availability returns the end of the video's availability, or nil if it has no end.
func (v *Video) Availability() *Availability {
	if v.stored.AvailableUntil == nil {
		return nil
	}
	return &Availability{AvailableUntil: *v.stored.AvailableUntil}
}

// Availability contains the last day on which a video is available.
type Availability struct{ AvailableUntil catalogue.Date }

// Language returns the video's language, or nil if it is unknown.
func (v *Video) Language() *Language {
	if v.stored.Language == nil {
		return nil
	}
	return &Language{Code: string(*v.stored.Language), DisplayName: v.stored.Language.DisplayName()}
}

// SpokenLanguage returns Language, or catalogue.Undetermined if the language is unknown.
func (v *Video) SpokenLanguage() Language {
	language := v.LanguageCode().OrUndetermined()
	return Language{Code: string(language), DisplayName: language.DisplayName()}
}

// Language is a language with its English name.
type Language struct{ Code, DisplayName string }

// Subjects returns the video's subjects, in the stored order.
func (v *Video) Subjects() []*Subject {
	return view(v.stored.SubjectIDs, v.directory.Subject, NewSubject)
}

// BestFor returns the video's tags, in the stored order.
func (v *Video) BestFor() []*Tag { return view(v.stored.BestForIDs, v.directory.Tag, NewTag) }

// ContentWarnings returns the video's content warnings, or nil if nobody assessed the video.
func (v *Video) ContentWarnings() []*ContentWarning {
	if v.stored.ContentWarningIDs == nil {
		return nil
	}
	return view(v.stored.ContentWarningIDs, v.directory.ContentWarning, NewContentWarning)
}

// EducationLevels returns the video's education levels, in the stored order.
func (v *Video) EducationLevels() []*catalogue.EducationLevel {
	return view(v.stored.EducationLevels, v.directory.EducationLevel, itself)
}

// Topics returns the video's topics, in the stored order.
func (v *Video) Topics() []*catalogue.Topic {
	return view(v.stored.TopicIDs, v.directory.Topic, itself)
}

// Channel returns the video's channel, or nil if it is not in the directory.
func (v *Video) Channel() *Channel {
	return NewChannel(v.directory.Channel(v.stored.ChannelID), v.directory)
}

// CreatedBy returns the name of the video's channel.
func (v *Video) CreatedBy() string {
	if channel := v.directory.Channel(v.stored.ChannelID); channel != nil {
		return channel.Name
	}
	return ""
}

// MaxLicenseDurationYears returns the limit in the contract, or nil if the contract sets none.
func (v *Video) MaxLicenseDurationYears() *int {
	if contract := v.directory.ContractOf(v.stored); contract != nil {
		return contract.MaxLicenseDurationYears
	}
	return nil
}

// Attachments returns the video's attachments, in the stored order.
func (v *Video) Attachments() []Attachment { return attachmentsOf(v.stored.Attachments) }

func attachmentsOf(stored []catalogue.Attachment) []Attachment {
	attachments := make([]Attachment, len(stored))
	for i := range stored {
		attachments[i] = Attachment{&stored[i]}
	}
	return attachments
}

// LinksOfVideo returns the links that every video has: self, and the addresses for reporting its use.
func LinksOfVideo(id catalogue.ID) Links {
	links := selfOf("video", id, account.Browse)
	links.List = append(links.List,
		Link{Rel: "logInteraction", ID: string(id), Permission: account.ViewVideos},
		Link{Rel: "trackVideoShareLink", ID: string(id), Permission: account.ViewVideos})
	return links
}

// HasStream reports whether the video is played from a stream rather than from an external host.
func (v *Video) HasStream() bool { return v.stored.Playback.Stream != "" }

// Links returns the links of every video and one to similar videos, and links to the transcript and captions if they exist. A video that is
// played from a stream also has a link for embedding, which only accounts with the permission to embed videos see.
func (v *Video) Links() Links {
	links := LinksOfVideo(v.stored.ID)
	links.List = append(links.List, Link{Rel: "similar", ID: string(v.stored.ID), Permission: account.ViewVideos})
	if v.HasStream() {
		links.List = append(links.List, Link{Rel: "createEmbed", ID: string(v.stored.ID), Permission: account.EmbedVideos})
	}
	if v.HasTranscript() {
		links.List = append(links.List, Link{
			Rel: "transcript", ID: string(v.stored.ID), Permission: account.DownloadTranscript,
		})
	}
	if v.stored.HasCaptions {
		links.List = append(links.List, Link{
			Rel: "captions", ID: string(v.stored.ID), Permission: account.DownloadTranscript,
		})
	}
	return links
}

// Attachment is a resource that supports the use of a video in class.
type Attachment struct{ stored *catalogue.Attachment }

func (a Attachment) ID() string                     { return a.stored.ID }
func (a Attachment) Type() catalogue.AttachmentType { return a.stored.Type }
func (a Attachment) Description() *string           { return a.stored.Description }

// Links returns a link to the resource's own address, unchanged.
func (a Attachment) Links() Links { return linksOf(Link{Rel: "download", Address: a.stored.Link}) }

// Restrictions describe the permitted use of a video.
type Restrictions struct {
	Video     *string
	Editing   EditingRestrictions
	Territory TerritoryRestrictions
}

// EditingRestrictions state whether a video may be edited.
type EditingRestrictions struct {
	// Permission is nil if the contract does not specify it.
	Permission  *catalogue.EditingPermission
	EditingInfo string
}

// TerritoryRestrictions state the territories in which a video may be shown.
type TerritoryRestrictions struct {
	Type catalogue.TerritoryType
	// Territories is nil if the contract has no list.
	Territories             []string
	AdditionalTerritoryInfo string
}

// Restrictions returns the restrictions in the contract of the video's channel. A video without a contract has no
// restrictions.
func (v *Video) Restrictions() Restrictions {
	restrictions := Restrictions{Territory: TerritoryRestrictions{Type: "NO_RESTRICTIONS"}}
	contract := v.directory.ContractOf(v.stored)
	if contract == nil {
		return restrictions
	}
	restrictions.Video = contract.Video
	restrictions.Editing = EditingRestrictions{
		Permission: contract.EditingPermission, EditingInfo: contract.EditingInfo,
	}
	restrictions.Territory.Territories = contract.Territories
	restrictions.Territory.AdditionalTerritoryInfo = contract.AdditionalTerritoryInfo
	if contract.TerritoryType != "" {
		restrictions.Territory.Type = contract.TerritoryType
	}
	return restrictions
}

func itself[T any](t *T) *T { return t }

// view looks up each key and returns the views of the values that exist.
func view[K any, S any, V any](keys []K, lookUp func(K) *S, show func(*S) *V) []*V {
	list := make([]*V, 0, len(keys))
	for _, key := range keys {
		if stored := lookUp(key); stored != nil {
			list = append(list, show(stored))
		}
	}
	return list
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Sequence returns the video's position in the feed.
func (v *Video) Sequence() int64 { return v.stored.Sequence }
