//go:build unix

package main

import (
	"os"
	"strconv"
	"syscall"
)

// yieldsBy is the nice value of a process that yields, from 0 to 19.
const yieldsBy = 10

// yieldProcessor gives this process a lower priority than a server on the same machine, because it works for minutes
// while the callers of a server wait for milliseconds. It ignores errors.
func yieldProcessor() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, yieldsBy)
	// Linux gives each thread its own priority, which new threads inherit.
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, yieldsBy)
		}
	}
}
