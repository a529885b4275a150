package importline_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// documented is a row of a kind's table in docs/import.md.
type documented struct {
	field, needed, example string
}

var tableRow = regexp.MustCompile("^\\| `([^`]+)` \\| .* \\| ([^|]+) \\| `(.+)` \\|$")

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documentedKinds returns the rows of each kind's section.
func documentedKinds(t *testing.T) map[catalogue.Kind][]documented {
	t.Helper()
	kinds := map[catalogue.Kind][]documented{}
	var kind catalogue.Kind
	for line := range strings.Lines(readDocs(t)) {
		line = strings.TrimSpace(line)
		if heading, found := strings.CutPrefix(line, "#"); found {
			name, isKind := strings.CutPrefix(heading, "## ")
			if kind = ""; isKind {
				kind = catalogue.Kind(name)
			}
		}
		if row := tableRow.FindStringSubmatch(line); row != nil && kind != "" {
			kinds[kind] = append(kinds[kind], documented{field: row[1], needed: row[2], example: row[3]})
		}
	}
	return kinds
}

func TestDocsListEveryFieldOfEveryKind(t *testing.T) {
	kinds := documentedKinds(t)
	if len(kinds) != len(importline.Kinds()) {
		t.Errorf("%d kinds are documented", len(kinds))
	}
	for _, kind := range importline.Kinds() {
		var fields []string
		for _, row := range kinds[kind] {
			fields = append(fields, row.field)
		}
		if diff := cmp.Diff(importline.Fields(kind), fields); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

// TestDocsListRequiredFields checks that the fields documented as required are those whose absence a new item is
// rejected for.
func TestDocsListRequiredFields(t *testing.T) {
	for kind, rows := range documentedKinds(t) {
		var required []string
		parents := map[string]any{}
		for _, row := range rows {
			if row.needed == "yes" {
				required = append(required, row.field)
			}
			if parent, _, below := strings.Cut(row.field, "."); below {
				parents[parent] = emptyOf(t, rows, parent)
			}
		}
		var missed []string
		for _, fields := range []map[string]any{{"ref": "a"}, identityOf(kind), with(parents, "ref", "a")} {
			record := importline.Decode(lineOf(t, kind, fields))
			faults := record.Faults
			if len(faults) == 0 {
				_, faults = record.Apply(nil)
			}
			missed = append(missed, missing(faults)...)
		}
		slices.Sort(required)
		slices.Sort(missed)
		if diff := cmp.Diff(required, slices.Compact(missed)); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

// identityOf returns the fields that identify an item of a kind.
func identityOf(kind catalogue.Kind) map[string]any {
	switch kind {
	case catalogue.KindEducationLevel:
		return map[string]any{"code": "4CL"}
	case catalogue.KindCaptions:
		return map[string]any{"video": "v", "language": "eng"}
	case catalogue.KindMaterial:
		return map[string]any{"video": "v"}
	}
	return map[string]any{"ref": "a"}
}

func with(fields map[string]any, name string, value any) map[string]any {
	more := maps.Clone(fields)
	more[name] = value
	return more
}

func lineOf(t *testing.T, kind catalogue.Kind, fields map[string]any) []byte {
	t.Helper()
	line, err := json.Marshal(with(with(fields, "format", importline.Format), "kind", kind))
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func missing(faults fault.FieldErrors) (fields []string) {
	for _, problem := range faults {
		if strings.HasPrefix(problem.Problem, "is required") {
			fields = append(fields, strings.ReplaceAll(problem.Field, "[0]", ""))
		}
	}
	return fields
}

// emptyOf returns the emptiest value of a field that contains objects, including its nested objects.
func emptyOf(t *testing.T, rows []documented, field string) any {
	t.Helper()
	object, isList := map[string]any{}, false
	for _, row := range rows {
		if row.field == field {
			isList = strings.HasPrefix(row.example, "[")
		}
		below, found := strings.CutPrefix(row.field, field+".")
		if child, _, deeper := strings.Cut(below, "."); found && deeper {
			object[child] = emptyOf(t, rows, field+"."+child)
		}
	}
	if isList {
		return []any{object}
	}
	return object
}

func TestExamplesOfTheDocsAreAccepted(t *testing.T) {
	for kind, rows := range documentedKinds(t) {
		for _, row := range rows {
			root, path, _ := strings.Cut(row.field, ".")
			fields := with(identityOf(kind), root, withExample(t, rows, root, path, row.example))
			if row.field == "retiredInto" {
				fields["retired"] = true
			}
			line := lineOf(t, kind, fields)
			if faults := importline.Decode(line).Faults; len(faults) > 0 {
				t.Errorf("%s: %v", line, faults)
			}
		}
	}
}

// withExample returns the example of a root field. If path is not empty, it first sets the field at path within the
// root's example to the given example.
func withExample(t *testing.T, rows []documented, root, path, example string) any {
	t.Helper()
	given := parse(t, example)
	if path == "" {
		return given
	}
	at := slices.IndexFunc(rows, func(row documented) bool { return row.field == root })
	whole := parse(t, rows[at].example)
	object := whole
	names := strings.Split(path, ".")
	for i, name := range names {
		if list, ok := object.([]any); ok {
			object = list[0]
		}
		fields, ok := object.(map[string]any)
		if !ok {
			t.Fatalf("the example of %s holds no object", root)
		}
		if i == len(names)-1 {
			fields[name] = given
		}
		object = fields[name]
	}
	return whole
}

func parse(t *testing.T, example string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(example), &value); err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	return value
}

func TestLinesOfTheDocsAreAccepted(t *testing.T) {
	blocks := strings.Split(readDocs(t), "```")
	lines := 0
	for _, block := range blocks {
		text, isJSON := strings.CutPrefix(block, "json\n")
		if !isJSON {
			continue
		}
		for line := range strings.Lines(text) {
			lines++
			record := importline.Decode([]byte(line))
			if len(record.Faults) > 0 {
				t.Errorf("%s: %v", line, record.Faults)
				continue
			}
			if _, faults := record.Apply(nil); len(faults) > 0 {
				t.Errorf("%s: %v", line, faults)
			}
		}
	}
	if lines == 0 {
		t.Error("the docs hold no lines")
	}
}
