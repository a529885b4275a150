package catalogue

import (
	"cmp"
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
)

// Millis is a place in a video, or a length of it, in milliseconds from 0 to 24 hours.
type Millis int64

// Seconds is the same in seconds.
func (m Millis) Seconds() float64 { return float64(m) / 1000 }

// MaxMillis is a day.
const MaxMillis Millis = 24 * 60 * 60 * 1000

// span checks that a piece of a video has a start, and an end behind it.
func (f *Faults) span(start, end Millis, startField, endField string) {
	if start < 0 || start > MaxMillis {
		f.Add(startField, "%v seconds are not between 0 and 24 hours", start.Seconds())
	}
	if end <= start || end > MaxMillis {
		f.Add(endField, "%v seconds are not between the start and 24 hours", end.Seconds())
	}
}

// Material is what people or a classifier wrote of a video for those who teach with it. A video has one
// at most; its ID is MaterialID.
type Material struct {
	Meta
	VideoID             ID       `json:"video"`
	LearningOutcomes    []string `json:"learningOutcomes"`
	AssessmentQuestions []string `json:"assessmentQuestions"`
}

// MaterialID is the ID of a video's Material.
func MaterialID(video ID) ID { return DeriveID(KindMaterial, "", string(video)) }

// Kind is KindMaterial.
func (*Material) Kind() Kind { return KindMaterial }

// Links is empty: the owner is checked by itself.
func (*Material) Links() []Link { return nil }

// Owner is the video.
func (m *Material) Owner() Link { return ownedBy(m.VideoID) }

func ownedBy(video ID) Link { return Link{Kind: KindVideo, ID: video, Field: "video"} }

// Validate checks every field.
func (m *Material) Validate() fault.FieldErrors {
	var f Faults
	f.ownID(m.ID, m.VideoID, MaterialID(m.VideoID))
	f.texts("learningOutcomes", m.LearningOutcomes)
	f.texts("assessmentQuestions", m.AssessmentQuestions)
	return f.List()
}

// ownID checks a record of which its video has one.
func (f *Faults) ownID(id, video, expected ID) {
	switch {
	case video == "":
		f.Add("video", "is required")
	case id != expected:
		f.Add("id", "%q is not the one that such a record of the video has", Shorten(string(id)))
	}
}

func (f *Faults) texts(field string, texts []string) {
	f.Length(field, len(texts), MaxListLength)
	for i, text := range texts {
		f.Text(fmt.Sprintf("%s[%d]", field, i), text, 1, MaxTextLength)
	}
}

// Captions are the timed text of a video in one language. A video has one of each language at most, the
// ID is CaptionsID.
type Captions struct {
	Meta
	VideoID  ID       `json:"video"`
	Language Language `json:"language"`
	// HumanGenerated is true where people wrote them, false where a machine did.
	HumanGenerated bool `json:"humanGenerated"`
	// Cues are in the order of their starts, then of their ends. They may overlap.
	Cues []Cue `json:"cues"`
}

// Cue is what is shown from Start to End, one or more lines of plain text.
type Cue struct {
	Start Millis `json:"start"`
	End   Millis `json:"end"`
	Text  string `json:"text"`
}

// MaxCues is the most cues of one set of captions.
const MaxCues = 50_000

// CaptionsID is the ID of a video's Captions in a language.
func CaptionsID(video ID, language Language) ID {
	return DeriveID(KindCaptions, string(language), string(video))
}

// Kind is KindCaptions.
func (*Captions) Kind() Kind { return KindCaptions }

// Links is empty: the owner is checked by itself.
func (*Captions) Links() []Link { return nil }

// Owner is the video.
func (c *Captions) Owner() Link { return ownedBy(c.VideoID) }

// Validate checks every field, and that the cues are in order.
func (c *Captions) Validate() fault.FieldErrors {
	var f Faults
	f.ownID(c.ID, c.VideoID, CaptionsID(c.VideoID, c.Language))
	if !c.Language.Valid() {
		f.Add("language", "%q is not an ISO 639-2 code", Shorten(string(c.Language)))
	}
	if len(c.Cues) == 0 || len(c.Cues) > MaxCues {
		f.Add("cues", "there are %d of them, 1 to %d are expected", len(c.Cues), MaxCues)
		return f.List()
	}
	for i, cue := range c.Cues {
		field := fmt.Sprintf("cues[%d]", i)
		f.span(cue.Start, cue.End, field+".start", field+".end")
		f.Text(field+".text", cue.Text, 1, MaxTextLength)
		if i > 0 && compareCues(c.Cues[i-1], cue) > 0 {
			f.Add(field+".start", "comes before the cue before it")
		}
	}
	return f.List()
}

func compareCues(a, b Cue) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// Highlight is a piece of a video that stands for itself.
type Highlight struct {
	Meta
	VideoID ID     `json:"video"`
	Start   Millis `json:"start"`
	End     Millis `json:"end"`
	Title   string `json:"title"`
	// Caption says what is shown and said in the piece; it is searched, as the title is.
	Caption string `json:"caption"`
	// ContentCategories are those of the piece; empty: those of the video.
	ContentCategories []Subtype `json:"contentCategories"`
}

// Kind is KindHighlight.
func (*Highlight) Kind() Kind { return KindHighlight }

// Links is empty: the owner is checked by itself.
func (*Highlight) Links() []Link { return nil }

// Owner is the video.
func (h *Highlight) Owner() Link { return ownedBy(h.VideoID) }

// Validate checks every field.
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
