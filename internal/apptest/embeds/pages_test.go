//go:build system

package embeds_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestPagesAreAccessible verifies that axe-core finds nothing on any page, in light and dark colors and on a phone, that
// no page is wider than the screen of a phone, and that the console is empty. The editor of GraphiQL, CodeMirror 5, has
// known faults: hidden text areas without a label, a scrollable area without focus, and colors of code and line numbers.
func TestPagesAreAccessible(t *testing.T) {
	s := apptest.Start(t, apptest.Unlimited...)
	var seen map[string]struct {
		Violations, Console []string
		Excess              int
	}
	apptest.RunBrowserScript(t, "pages.mjs", &seen, s.Base, "/"+demo.View(true).Catalogue.Play, demo.Teacher, demo.Secret)
	if len(seen) != 3*7 {
		t.Errorf("%d pages were seen", len(seen))
	}
	for name, page := range seen {
		for _, violation := range page.Violations {
			rule, _, _ := strings.Cut(violation, ":")
			known := rule == "label" || rule == "scrollable-region-focusable" || rule == "color-contrast"
			if !strings.HasSuffix(name, "/graphiql") || !known {
				t.Errorf("%s: %s", name, violation)
			}
		}
		for _, complaint := range page.Console {
			if !strings.HasSuffix(name, "/nothing/here") || !strings.Contains(complaint, "404") {
				t.Errorf("%s: the console says %q", name, complaint)
			}
		}
		if page.Excess > 0 {
			t.Errorf("%s is %d pixels wider than the screen", name, page.Excess)
		}
	}
}
