package processors_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/filmstrip/filmstrip/internal/processors"
)

// TestRunSpare: more goroutines run, and what goes by the processors does not change.
func TestRunSpare(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	if processors.Count() != before {
		t.Errorf("%d processors, where %d goroutines run", processors.Count(), before)
	}
	t.Setenv("GOMAXPROCS", "3")
	processors.RunSpare()
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("%d run although GOMAXPROCS is set", now)
	}
	if err := os.Unsetenv("GOMAXPROCS"); err != nil {
		t.Fatal(err)
	}
	processors.RunSpare()
	if now := runtime.GOMAXPROCS(0); now != before+processors.Spare || processors.Count() != before {
		t.Errorf("%d run, by %d processors", now, processors.Count())
	}
}
