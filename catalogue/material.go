package catalogue

import (
	"cmp"
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
)

// Millis is a position in a video, or a length, in milliseconds from 0 to 24 hours.
type Millis int64

// Seconds returns m in seconds.
func (m Millis) Seconds() float64 { return float64(m) / 1000 }

// MaxMillis is 24 hours.
const MaxMillis Millis = 24 * 60 * 60 * 1000

// span checks the start and end of a part of a video.
func (f *Faults) span(start, end Millis, startField, endField string) {
	if start < 0 || start > MaxMillis {
		f.Add(startField, "%v seconds are not between 0 and 24 hours", start.Seconds())
	}
	if end <= start || end > MaxMillis {
		f.Add(endField, "%v seconds are not between the start and 24 hours", end.Seconds())
	}
}

// Material is teaching material for a video, written by people or by a classifier. A video has at most one; its ID is
// MaterialID.
type Material struct {
	Meta
	VideoID             ID       `json:"video"`
	LearningOutcomes    []string `json:"learningOutcomes"`
	AssessmentQuestions []string `json:"assessmentQuestions"`
}

// MaterialID returns the ID of a video's Material.
func MaterialID(video ID) ID { return DeriveID(KindMaterial, "", string(video)) }

// Kind returns KindMaterial.
func (*Material) Kind() Kind { return KindMaterial }

// Owner returns the video.
func (m *Material) Owner() Link { return ownedBy(m.VideoID) }

func ownedBy(video ID) Link { return Link{Kind: KindVideo, ID: video, Field: "video"} }

// Validate checks all fields.
func (m *Material) Validate() fault.FieldErrors {
	var f Faults
	f.ownID(m.ID, m.VideoID, MaterialID(m.VideoID))
	f.texts("learningOutcomes", m.LearningOutcomes)
	f.texts("assessmentQuestions", m.AssessmentQuestions)
	return f.List()
}

// ownID checks the ID of an item of which a video has only one.
func (f *Faults) ownID(id, video, expected ID) {
	switch {
	case video == "":
		f.Add("video", "is required")
	case id != expected:
		f.Add("id", "%q is not the id of this record of the video", fault.Shorten(string(id)))
	}
}

func (f *Faults) texts(field string, texts []string) {
	f.Length(field, len(texts), MaxListLength)
	for i, text := range texts {
		f.Text(fmt.Sprintf("%s[%d]", field, i), text, 1, MaxTextLength)
	}
}

// Captions are the timed text of a video in one language. A video has at most one per language; the ID is CaptionsID.
type Captions struct {
	Meta
	VideoID  ID       `json:"video"`
	Language Language `json:"language"`
	// HumanGenerated reports whether people wrote the captions, rather than a machine.
	HumanGenerated bool `json:"humanGenerated"`
	// Cues are ordered by start, then by end. They may overlap.
	Cues []Cue `json:"cues"`
}

// Cue is text shown from Start to End: one or more lines of plain text.
type Cue struct {
	Start Millis `json:"start"`
	End   Millis `json:"end"`
	Text  string `json:"text"`
}

// MaxCues is the maximum number of cues.
const MaxCues = 50_000

// CaptionsID returns the ID of a video's Captions in a language.
func CaptionsID(video ID, language Language) ID {
	return DeriveID(KindCaptions, string(language), string(video))
}

// Kind returns KindCaptions.
func (*Captions) Kind() Kind { return KindCaptions }

// Owner returns the video.
func (c *Captions) Owner() Link { return ownedBy(c.VideoID) }

// Validate checks all fields and the order of the cues.
func (c *Captions) Validate() fault.FieldErrors {
	var f Faults
	f.ownID(c.ID, c.VideoID, CaptionsID(c.VideoID, c.Language))
	if !c.Language.Valid() {
		f.Add("language", "%q is not an ISO 639-2 code", fault.Shorten(string(c.Language)))
	}
	if len(c.Cues) == 0 || len(c.Cues) > MaxCues {
		f.Add("cues", "has %d elements, 1 to %d are allowed", len(c.Cues), MaxCues)
		return f.List()
	}
	for i, cue := range c.Cues {
		field := fmt.Sprintf("cues[%d]", i)
		f.span(cue.Start, cue.End, field+".start", field+".end")
		f.Text(field+".text", cue.Text, 1, MaxTextLength)
		if i > 0 && compareCues(c.Cues[i-1], cue) > 0 {
			f.Add(field+".start", "starts before the previous cue")
		}
	}
	return f.List()
}

func compareCues(a, b Cue) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// Highlight is a part of a video that can be used on its own.
type Highlight struct {
	Meta
	VideoID ID     `json:"video"`
	Start   Millis `json:"start"`
	End     Millis `json:"end"`
	Title   string `json:"title"`
	// Caption describes what the part shows and says. It is searched, like the title.
	Caption string `json:"caption"`
	// ContentCategories are the part's own; empty means those of the video.
	ContentCategories []Subtype `json:"contentCategories"`
}

// Kind returns KindHighlight.
func (*Highlight) Kind() Kind { return KindHighlight }

// Owner returns the video.
func (h *Highlight) Owner() Link { return ownedBy(h.VideoID) }

// Validate checks all fields.
func (h *Highlight) Validate() fault.FieldErrors {
	var f Faults
	if h.VideoID == "" {
		f.Add("video", "is required")
	}
	f.span(h.Start, h.End, "start", "end")
	f.Text("title", h.Title, 1, MaxTitleLength)
	f.Text("caption", h.Caption, 0, MaxTextLength)
	f.Length("contentCategories", len(h.ContentCategories), MaxListLength)
	for i, subtype := range h.ContentCategories {
		Listed(&f, fmt.Sprintf("contentCategories[%d]", i), subtype, Subtypes())
	}
	return f.List()
}
