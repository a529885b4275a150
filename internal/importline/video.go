package importline

import (
	"github.com/go-json-experiment/json/jsontext"

	c "github.com/filmstrip/filmstrip/catalogue"
)

func videoShape() *shape {
	shape := shapeOf[c.Video](
		at("title", required, func(v *c.Video) *string { return &v.Title }, text),
		at("channel", required, func(v *c.Video) *c.ID { return &v.ChannelID }, referenceTo(c.KindChannel)),
		at("releasedOn", required, func(v *c.Video) *c.Date { return &v.ReleasedOn }, parsed(c.ParseDate)),
		at("playback", required, func(v *c.Video) *c.Playback { return &v.Playback },
			object[c.Playback](playbackFields)).holding(playbackFields),
		at("type", defaulted, func(v *c.Video) *c.VideoType { return &v.Type }, parsed(c.ParseVideoType)),
		at("description", optional, func(v *c.Video) *string { return &v.Description }, text),
		at("additionalDescription", optional, func(v *c.Video) **string { return &v.AdditionalDescription }, maybe(text)),
		at("subjects", optional, func(v *c.Video) *[]c.ID { return &v.SubjectIDs }, list(referenceTo(c.KindSubject))),
		at("subjectsSetManually", optional, func(v *c.Video) *bool { return &v.SubjectsSetManually }, boolean),
		at("topics", optional, func(v *c.Video) *[]c.ID { return &v.TopicIDs }, list(referenceTo(c.KindTopic))),
		at("keywords", optional, func(v *c.Video) *[]string { return &v.Keywords }, list(text)),
		at("language", optional, func(v *c.Video) **c.Language { return &v.Language }, maybe(parsed(c.ParseLanguage))),
		transcriptField(),
		at("hasTranscript", derived, func(*c.Video) *bool { return new(bool) }, boolean),
		at("hasCaptions", derived, func(*c.Video) *bool { return new(bool) }, boolean),
		at("ageRange", optional, func(v *c.Video) *c.AgeRange { return &v.AgeRange },
			object[c.AgeRange](ageRangeFields)).holding(ageRangeFields),
		at("educationLevels", optional, func(v *c.Video) *[]string { return &v.EducationLevels }, list(text)),
		at("cefrLevel", optional, func(v *c.Video) **c.CEFRLevel { return &v.CEFRLevel }, maybe(parsed(c.ParseCEFRLevel))),
		at("contentCategories", optional, func(v *c.Video) *[]c.Subtype { return &v.ContentCategories }, list(parsed(c.ParseSubtype))),
		at("categories", optional, func(v *c.Video) *[]string { return &v.Categories }, list(text)),
		at("bestFor", optional, func(v *c.Video) *[]c.ID { return &v.BestForIDs }, list(referenceTo(c.KindTag))),
		at("contentWarnings", optional, func(v *c.Video) *[]c.ID { return &v.ContentWarningIDs }, listOrEmpty(referenceTo(c.KindContentWarning))),
		at("attachments", optional, func(v *c.Video) *[]c.Attachment { return &v.Attachments },
			objects[c.Attachment](attachmentFields, c.MaxListLength)).holding(attachmentFields),
		at("legalRestrictions", optional, func(v *c.Video) *string { return &v.LegalRestrictions }, text),
		at("promoted", optional, func(v *c.Video) *bool { return &v.Promoted }, boolean),
		at("availableUntil", optional, func(v *c.Video) **c.Date { return &v.AvailableUntil }, maybe(parsed(c.ParseDate))),
		at("legacyId", optional, func(v *c.Video) *string { return &v.LegacyID }, text),
		retiredField(),
		at("retiredInto", optional, func(v *c.Video) **c.ID { return &v.RetiredInto }, maybe(referenceTo(c.KindVideo))),
		at("pruned", derived, func(*c.Video) *bool { return new(bool) }, boolean),
	)
	shape.judgedWith = map[string]string{"retiredInto": "retired"}
	return shape
}

var playbackFields = newTable(
	at("id", optional, func(p *c.Playback) *string { return &p.ID }, text),
	at("provider", defaulted, func(p *c.Playback) *c.PlaybackProvider { return &p.Provider }, parsed(among(c.PlaybackProviders()))),
	at("duration", required, func(p *c.Playback) *c.Duration { return &p.Duration }, duration),
	at("stream", optional, func(p *c.Playback) *string { return &p.Stream }, text),
	at("thumbnail", optional, func(p *c.Playback) *string { return &p.Thumbnail }, text),
	at("preview", optional, func(p *c.Playback) *string { return &p.Preview }, text),
)

var ageRangeFields = newTable(
	at("min", optional, func(r *c.AgeRange) **int { return &r.Min }, maybe(whole)),
	at("max", optional, func(r *c.AgeRange) **int { return &r.Max }, maybe(whole)),
)

var attachmentFields = newTable(
	at("id", optional, func(a *c.Attachment) *string { return &a.ID }, text),
	at("type", required, func(a *c.Attachment) *c.AttachmentType { return &a.Type }, parsed(c.ParseAttachmentType)),
	at("description", optional, func(a *c.Attachment) **string { return &a.Description }, maybe(text)),
	at("link", required, func(a *c.Attachment) *string { return &a.Link }, text),
)

// retiredField is the field retired: a video that is not retired has no replacement.
func retiredField() field {
	f := at("retired", optional, func(v *c.Video) *bool { return &v.Retired }, boolean)
	f.move = func(to, from any) {
		video := to.(*c.Video)
		if video.Retired = from.(*c.Video).Retired; !video.Retired {
			video.RetiredInto = nil // if the line has the field retiredInto, which follows, it is moved afterwards
		}
	}
	return f
}

// transcriptName is the field with the transcript of a video.
const transcriptName = "transcript"

// transcriptField differs from the other fields: null, which removes the stored text, is not the zero value, which
// keeps it.
func transcriptField() field {
	set := func(s *scope, object any, value jsontext.Value) {
		video, transcript := object.(*c.Video), ""
		if value.Kind() != 'n' {
			transcript = text(s, value)
		}
		video.Transcript, video.HasTranscript = &transcript, transcript != ""
	}
	move := func(to, from any) {
		video, said := to.(*c.Video), from.(*c.Video)
		video.Transcript, video.HasTranscript = said.Transcript, said.HasTranscript
	}
	pointer := func(object any) any { return &object.(*c.Video).Transcript }
	return field{name: transcriptName, set: set, move: move, pointer: pointer}
}
