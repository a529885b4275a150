package editing_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// editCase is a kind, with the input of a new item and a change of one field.
type editCase struct {
	kind, name string
	put        bool
	input      map[string]any
	field      string
	to         any
}

// editedKinds lists all kinds, each after those that it refers to. "@kind" is replaced with the ID of the item of that
// kind.
var editedKinds = []editCase{
	{kind: "contract", name: "Contract", input: resolverstest.Object("name", "Of 2024"), field: "maxLicenseDurationYears", to: 3},
	{kind: "contract-legal-restriction", name: "LegalRestriction", input: resolverstest.Object("text", "Schools only"), field: "text", to: "Nobody"},
	{kind: "education-level", name: "EducationLevel", put: true, input: resolverstest.Object("code", "4CX", "label", "Ten"), field: "label", to: "Eleven"},
	{kind: "tag", name: "Tag", input: resolverstest.Object("label", "Hook"), field: "label", to: "Plan"},
	{kind: "content-warning", name: "ContentWarning", input: resolverstest.Object("label", "Loud"), field: "label", to: "Very loud"},
	{kind: "subject", name: "Subject", input: resolverstest.Object("name", "Biology", "categories", []any{resolverstest.Object("code", "PS")}), field: "marketSegments", to: []any{"K12"}},
	{kind: "discipline", name: "Discipline", input: resolverstest.Object("name", "Sciences", "code", "sciences", "subjects", []any{"@subject"}), field: "name", to: "Arts"},
	{kind: "topic", name: "Topic", input: resolverstest.Object("name", "Cells"), field: "name", to: "Whales"},
	{kind: "phrase", name: "Phrase", input: resolverstest.Object("text", "living cells"), field: "text", to: "dead cells"},
	{kind: "synonym", name: "Synonym", input: resolverstest.Object("words", []any{"cell", "living unit"}), field: "words", to: []any{"cell", "unit of life"}},
	{kind: "provider", name: "Provider", input: resolverstest.Object("name", "Books", "slug", "books", "types", []any{"Book"}), field: "hidden", to: true},
	{kind: "channel", name: "Channel", input: resolverstest.Object("name", "Lab", "contract", "@contract", "educationLevels", []any{"4CX"}, "ingestType", "MRSS",
		"ingestUrls", []any{"https://media.example/feed"}, "ingestPlaylistIds", []any{"PL1"}, "currency", "EUR", "distributionMethods", []any{"STREAM"},
		"ageRange", resolverstest.Object("min", 5), "requiresVideoLevelTagging", true, "marketingInformation", resolverstest.Object("status", "New", "oneLineIntro", "Look up",
			"logos", []any{"https://media.example/l"}, "showreel", "https://media.example/r", "sampleVideos", []any{"https://media.example/v"}),
		"pedagogyInformation", resolverstest.Object("subjects", []any{"@subject"}, "ageRanges", []any{resolverstest.Object("max", 11)}, "bestForTags", []any{"@tag"})),
		field: "private", to: true},
	{kind: "video", name: "Video", input: resolverstest.Object("title", "Cells", "channel", "@channel", "releasedOn", "2024-02-03", "playback",
		resolverstest.Object("duration", "PT1M14S", "stream", "demo:colours"), "subjects", []any{"@subject"}, "availableUntil", "2027-01-02",
		"attachments", []any{resolverstest.Object("type", "ACTIVITY", "link", "https://media.example/a.pdf")}, "ageRange", resolverstest.Object("min", 5)),
		field: "contentWarnings", to: []any{"@content-warning"}},
	{kind: "search-rule", name: "SearchRule", input: resolverstest.Object("query", "living cells", "buried", []any{"@video"}), field: "query", to: "dead cells"},
	{kind: "captions", name: "Captions", put: true, input: resolverstest.Object("video", "@video", "language", "eng", "cues",
		[]any{resolverstest.Object("start", 1.5, "end", 2, "text", "A cell.")}), field: "humanGenerated", to: true},
	{kind: "learning-material", name: "LearningMaterial", put: true, input: resolverstest.Object("video", "@video", "learningOutcomes", []any{"Name parts."}),
		field: "assessmentQuestions", to: []any{"Which?"}},
	{kind: "highlight", name: "Highlight", input: resolverstest.Object("video", "@video", "start", 1.25, "end", 9, "title", "A cell"), field: "caption", to: "It divides"},
	{kind: "theme", name: "Theme", input: resolverstest.Object("provider", "@provider", "title", "Life", "topics",
		[]any{resolverstest.Object("title", "One", "targets", []any{resolverstest.Object("title", "Two", "videos", []any{"@video"})})}), field: "type", to: "Book"},
	{kind: "district", name: "District", input: resolverstest.Object("externalId", "1", "name", "North", "country", "USA", "state", "CA"), field: "city", to: "Lafayette"},
	{kind: "school", name: "School", input: resolverstest.Object("externalId", "2", "name", "High", "country", "USA", "state", "CA", "district", "@district"), field: "city", to: "Orinda"},
}

const itemFields = ` { kind id version source body }`

// TestEveryKindIsEdited proves for each kind that an item is added, read and changed, that a change of an older version
// is refused, that the audit log has all of this, and that the item is deleted after those that refer to it.
func TestEveryKindIsEdited(t *testing.T) {
	if len(editedKinds) != len(catalogue.Kinds()) {
		t.Fatalf("%d kinds are edited, there are %d", len(editedKinds), len(catalogue.Kinds()))
	}
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t)}
	ids := map[string]string{}
	for _, kind := range editedKinds {
		ids[kind.kind] = kind.addAndChange(t, a, ids)
	}
	a.WantError(t, fault.Conflict, "refer to", `mutation($id: ID!) { deleteProvider(id: $id) }`, map[string]any{"id": ids["provider"]})
	a.WantError(t, fault.Conflict, "refer to", `mutation($id: ID!) { deleteSubject(id: $id) }`, map[string]any{"id": ids["subject"]})
	for _, kind := range slices.Backward(editedKinds) {
		kind.delete(t, a, ids[kind.kind])
	}
}

func (k editCase) enum() string { return strings.ToUpper(strings.ReplaceAll(k.kind, "-", "_")) }

func (k editCase) addAndChange(t *testing.T, a *resolverstest.Administration, ids map[string]string) (id string) {
	t.Helper()
	input := insertIDs(k.input, ids).(map[string]any)
	create, update := "create"+k.name, "update"+k.name
	if k.put {
		create, update = "put"+k.name, "put"+k.name
	}
	made := a.Do(t, `mutation($input: `+k.name+`Input!) { it: `+create+`(input: $input)`+itemFields+` }`, resolverstest.Object("input", input))
	id = resolverstest.At(t, made, "it", "id").(string)
	body := resolverstest.At(t, made, "it", "body").(map[string]any)
	for field, want := range input {
		wantMembers(t, k.kind+"."+field, body[field], want)
	}
	read := a.Do(t, `query($id: ID!, $kind: CatalogueKind!) { it: catalogueItem(kind: $kind, id: $id)`+itemFields+` }`, resolverstest.Object("id", id, "kind", k.enum()))
	wantMembers(t, k.kind+" read back", read, made)

	change := resolverstest.Object(k.field, insertIDs(k.to, ids))
	arguments, given := "id: $id, version: $version, input: $input", `mutation($id: ID!, $version: Int, $input: `+k.name+`Input!)`
	if k.put {
		arguments, given = "version: $version, input: $input", `mutation($version: Int, $input: `+k.name+`Input!)`
		for _, identity := range []string{"code", "video", "language"} {
			if value, ok := input[identity]; ok {
				change[identity] = value
			}
		}
	}
	query := given + ` { it: ` + update + `(` + arguments + `)` + itemFields + ` }`
	variables := resolverstest.Object("version", resolverstest.At(t, made, "it", "version"), "input", change)
	if !k.put {
		variables["id"] = id
	}
	changed := a.Do(t, query, variables)
	body = resolverstest.At(t, changed, "it", "body").(map[string]any)
	for field, want := range input {
		if field != k.field {
			wantMembers(t, k.kind+"."+field+", which was left out", body[field], want)
		}
	}
	wantMembers(t, k.kind+"."+k.field, body[k.field], insertIDs(k.to, ids))
	a.WantError(t, fault.Conflict, "version", query, variables)
	return id
}

func (k editCase) delete(t *testing.T, a *resolverstest.Administration, id string) {
	t.Helper()
	page := a.Do(t, `query($kind: CatalogueKind!) { it: catalogueItems(kind: $kind, first: 200) { nodes { id } } }`, resolverstest.Object("kind", k.enum()))
	if !slices.ContainsFunc(resolverstest.At(t, page, "it", "nodes").([]any), func(node any) bool { return resolverstest.At(t, node, "id") == id }) {
		t.Errorf("%s %s is not listed", k.kind, id)
	}
	if k.kind == "highlight" || k.kind == "captions" { // these change their video
		a.Do(t, `mutation($id: ID!) { delete`+k.name+`(id: $id) }`, resolverstest.Object("id", id))
	} else {
		version := resolverstest.At(t, a.Do(t, `query($id: ID!, $kind: CatalogueKind!) { it: catalogueItem(kind: $kind, id: $id) { version } }`, resolverstest.Object("id", id, "kind", k.enum())), "it", "version")
		a.Do(t, `mutation($id: ID!, $version: Int) { delete`+k.name+`(id: $id, version: $version) }`, resolverstest.Object("id", id, "version", version))
	}
	gone := a.Do(t, `query($id: ID!, $kind: CatalogueKind!) { it: catalogueItem(kind: $kind, id: $id) { id } }`, resolverstest.Object("id", id, "kind", k.enum()))
	wantMembers(t, k.kind+" deleted", gone["it"], nil)
	a.WantError(t, fault.NotFound, id, `mutation($id: ID!) { delete`+k.name+`(id: $id) }`, resolverstest.Object("id", id))
	log := a.Do(t, `query($id: ID!, $kind: CatalogueKind!) { it: catalogueAuditLog(kind: $kind, id: $id) { nodes { client user before after } } }`, resolverstest.Object("id", id, "kind", k.enum()))
	nodes := resolverstest.At(t, log, "it", "nodes").([]any)
	if len(nodes) != 3 {
		t.Fatalf("%s: the audit log has %v", k.kind, nodes)
	}
	wantMembers(t, k.kind+" in the audit log", nodes[0], resolverstest.Object("client", "console", "user", "ada", "after", nil))
	wantMembers(t, k.kind+" in the audit log", resolverstest.At(t, nodes[0], "before"), resolverstest.At(t, nodes[1], "after"))
	wantMembers(t, k.kind+" in the audit log", resolverstest.At(t, nodes[1], "before"), resolverstest.At(t, nodes[2], "after"))
	wantMembers(t, k.kind+" in the audit log", resolverstest.At(t, nodes[2], "before"), nil)
}

// insertIDs replaces "@kind" by IDs.
func insertIDs(value any, ids map[string]string) any {
	switch value := value.(type) {
	case string:
		if kind, ok := strings.CutPrefix(value, "@"); ok {
			return ids[kind]
		}
	case []any:
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = insertIDs(element, ids)
		}
		return list
	case map[string]any:
		made := map[string]any{}
		for name, member := range value {
			made[name] = insertIDs(member, ids)
		}
		return made
	}
	return value
}

// wantMembers fails unless a value contains all members of another.
func wantMembers(t *testing.T, what string, got, want any) {
	t.Helper()
	if wanted, ok := want.(map[string]any); ok {
		object, _ := got.(map[string]any)
		for name, member := range wanted {
			wantMembers(t, what+"."+name, object[name], member)
		}
		return
	}
	if wanted, ok := want.([]any); ok {
		list, _ := got.([]any)
		if len(list) != len(wanted) {
			t.Errorf("%s: got %v, want %v", what, got, want)
			return
		}
		for i := range wanted {
			wantMembers(t, fmt.Sprint(what, i), list[i], wanted[i])
		}
		return
	}
	g, err := json.Marshal(got)
	resolverstest.Must(t, err)
	w, err := json.Marshal(want)
	resolverstest.Must(t, err)
	if string(g) != string(w) {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

var documentedField = regexp.MustCompile("^\\| `([A-Za-z.]+)` \\|")

// TestInputsAreImportLines proves that an input has exactly the fields of import lines of its kind, except for
// retirement, which has its own mutations, and for derived fields.
func TestInputsAreImportLines(t *testing.T) {
	text, err := os.ReadFile("../../docs/import.md")
	resolverstest.Must(t, err)
	documented := map[string][]string{}
	kind := ""
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "#"); ok {
			kind = strings.TrimSpace(strings.TrimLeft(heading, "#"))
		}
		if row := documentedField.FindStringSubmatch(line); row != nil {
			documented[kind] = append(documented[kind], row[1])
		}
	}
	schema := resolverstest.NewSchema(t).Schema()
	for _, kind := range editedKinds {
		want := slices.DeleteFunc(documented[kind.kind], func(field string) bool {
			return slices.Contains([]string{"hasTranscript", "hasCaptions", "retired", "retiredInto", "pruned"}, field)
		})
		got := fieldsOfInput(schema, schema.Types[kind.name+"Input"], "")
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%sInput has the fields %v, import lines have %v", kind.name, got, want)
		}
	}
}

func fieldsOfInput(schema *ast.Schema, input *ast.Definition, prefix string) (fields []string) {
	for _, field := range input.Fields {
		fields = append(fields, prefix+field.Name)
		if inner := schema.Types[field.Type.Name()]; inner.Kind == ast.InputObject {
			fields = append(fields, fieldsOfInput(schema, inner, prefix+field.Name+".")...)
		}
	}
	return fields
}
