package generate

import "github.com/filmstrip/filmstrip/catalogue"

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
	contractLine struct {
		head
		*catalogue.Contract
	}
	restrictionLine struct {
		head
		*catalogue.LegalRestriction
	}
	levelLine struct {
		head
		*catalogue.EducationLevel
	}
	tagLine struct {
		head
		*catalogue.Tag
	}
	warningLine struct {
		head
		*catalogue.ContentWarning
	}
	subjectLine struct {
		head
		*catalogue.Subject
	}
	disciplineLine struct {
		head
		*catalogue.Discipline
		Subjects []string `json:"subjects"`
	}
	topicLine struct {
		head
		*catalogue.Topic
	}
	phraseLine struct {
		head
		*catalogue.Phrase
	}
	synonymLine struct {
		head
		*catalogue.Synonym
	}
	ruleLine struct {
		head
		*catalogue.SearchRule
	}
	providerLine struct {
		head
		*catalogue.Provider
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

// line returns the import line of any item that has no type of its own below.
func (r references) line(item catalogue.Item) any {
	head := headOf(item)
	switch item := item.(type) {
	case *catalogue.Contract:
		return contractLine{head, item}
	case *catalogue.LegalRestriction:
		return restrictionLine{head, item}
	case *catalogue.EducationLevel:
		return levelLine{head, item}
	case *catalogue.Tag:
		return tagLine{head, item}
	case *catalogue.ContentWarning:
		return warningLine{head, item}
	case *catalogue.Subject:
		return subjectLine{head, item}
	case *catalogue.Discipline:
		return disciplineLine{head, item, r.of(item.SubjectIDs)}
	case *catalogue.Topic:
		return topicLine{head, item}
	case *catalogue.Phrase:
		return phraseLine{head, item}
	case *catalogue.Synonym:
		return synonymLine{head, item}
	case *catalogue.SearchRule:
		return ruleLine{head, item}
	case *catalogue.Provider:
		return providerLine{head, item}
	case *catalogue.Channel:
		p := &item.Pedagogy
		line := channelLine{head: head, Channel: item, Pedagogy: pedagogyPart{r.of(p.SubjectIDs), p.AgeRanges, r.of(p.BestForTagIDs)}}
		if item.ContractID != nil {
			line.Contract = new(r[*item.ContractID])
		}
		return line
	}
	panic("generate: no line for a " + string(item.Kind()))
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
