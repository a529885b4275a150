package app

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// freeDisk watches the free space on the disk of a directory. The server refuses events before the disk is full, so
// that accounts, counts and the log's own checkpoints can still be written.
type freeDisk struct {
	directory string
	least     int64 // bytes
	measure   func(directory string) (free int64, err error)
	logger    *slog.Logger
	isLow     atomic.Bool
	free      atomic.Int64 // bytes at the last check; -1 if the check failed
}

// scarceDisk is the free space, in bytes, below which the event log counts as degraded where no larger floor is set.
const scarceDisk = 16 << 20

// scarce returns the free bytes, and whether they are so few that events are refused or will soon fail. For a nil
// freeDisk, isScarce is false.
func (d *freeDisk) scarce() (free int64, isScarce bool) {
	if d == nil {
		return 0, false
	}
	free = d.free.Load()
	return free, free >= 0 && free < max(d.least, scarceDisk)
}

// diskInterval is the interval between checks. The events of one interval must fit into the minimum.
const diskInterval = time.Second

func watchDisk(directory string, least int64, logger *slog.Logger) *freeDisk {
	d := &freeDisk{directory: directory, least: least, measure: freeBytes, logger: logger}
	d.poll()
	return d
}

// low reports whether less than the minimum is free. It is false for a nil freeDisk.
func (d *freeDisk) low() bool { return d != nil && d.isLow.Load() }

func (d *freeDisk) run(ctx context.Context) { every(ctx, diskInterval, d.poll) }

// poll checks the disk. A disk that does not answer does not count as full.
func (d *freeDisk) poll() {
	free, err := d.measure(d.directory)
	low := err == nil && free < d.least
	if err != nil {
		free = -1
	}
	d.free.Store(free)
	switch was := d.isLow.Swap(low); {
	case low && !was:
		d.logger.Error("events are refused: the disk is nearly full", "free_mib", free>>20, "min_free_disk_mib", d.least>>20)
	case was && !low:
		d.logger.Info("events are accepted again: the disk has room", "free_mib", free>>20)
	}
}

// errDiskNearlyFull asks clients to keep their events until an operator has freed space.
var errDiskNearlyFull = &fault.Error{
	Code: fault.Unavailable, Message: "the event log has too little room on its disk", Cause: retryAfter{"less is free than --min-free-disk", "30"},
}

// retryAfter is the reason of an error whose response has the header Retry-After, in seconds.
type retryAfter struct{ reason, seconds string }

// Error implements error.
func (r retryAfter) Error() string { return r.reason }

// SetHeader is called by httperror.WriteError.
func (r retryAfter) SetHeader(header http.Header) { header.Set("Retry-After", r.seconds) }
