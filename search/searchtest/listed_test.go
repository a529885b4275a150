package searchtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlantedBugsAreListed checks that docs/testing.md lists exactly the bugs that Properties and CollectionProperties
// catch, in their order.
func TestPlantedBugsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	var planted, ofCollections []string
	for _, bug := range PlantedBugs() {
		planted = append(planted, bug.Name)
	}
	for _, bug := range PlantedCollectionBugs() {
		ofCollections = append(ofCollections, bug.Name)
	}
	listed(t, string(text), "planted bugs", "end", planted)
	listed(t, string(text), "planted bugs of collections", "end of collections", ofCollections)
}

// listed checks the items of the list between two marks.
func listed(t *testing.T, text, begin, end string, planted []string) {
	t.Helper()
	_, list, found := strings.Cut(text, "<!-- "+begin+" -->\n")
	list, _, ended := strings.Cut(list, "<!-- "+end+" -->\n")
	if !found || !ended {
		t.Fatalf("docs/testing.md has no list of %s", begin)
	}
	var items []string
	for line := range strings.Lines(list) {
		if name, isItem := strings.CutPrefix(strings.TrimSpace(line), "- "); isItem {
			items = append(items, name)
		}
	}
	if !slices.Equal(items, planted) {
		t.Errorf("docs/testing.md lists\n\t%s\nplanted are\n\t%s", strings.Join(items, "\n\t"), strings.Join(planted, "\n\t"))
	}
}
