//go:build system

package console_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestPaintWithManyVideos measures interactions with the lists of FILMSTRIP_TEST_MEASURE_VIDEOS generated videos, and logs
// them. It runs only with this variable, because the catalogue takes minutes to make.
func TestPaintWithManyVideos(t *testing.T) {
	number := os.Getenv("FILMSTRIP_TEST_MEASURE_VIDEOS")
	if number == "" {
		t.Skip("FILMSTRIP_TEST_MEASURE_VIDEOS is not set")
	}
	data := t.TempDir()
	lines := apptest.Must(exec.CommandContext(t.Context(), apptest.Binary(t), "generate", "--videos", number).Output())(t)
	if got := apptest.Run(t, nil, string(lines), "import", "-", "--data", data); got.Status != 0 {
		t.Fatalf("the import: %d %.2000s", got.Status, got.Err)
	}
	s, program := startDemo(t, data) // the demo adds its accounts, but no catalogue to this one
	var measured map[string]struct{ Paint, Answer []float64 }
	apptest.RunBrowserScriptFrom(t, apptest.Path("web", "docs"), "console-paint.mjs", &measured, s.Base+"/console")
	t.Logf("%s", strings.TrimSpace(program.run(t, `{ listedVideos { total } }`)))
	for name, times := range measured {
		slices.Sort(times.Paint)
		slices.Sort(times.Answer)
		middle := len(times.Paint) / 2
		t.Logf("%-24s paint: median %4.0f, slowest %4.0f ms; answer: median %4.0f, slowest %4.0f ms", name,
			times.Paint[middle], times.Paint[len(times.Paint)-1], times.Answer[middle], times.Answer[len(times.Answer)-1])
	}
}
