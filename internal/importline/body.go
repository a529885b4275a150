package importline

import (
	"bytes"
	"encoding/json"
	"maps"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Body returns an item in JSON with the names and units of import lines, in which times within videos are seconds. Its first
// member is "held" if the item has held fields.
func Body(item catalogue.Item) ([]byte, error) {
	switch item := item.(type) {
	case *catalogue.Video:
		return json.Marshal(struct {
			*catalogue.Video
			Transcript *string `json:"transcript,omitempty"`
		}{item, item.Transcript})
	case *catalogue.Highlight:
		return json.Marshal(struct {
			*catalogue.Highlight
			Start float64 `json:"start"`
			End   float64 `json:"end"`
		}{item, item.Start.Seconds(), item.End.Seconds()})
	case *catalogue.Captions:
		type cue struct {
			Start float64 `json:"start"`
			End   float64 `json:"end"`
			Text  string  `json:"text"`
		}
		cues := make([]cue, len(item.Cues))
		for i, c := range item.Cues {
			cues[i] = cue{c.Start.Seconds(), c.End.Seconds(), c.Text}
		}
		return json.Marshal(struct {
			*catalogue.Captions
			Cues []cue `json:"cues"`
		}{item, cues})
	}
	return json.Marshal(item)
}

// AuditBodies returns the bodies of an item before and after a change for the audit log; nil for an item that is nil. They
// have only the length of a transcript, because transcripts are a large part of a catalogue.
func AuditBodies(before, after catalogue.Item) (from, to []byte, err error) {
	if before != nil {
		if from, err = auditBody(before); err != nil {
			return nil, nil, err
		}
	}
	if after != nil {
		to, err = auditBody(after)
	}
	return from, to, err
}

func auditBody(item catalogue.Item) ([]byte, error) {
	video, ok := item.(*catalogue.Video)
	if !ok || video.Transcript == nil {
		return Body(item)
	}
	return json.Marshal(struct {
		*catalogue.Video
		Characters int `json:"transcriptCharacters"`
	}{video, utf8.RuneCountInString(*video.Transcript)})
}

// FieldsOf returns the members of the body of an item that are fields of its kind in import lines.
func FieldsOf(kind catalogue.Kind, body []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	shape := shapes[kind]
	maps.DeleteFunc(fields, func(name string, _ any) bool {
		i, known := shape.index[name]
		return !known || shape.fields[i].need == derived
	})
	return fields, nil
}
