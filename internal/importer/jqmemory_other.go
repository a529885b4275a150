//go:build !linux

package importer

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// boundMemory ends this process once it uses more than the given bytes of memory. It checks every few milliseconds, so
// a single step may exceed the limit.
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
