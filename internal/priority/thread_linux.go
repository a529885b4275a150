package priority

import (
	"runtime"
	"syscall"
)

// LowerGoroutine lets the rest of the process go before what the calling goroutine does from now on, until it ends.
// Goroutines that it starts are as others. It works on Linux alone, where threads have priorities of their own.
func LowerGoroutine() {
	runtime.LockOSThread() // for good, so that the thread ends with the goroutine
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), lower)
}
