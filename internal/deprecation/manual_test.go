package deprecation_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// TestManual checks that the table in docs/versioning.md lists exactly the deprecated items.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../../docs/versioning.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.-]+)` \\|").FindAllSubmatch(text, -1) {
		listed = append(listed, string(row[1]))
	}
	for _, item := range deprecation.Items() {
		want = append(want, item.Key)
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("(-table +manual):\n%s", diff)
	}
}
