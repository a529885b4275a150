//go:build unix

package priority

import (
	"os"
	"strconv"
	"syscall"
)

// LowerProcess lets other processes of the machine go before this one, which has minutes of work where their callers
// wait for milliseconds. That it cannot be done is no reason not to work.
func LowerProcess() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, lower)
	// Linux gives each thread a priority of its own; those that are made from now on take after these.
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, lower)
		}
	}
}
