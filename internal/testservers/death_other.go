//go:build !linux

package testservers

import "syscall"

// Where the kernel does not offer it, servers end with the test, and with Main, but not with a process
// that was killed.
func dieWithParent(*syscall.SysProcAttr) {}
