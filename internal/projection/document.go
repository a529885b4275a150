package projection

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// Document returns the search document of a video, with the names in the directory and the vectors of the embedding, which
// may be nil. It leaves out references to what the directory does not contain.
func Document(v *catalogue.Video, transcript string, embedding *catalogue.Embedding, d *catalogue.Directory) search.Document {
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
		Incomplete:          len(v.Missing()) > 0,
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
	if embedding != nil {
		doc.Vectors, doc.Embedded = vectorsOf(embedding), embedding.Texts
	}
	return doc
}

func vectorsOf(e *catalogue.Embedding) []search.Vector {
	vectors := make([]search.Vector, 0, catalogue.MaxPassages)
	for bytes := range slices.Chunk(e.Vectors, e.Dimensions) {
		vectors = append(vectors, search.VectorOf(bytes))
	}
	return vectors
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

// spokenTexts returns the texts that are indexed as transcripts of videos: the transcript or, if there is none, the captions; and
// the texts of the highlights, so that a video is found by the words of one of its parts. It reads each kind of owned item once.
func spokenTexts(
	ctx context.Context, from store.Catalogue, found []*catalogue.Video, transcript func(*catalogue.Video) string,
) (map[catalogue.ID]string, error) {
	texts := make(map[catalogue.ID]string, len(found))
	ids := make([]catalogue.ID, len(found))
	var silent []*catalogue.Video
	for i, video := range found {
		ids[i], texts[video.ID] = video.ID, transcript(video)
		if texts[video.ID] == "" && video.HasCaptions {
			silent = append(silent, video)
		}
	}
	if err := addCaptions(ctx, from, silent, texts); err != nil {
		return nil, err
	}
	highlights, err := from.OwnedItemsOf(ctx, catalogue.KindHighlight, ids)
	for _, record := range highlights {
		highlight := record.(*catalogue.Highlight)
		add(texts, highlight.VideoID, highlight.Title)
		add(texts, highlight.VideoID, highlight.Caption)
	}
	return texts, err
}

func addCaptions(ctx context.Context, from store.Catalogue, videos []*catalogue.Video, texts map[catalogue.ID]string) error {
	if len(videos) == 0 {
		return nil
	}
	ids := make([]catalogue.ID, len(videos))
	for i, video := range videos {
		ids[i] = video.ID
	}
	stored, err := from.OwnedItemsOf(ctx, catalogue.KindCaptions, ids)
	of := make(map[catalogue.ID][]*catalogue.Captions, len(ids))
	for _, record := range stored {
		one := record.(*catalogue.Captions)
		of[one.VideoID] = append(of[one.VideoID], one)
	}
	for _, video := range videos {
		if captions := of[video.ID]; len(captions) > 0 {
			var spoken catalogue.Language
			if video.Language != nil {
				spoken = *video.Language
			}
			catalogue.ArrangeCaptions(captions, spoken)
			add(texts, video.ID, captions[0].PlainText())
		}
	}
	return err
}

// add adds a paragraph to the text of a video, unless the text would become longer than a transcript may be.
func add(texts map[catalogue.ID]string, video catalogue.ID, paragraph string) {
	text := strings.TrimPrefix(texts[video]+"\n\n"+paragraph, "\n\n")
	if paragraph != "" && len(text) <= catalogue.MaxTranscriptLength {
		texts[video] = text
	}
}
