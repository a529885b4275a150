package app

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// freeDisk watches how much room is left on the disk of a directory, so that events are refused before it is full:
// whatever else is written there (accounts, counts, the log's own checkpoints) still finds room.
type freeDisk struct {
	directory string
	least     int64 // bytes
	logger    *slog.Logger
	isLow     atomic.Bool
	free      atomic.Int64 // bytes at the last look, -1: the disk did not answer
}

// scarceDisk is the free space, in bytes, below which the event log counts as degraded where no larger floor is set.
const scarceDisk = 16 << 20

// scarce reports whether so little is free that events are refused or soon fail, and how many bytes are free.
func (d *freeDisk) scarce() (free int64, isScarce bool) {
	if d == nil {
		return 0, false
	}
	free = d.free.Load()
	return free, free >= 0 && free < max(d.least, scarceDisk)
}

// diskInterval is how often the disk is asked. The events of one interval must fit into the floor.
const diskInterval = time.Second

func watchDisk(directory string, least int64, logger *slog.Logger) *freeDisk {
	d := &freeDisk{directory: directory, least: least, logger: logger}
	d.look()
	return d
}

// low reports whether less is free than there must be. Nobody watches a nil disk.
func (d *freeDisk) low() bool { return d != nil && d.isLow.Load() }

func (d *freeDisk) run(ctx context.Context) { every(ctx, diskInterval, d.look) }

// look asks the disk. One that does not answer is not full for all that anybody knows.
func (d *freeDisk) look() {
	free, err := freeBytes(d.directory)
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

// errDiskNearlyFull asks clients to keep their events: somebody has to make room first.
var errDiskNearlyFull = &fault.Error{
	Code: fault.Unavailable, Message: "the event log has too little room on its disk", Cause: comeBackLater{},
}

// comeBackLater sets Retry-After to half a minute.
type comeBackLater struct{}

// Error implements error.
func (comeBackLater) Error() string { return "less is free than --min-free-disk" }

// SetHeader is for httperror.WriteError.
func (comeBackLater) SetHeader(header http.Header) { header.Set("Retry-After", "30") }
