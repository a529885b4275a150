package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Video is a stored video together with the directory of the objects that it refers to. Objects that are no longer in
// the directory are omitted. Fields of the schema that have no method here are those of the stored video.
type Video struct {
	*catalogue.Video
	directory *catalogue.Directory
}

// NewVideo returns the view of a video.
func NewVideo(stored *catalogue.Video, directory *catalogue.Directory) *Video {
	return &Video{Video: stored, directory: directory}
}

func (v *Video) Reference() catalogue.Ref { return v.Video.Ref() }
func (v *Video) Playback() Playback       { return Playback{v.Video} }
func (v *Video) Categories() []string     { return orEmpty(v.directory.CategoriesOf(v.Video)) }

// HasTranscript reports whether the video has a transcript. Captions count as one.
func (v *Video) HasTranscript() bool { return v.Video.HasTranscript || v.Video.HasCaptions }

// LanguageCode returns the code of the video's language, or "" if the language is unknown.
func (v *Video) LanguageCode() catalogue.Language {
	if v.Video.Language == nil {
		return ""
	}
	return *v.Video.Language
}

// Badges returns the source of the stream: "youtube", or "ad-free" for the operator's own streams.
func (v *Video) Badges() []string {
	if v.Video.Playback.Provider == catalogue.ProviderYouTube {
		return []string{"youtube"}
	}
	return []string{"ad-free"}
}

// Availability returns the end of the video's availability, or nil if it has no end.
func (v *Video) Availability() *Availability {
	if v.Video.AvailableUntil == nil {
		return nil
	}
	return &Availability{AvailableUntil: *v.Video.AvailableUntil}
}

// Availability contains the last day on which a video is available.
type Availability struct{ AvailableUntil catalogue.Date }

// Language returns the video's language, or nil if it is unknown.
func (v *Video) Language() *Language {
	if v.Video.Language == nil {
		return nil
	}
	return &Language{Code: string(*v.Video.Language), DisplayName: v.Video.Language.DisplayName()}
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
	return view(v.Video.SubjectIDs, v.directory.Subject, NewSubject)
}

// BestFor returns the video's tags, in the stored order.
func (v *Video) BestFor() []*Tag { return view(v.Video.BestForIDs, v.directory.Tag, NewTag) }

// ContentWarnings returns the video's content warnings, or nil if nobody assessed the video.
func (v *Video) ContentWarnings() []*ContentWarning {
	if v.Video.ContentWarningIDs == nil {
		return nil
	}
	return view(v.Video.ContentWarningIDs, v.directory.ContentWarning, NewContentWarning)
}

// EducationLevels returns the video's education levels, in the stored order.
func (v *Video) EducationLevels() []*catalogue.EducationLevel {
	return view(v.Video.EducationLevels, v.directory.EducationLevel, itself)
}

// Topics returns the video's topics, in the stored order.
func (v *Video) Topics() []*catalogue.Topic {
	return view(v.Video.TopicIDs, v.directory.Topic, itself)
}

// Channel returns the video's channel, or nil if it is not in the directory.
func (v *Video) Channel() *Channel {
	return NewChannel(v.directory.Channel(v.Video.ChannelID), v.directory)
}

// CreatedBy returns the name of the video's channel.
func (v *Video) CreatedBy() string {
	if channel := v.directory.Channel(v.Video.ChannelID); channel != nil {
		return channel.Name
	}
	return ""
}

// MaxLicenseDurationYears returns the limit in the contract, or nil if the contract sets none.
func (v *Video) MaxLicenseDurationYears() *int {
	if contract := v.directory.ContractOf(v.Video); contract != nil {
		return contract.MaxLicenseDurationYears
	}
	return nil
}

// Attachments returns the video's attachments, in the stored order.
func (v *Video) Attachments() []Attachment { return attachmentsOf(v.Video.Attachments) }

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
func (v *Video) HasStream() bool { return v.Video.Playback.Stream != "" }

// Links returns the links of every video and one to similar videos, and links to the transcript and captions if they exist. A video that is
// played from a stream also has a link for embedding, which only accounts with the permission to embed videos see.
func (v *Video) Links() Links {
	links := LinksOfVideo(v.Video.ID)
	links.List = append(links.List, Link{Rel: "similar", ID: string(v.Video.ID), Permission: account.ViewVideos})
	if v.HasStream() {
		links.List = append(links.List, Link{Rel: "createEmbed", ID: string(v.Video.ID), Permission: account.EmbedVideos})
	}
	if v.HasTranscript() {
		links.List = append(links.List, Link{
			Rel: "transcript", ID: string(v.Video.ID), Permission: account.DownloadTranscript,
		})
	}
	if v.Video.HasCaptions {
		links.List = append(links.List, Link{
			Rel: "captions", ID: string(v.Video.ID), Permission: account.DownloadTranscript,
		})
	}
	return links
}

// Attachment is a resource that supports the use of a video in class.
type Attachment struct{ *catalogue.Attachment }

// Links returns a link to the resource's own address, unchanged.
func (a Attachment) Links() Links { return linksOf(Link{Rel: "download", Address: a.Link}) }

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
	contract := v.directory.ContractOf(v.Video)
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
