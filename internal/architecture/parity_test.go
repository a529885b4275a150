package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// parityCell is what docs/parity.md says of one behaviour on one engine.
type parityCell struct {
	line      int
	behaviour string
	text      string
}

// parityCells reads the tables of a page: all columns but the first.
func parityCells(page string) (cells []parityCell) {
	for i, line := range strings.Split(page, "\n") {
		columns := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(columns[0], "---") || strings.TrimSpace(columns[0]) == "Behaviour" {
			continue
		}
		for _, column := range columns[1:] {
			cells = append(cells, parityCell{i + 1, strings.TrimSpace(columns[0]), strings.TrimSpace(column)})
		}
	}
	return cells
}

var (
	namedTest = regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)((?:/[^`]+)?)`")
	namedGap  = regexp.MustCompile(`^Gap: .{20,}`)
)

// fault says what is wrong with a cell: it names neither a test that there is, nor a gap with its reason.
func (c parityCell) fault(tests func(room string) string) string {
	if namedGap.MatchString(c.text) {
		return ""
	}
	named := namedTest.FindAllStringSubmatch(c.text, -1)
	if len(named) == 0 {
		return "names neither a test nor a gap with its reason"
	}
	for _, name := range named {
		room, test, sub := name[1], name[2], strings.TrimPrefix(name[3], "/")
		source := tests(room)
		if !strings.Contains(source, "func "+test+"(t *testing.T)") {
			return "there is no " + test + " in " + room
		}
		for part := range strings.SplitSeq(sub, "/") {
			if !strings.Contains(source, part) {
				return "no test of " + room + " or of its suite is called " + part
			}
		}
	}
	return ""
}

// suites are the packages whose tests the engines of a port run as their own.
var suites = map[string]string{"store": "store/storetest", "search": "search/searchtest", "cache": "cache/cachetest"}

// testSource is the text of a room's tests and of the suite that they run.
func testSource(t *testing.T, room string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, room, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if suite, ok := suites[strings.Split(room, "/")[0]]; ok {
		more, err := filepath.Glob(filepath.Join(root, suite, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.Concat(files, more)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// Every cell of docs/parity.md names a test that there is, or a gap with its reason.
func TestParityNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "parity.md"))
	if err != nil {
		t.Fatal(err)
	}
	cells := parityCells(string(page))
	if len(cells) < 40 {
		t.Errorf("docs/parity.md has %d cells only", len(cells))
	}
	for _, cell := range cells {
		if fault := cell.fault(func(room string) string { return testSource(t, room) }); fault != "" {
			t.Errorf("docs/parity.md:%d: %s: %q %s", cell.line, cell.behaviour, cell.text, fault)
		}
	}
}

func TestParityCellsThatSayNothingAreFound(t *testing.T) {
	tests := func(string) string { return `func TestFilters(t *testing.T) { t.Run("by date", nil) }` }
	for text, want := range map[string]bool{
		"`search/x.TestFilters`": true, "`search/x.TestFilters/by date`": true, "Gap: this engine has no positions.": true,
		"": false, "yes": false, "Gap: none.": false, "`search/x.TestNone`": false, "`search/x.TestFilters/by name`": false,
	} {
		if ok := (parityCell{text: text}).fault(tests) == ""; ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}
