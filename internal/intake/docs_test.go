package intake_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/intake"
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

// documentedKinds returns the rows of the section of each kind.
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
	if len(kinds) != len(catalogue.Kinds()) {
		t.Errorf("%d kinds are documented", len(kinds))
	}
	for _, kind := range catalogue.Kinds() {
		var fields []string
		for _, row := range kinds[kind] {
			fields = append(fields, row.field)
		}
		if diff := cmp.Diff(intake.Fields(kind), fields); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

// TestDocsTellWhatIsRequired compares the rows that say "yes" with what a new thing is refused for.
func TestDocsTellWhatIsRequired(t *testing.T) {
	for kind, rows := range documentedKinds(t) {
		var required []string
		empty := fmt.Sprintf(`{"format":1,"kind":%q,"ref":"a"`, kind)
		nested := map[string]bool{}
		for _, row := range rows {
			parent, _, below := strings.Cut(row.field, ".")
			if row.needed == "yes" {
				required = append(required, row.field)
			}
			if below && !nested[parent] {
				nested[parent] = true
				empty += fmt.Sprintf(`,%q:%s`, parent, emptyOf(rows, parent))
			}
		}
		var missed []string
		record := intake.Decode([]byte(empty + "}"))
		missed = append(missed, missing(record.Faults)...)
		_, faults := intake.Decode(fmt.Appendf(nil, `{"format":1,"kind":%q,"ref":"a"}`, kind)).Apply(nil)
		missed = append(missed, missing(faults)...)
		if kind == catalogue.KindEducationLevel {
			missed = append(missed, "code", "label") // without its code a level is not known at all
		}
		slices.Sort(required)
		slices.Sort(missed)
		if diff := cmp.Diff(required, slices.Compact(missed)); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

func missing(faults catalogue.FieldErrors) (fields []string) {
	for _, fault := range faults {
		if strings.HasPrefix(fault.Problem, "is required") {
			fields = append(fields, strings.ReplaceAll(fault.Field, "[0]", ""))
		}
	}
	return fields
}

// emptyOf is the emptiest value of a field that holds objects.
func emptyOf(rows []documented, field string) string {
	for _, row := range rows {
		if row.field == field && strings.HasPrefix(row.example, "[") {
			return "[{}]"
		}
	}
	return "{}"
}

func TestExamplesOfTheDocsAreAccepted(t *testing.T) {
	for kind, rows := range documentedKinds(t) {
		for _, row := range rows {
			parent, child, below := strings.Cut(row.field, ".")
			value := fmt.Sprintf(`%q:%s`, row.field, row.example)
			if below {
				value = fmt.Sprintf(`%q:%s`, parent, withExample(rows, parent, child, row.example))
			}
			identity := `"ref":"a"`
			if kind == catalogue.KindEducationLevel && row.field != "code" {
				identity = `"code":"4CL"`
			}
			if row.field == "retiredInto" {
				value += `,"retired":true`
			}
			line := fmt.Sprintf(`{"format":1,"kind":%q,%s,%s}`, kind, identity, value)
			if faults := intake.Decode([]byte(line)).Faults; len(faults) > 0 {
				t.Errorf("%s: %v", line, faults)
			}
		}
	}
}

// withExample puts the example of a nested field into the example of the object that holds it.
func withExample(rows []documented, parent, child, example string) string {
	for _, row := range rows {
		if row.field != parent {
			continue
		}
		given := regexp.MustCompile(fmt.Sprintf(`%q: ("[^"]*"|[0-9]+),? ?`, child)).ReplaceAllString(row.example, "")
		given = strings.ReplaceAll(given, ", }", "}")
		open := strings.Index(given, "{") + 1
		separator := ", "
		if strings.HasPrefix(given[open:], "}") {
			separator = ""
		}
		return given[:open] + fmt.Sprintf("%q: %s", child, example) + separator + given[open:]
	}
	return ""
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
			record := intake.Decode([]byte(line))
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
