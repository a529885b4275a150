package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestTheDiskIsWatched: refused before nothing fits any more, and accepted when there is room again.
func TestTheDiskIsWatched(t *testing.T) {
	directory := t.TempDir()
	free := apptest.Must(freeBytes(directory))(t)
	d := watchDisk(directory, free-48<<20, slog.New(slog.DiscardHandler))
	if d.low() {
		t.Fatal("there is room")
	}
	filler := filepath.Join(directory, "filler")
	if err := os.WriteFile(filler, make([]byte, 96<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if d.look(); !d.low() {
		t.Error("half of the room below the floor is taken")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if d.least -= 48 << 20; d.low() { // whatever else the machine has written
		d.look()
	}
	if d.low() {
		t.Error("there is room again")
	}
	if d = watchDisk(filepath.Join(directory, "gone"), 1<<62, slog.New(slog.DiscardHandler)); d.low() {
		t.Error("a disk that does not answer counts as full")
	}
	if (*freeDisk)(nil).low() {
		t.Error("a disk that nobody watches is full")
	}
}
