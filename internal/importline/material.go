package importline

import (
	c "github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/captions"
)

func captionsShape() *shape {
	shape := shapeOf[c.Captions](
		at("video", required, func(x *c.Captions) *c.ID { return &x.VideoID }, referenceTo(c.KindVideo)),
		at("language", required, func(x *c.Captions) *c.Language { return &x.Language }, parsed(c.ParseLanguage)),
		at("humanGenerated", optional, func(x *c.Captions) *bool { return &x.HumanGenerated }, boolean),
		at("cues", required, func(x *c.Captions) *[]c.Cue { return &x.Cues },
			objects[c.Cue](cueFields, c.MaxCues)).holding(cueFields),
		captionsTextField(),
	)
	shape.instead = map[string]string{"cues": captionsText}
	return shape
}

var cueFields = newTable(
	at("start", required, func(x *c.Cue) *c.Millis { return &x.Start }, seconds),
	at("end", required, func(x *c.Cue) *c.Millis { return &x.End }, seconds),
	at("text", required, func(x *c.Cue) *string { return &x.Text }, text),
)

// captionsText is the field that holds the cues as a file.
const captionsText = "text"

// captionsTextField sets the cues, as "cues" does. A new item needs one of the two.
func captionsTextField() field {
	return at(captionsText, defaulted, func(x *c.Captions) *[]c.Cue { return &x.Cues }, parsed(captions.Parse))
}

func materialShape() *shape {
	return shapeOf[c.Material](
		at("video", required, func(x *c.Material) *c.ID { return &x.VideoID }, referenceTo(c.KindVideo)),
		at("learningOutcomes", optional, func(x *c.Material) *[]string { return &x.LearningOutcomes }, list(text)),
		at("assessmentQuestions", optional, func(x *c.Material) *[]string { return &x.AssessmentQuestions }, list(text)),
	)
}

func highlightShape() *shape {
	shape := shapeOf[c.Highlight](
		at("video", required, func(x *c.Highlight) *c.ID { return &x.VideoID }, referenceTo(c.KindVideo)),
		at("start", required, func(x *c.Highlight) *c.Millis { return &x.Start }, seconds),
		at("end", required, func(x *c.Highlight) *c.Millis { return &x.End }, seconds),
		at("title", required, func(x *c.Highlight) *string { return &x.Title }, text),
		at("caption", optional, func(x *c.Highlight) *string { return &x.Caption }, text),
		at("contentCategories", optional, func(x *c.Highlight) *[]c.Subtype { return &x.ContentCategories },
			list(parsed(c.ParseSubtype))),
	)
	shape.judgedWith = map[string]string{"end": "start"}
	return shape
}
