// Package processors knows how many goroutines the processors have room for, where more than these run.
package processors

import (
	"os"
	"runtime"
)

// Spare is how many goroutines may run beside those that the processors have room for. A thread that waits for the
// disk, or that the system has others go before, keeps its place and what is queued behind it for up to ten
// milliseconds, and on a small machine there are few.
const Spare = 6

var room = runtime.GOMAXPROCS(0)

// Count is how many goroutines the machine, or what this process may have of it, can run at a time: what work that
// takes a processor all the while is shared out by.
func Count() int { return room }

// RunSpare lets Spare more goroutines run, unless GOMAXPROCS in the environment says how many.
func RunSpare() {
	if _, set := os.LookupEnv("GOMAXPROCS"); !set {
		runtime.GOMAXPROCS(room + Spare)
	}
}
