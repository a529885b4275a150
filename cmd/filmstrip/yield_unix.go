//go:build unix

package main

import (
	"os"
	"strconv"
	"syscall"
)

// yieldsBy is how many of the 19 steps of priority this process goes down.
const yieldsBy = 10

// yieldProcessor lets a server on the same machine go before this process, which has minutes of work where the
// server's callers wait for milliseconds. That it cannot be done is no reason not to work.
func yieldProcessor() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, yieldsBy)
	// Linux gives each thread a priority of its own; those that are made from now on take after these.
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, yieldsBy)
		}
	}
}
