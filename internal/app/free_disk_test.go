package app

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
)

// TestTheDiskIsWatched verifies that the server refuses events before the disk is full, and accepts events again when
// space is free.
func TestTheDiskIsWatched(t *testing.T) {
	const least = 256 << 20
	for _, test := range []struct {
		free int64
		err  error
		low  bool
	}{
		{free: least, low: false},
		{free: least - 1, low: true},
		{free: 0, low: true},
		{free: least, low: false},
		{free: 0, err: errors.New("the disk does not answer"), low: false},
	} {
		d := &freeDisk{least: least, logger: slog.New(slog.DiscardHandler)}
		d.isLow.Store(!test.low)
		d.measure = func(string) (int64, error) { return test.free, test.err }
		if d.poll(); d.low() != test.low {
			t.Errorf("with %d bytes free (%v), the disk is low: %v", test.free, test.err, d.low())
		}
	}
	if (*freeDisk)(nil).low() {
		t.Error("an unwatched disk is full")
	}
}

// TestFreeBytes verifies that the free space of a real disk is less than its size, and that a missing directory is an
// error.
func TestFreeBytes(t *testing.T) {
	directory := t.TempDir()
	if free, err := freeBytes(directory); err != nil || free <= 0 || free > 1<<50 {
		t.Errorf("%d bytes are free: %v", free, err)
	}
	d := watchDisk(directory, 1<<62, slog.New(slog.DiscardHandler))
	if !d.low() {
		t.Error("no disk has so much room")
	}
	if d = watchDisk(filepath.Join(directory, "gone"), 1<<62, slog.New(slog.DiscardHandler)); d.low() {
		t.Error("a disk that does not answer counts as full")
	}
}
