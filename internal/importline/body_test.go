package importline_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// TestBodiesAreLines reads the body of every item of a generated catalogue as a line: it changes nothing.
func TestBodiesAreLines(t *testing.T) {
	kinds := map[catalogue.Kind]int{}
	for item := range generate.Items(generate.Options{Videos: 200, Material: true, Schools: 20}) {
		head := item.Head()
		body, _, err := importline.AuditBodies(item, nil)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := importline.FieldsOf(item.Kind(), body)
		if err != nil {
			t.Fatal(err)
		}
		line := map[string]any{"format": importline.Format, "kind": item.Kind(), "id": head.ID, "source": head.Source}
		maps.Copy(line, fields)
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		record := importline.Decode(text)
		if len(record.Faults) > 0 {
			t.Fatalf("%s: %v", text, record.Faults)
		}
		same, faults := record.Edit(item)
		if len(faults) > 0 || len(same.Head().Held) > 0 || encoded(t, same) != encoded(t, item) {
			t.Errorf("%s\nmakes %s\nof %s: %v", text, encoded(t, same), encoded(t, item), faults)
		}
		kinds[item.Kind()]++
	}
	if len(kinds) < len(catalogue.Kinds())-2 { // embeddings have no lines
		t.Errorf("only these kinds were read: %v", kinds)
	}
}
