//go:build !linux

package priority

// LowerGoroutine does nothing where threads have no priority of their own.
func LowerGoroutine() {}
