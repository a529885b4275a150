//go:build system

package main

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// TestNoRequestIsExpensive is a short run of this program, with a small catalogue and the same requests each time. Its
// limits are far above the cost of normal requests and far below that of the expensive requests that the program has
// found, because a machine that runs other tests does not measure precisely.
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
