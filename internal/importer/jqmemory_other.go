//go:build !linux

package importer

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// boundMemory ends this process once it has more memory than so many bytes. It looks every few milliseconds, so that
// a single step may go beyond.
func boundMemory(bytes int64) error {
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			var used runtime.MemStats
			runtime.ReadMemStats(&used)
			if used.Sys-used.HeapReleased > uint64(bytes) {
				fmt.Fprintln(os.Stderr, "out of memory")
				os.Exit(2)
			}
		}
	}()
	return nil
}
