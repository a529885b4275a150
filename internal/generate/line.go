package generate

import (
	"bytes"
	"encoding/json"

	"github.com/filmstrip/filmstrip/catalogue"
)

// head is the beginning of every import line.
type head struct {
	Format int            `json:"format"`
	Kind   catalogue.Kind `json:"kind"`
	Source string         `json:"source"`
	Ref    string         `json:"ref,omitempty"`
}

func headOf(item catalogue.Item) head {
	return head{Format: 1, Kind: item.Kind(), Source: Source, Ref: item.Head().Reference}
}

// Lines embed the items themselves, so that fields have the names of the catalogue. A field with references is shadowed
// by one of the same name that contains the references as lines write them.
type (
	disciplineLine struct {
		head
		*catalogue.Discipline
		Subjects []string `json:"subjects"`
	}
	channelLine struct {
		head
		*catalogue.Channel
		Contract *string      `json:"contract"`
		Pedagogy pedagogyPart `json:"pedagogyInformation,omitzero"`
	}
	pedagogyPart struct {
		Subjects    []string             `json:"subjects,omitempty"`
		AgeRanges   []catalogue.AgeRange `json:"ageRanges,omitempty"`
		BestForTags []string             `json:"bestForTags,omitempty"`
	}
	videoLine struct {
		head
		*catalogue.Video
		Channel         string   `json:"channel"`
		Subjects        []string `json:"subjects"`
		BestFor         []string `json:"bestFor"`
		ContentWarnings []string `json:"contentWarnings"`
		Topics          []string `json:"topics"`
		RetiredInto     *string  `json:"retiredInto"`
		Transcript      *string  `json:"transcript,omitempty"`
		// HasTranscript follows from the transcript; no line contains it.
		HasTranscript bool `json:"hasTranscript,omitempty"`
	}
)

// These lines name their videos by ID, because nothing keeps the references of millions of videos. Times are in
// seconds.
type (
	captionsLine struct {
		head
		*catalogue.Captions
		Cues []cueLine `json:"cues"`
	}
	cueLine struct {
		Start float64 `json:"start"`
		End   float64 `json:"end"`
		Text  string  `json:"text"`
	}
	highlightLine struct {
		head
		*catalogue.Highlight
		Start float64 `json:"start"`
		End   float64 `json:"end"`
	}
	themeLine struct {
		head
		*catalogue.Theme
		Provider string `json:"provider"`
	}
	schoolLine struct {
		head
		*catalogue.School
		District *string `json:"district"`
	}
)

// plainLine is the line of an item without references.
type plainLine struct {
	head head
	item catalogue.Item
}

// MarshalJSON implements json.Marshaler. It appends the fields of the item to those of the head.
func (l plainLine) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l.head); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("}\n"))
	start := b.Len()
	if err := encoder.Encode(l.item); err != nil {
		return nil, err
	}
	line := b.Bytes()
	line[start] = ',' // in place of the brace; every item has fields
	return line, nil
}

// references are the names of the items that videos refer to.
type references map[catalogue.ID]string

func (r references) of(ids []catalogue.ID) []string {
	if ids == nil {
		return nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = r[id]
	}
	return names
}

// line returns the import line of any item except a video.
func (r references) line(item catalogue.Item) any {
	head := headOf(item)
	switch item := item.(type) {
	case *catalogue.Discipline:
		return disciplineLine{head, item, r.of(item.SubjectIDs)}
	case *catalogue.Channel:
		p := &item.Pedagogy
		line := channelLine{head: head, Channel: item, Pedagogy: pedagogyPart{r.of(p.SubjectIDs), p.AgeRanges, r.of(p.BestForTagIDs)}}
		if item.ContractID != nil {
			line.Contract = new(r[*item.ContractID])
		}
		return line
	case *catalogue.Captions:
		line := captionsLine{head: head, Captions: item, Cues: make([]cueLine, len(item.Cues))}
		for i, cue := range item.Cues {
			line.Cues[i] = cueLine{cue.Start.Seconds(), cue.End.Seconds(), cue.Text}
		}
		return line
	case *catalogue.Highlight:
		return highlightLine{head, item, item.Start.Seconds(), item.End.Seconds()}
	case *catalogue.Theme:
		return themeLine{head, item, r[item.ProviderID]}
	case *catalogue.School:
		line := schoolLine{head: head, School: item}
		if item.DistrictID != nil {
			line.District = new(r[*item.DistrictID])
		}
		return line
	}
	return plainLine{head, item}
}

// video returns the import line of the video with a number.
func (r references) video(v *catalogue.Video, number int) videoLine {
	line := videoLine{
		head: headOf(v), Video: v, Channel: r[v.ChannelID], Subjects: r.of(v.SubjectIDs),
		BestFor: r.of(v.BestForIDs), ContentWarnings: r.of(v.ContentWarningIDs),
		Topics: r.of(v.TopicIDs), Transcript: v.Transcript,
	}
	if v.RetiredInto != nil {
		line.RetiredInto = new(videoReference(number - 1))
	}
	return line
}
