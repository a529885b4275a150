package searchtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlantedBugsAreListed: docs/testing.md names the faults that Properties catches, all of them and
// no other, in their order.
func TestPlantedBugsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "<!-- planted bugs -->\n")
	list, _, ended := strings.Cut(list, "<!-- end -->\n")
	if !found || !ended {
		t.Fatal("docs/testing.md has no list of planted bugs")
	}
	var listed, planted []string
	for line := range strings.Lines(list) {
		if name, isItem := strings.CutPrefix(strings.TrimSpace(line), "- "); isItem {
			listed = append(listed, name)
		}
	}
	for _, bug := range PlantedBugs() {
		planted = append(planted, bug.Name)
	}
	if !slices.Equal(listed, planted) {
		t.Errorf("docs/testing.md lists\n\t%s\nplanted are\n\t%s", strings.Join(listed, "\n\t"), strings.Join(planted, "\n\t"))
	}
}
