package generate

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// references are the names of the items that other items refer to. Lines name videos by ID, because nothing keeps the
// references of millions of videos.
type references map[catalogue.ID]string

// quotedID matches an ID in the body of an item.
var quotedID = regexp.MustCompile(`"[0-9a-f]{24}"`)

// line returns the import line of an item, with a line break.
func (r references) line(item catalogue.Item) ([]byte, error) {
	meta := item.Head()
	line, err := json.Marshal(struct {
		Format int            `json:"format"`
		Kind   catalogue.Kind `json:"kind"`
		Source string         `json:"source"`
		Ref    string         `json:"ref,omitempty"`
	}{importline.Format, item.Kind(), Source, meta.Reference})
	if err != nil {
		return nil, err
	}
	body, err := importline.Body(item)
	if err != nil {
		return nil, err
	}
	body = quotedID.ReplaceAllFunc(body, func(quoted []byte) []byte {
		if name, known := r[catalogue.ID(quoted[1:len(quoted)-1])]; known {
			return []byte(`"` + name + `"`)
		}
		return quoted
	})
	switch item.(type) {
	case *catalogue.Video, *catalogue.Highlight:
	default:
		r[meta.ID] = meta.Reference
	}
	line[len(line)-1] = ',' // in place of the brace; every item has fields
	return slices.Concat(line, body[1:], []byte("\n")), nil
}
