//go:build system

package main

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// TestNoRequestIsExpensive is the short form of this program: a small catalogue, the same requests each time. The
// bounds are far above what requests cost and far below what those cost that it has found: a machine that runs
// other tests is no place to measure.
func TestNoRequestIsExpensive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of threads is read from /proc")
	}
	if testing.Short() {
		t.Skip("starts a server")
	}
	binary := filepath.Join(t.TempDir(), "filmstrip")
	if err := program.Build(binary); err != nil {
		t.Fatal(err)
	}
	found, err := search(settings{
		filmstrip: binary, videos: 2000, time: time.Minute, requests: 600, seed: 16, top: 3,
		most: 200 * time.Millisecond, mostPublic: 80 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", found)
	if len(found.beyond) > 0 {
		t.Errorf("%d requests cost more than they may", len(found.beyond))
	}
	if found.status[200] < found.tried/5 || found.status[500] > 0 {
		t.Errorf("%d requests were answered by status: %v", found.tried, found.status)
	}
}
