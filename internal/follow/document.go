package follow

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Document is what search knows of a video, as the directory names things. It is the one place that
// maps the one to the other. What the video refers to and the directory does not hold is left out.
func Document(v *catalogue.Video, transcript string, d *catalogue.Directory) search.Document {
	doc := search.Document{
		State:               d.StateOf(v),
		Title:               v.Title,
		Keywords:            v.Keywords,
		SubjectNames:        subjectNames(v, d),
		Description:         v.Description,
		Transcript:          transcript,
		SubjectsSetManually: v.SubjectsSetManually,
		Duration:            v.Playback.Duration,
		ReleasedOn:          v.ReleasedOn,
		Ages:                v.AgeRange,
		Promoted:            v.Promoted,
		Tags:                v.BestForIDs,
		Subtypes:            v.ContentCategories,
		ResourceTypes:       resourceTypes(v),
		Topics:              v.TopicIDs,
	}
	if channel := d.Channel(v.ChannelID); channel != nil {
		doc.ChannelName = channel.Name
	}
	if v.CEFRLevel != nil {
		doc.CEFR = *v.CEFRLevel
	}
	return doc
}

func subjectNames(v *catalogue.Video, d *catalogue.Directory) []string {
	var names []string
	for _, id := range v.SubjectIDs {
		if subject := d.Subject(id); subject != nil {
			names = append(names, subject.Name)
		}
	}
	return names
}

func resourceTypes(v *catalogue.Video) []catalogue.AttachmentType {
	var types []catalogue.AttachmentType
	for _, attachment := range v.Attachments {
		if !slices.Contains(types, attachment.Type) {
			types = append(types, attachment.Type)
		}
	}
	return types
}
