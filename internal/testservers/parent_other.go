//go:build !linux

package testservers

import "syscall"

// On other systems, servers end with the test and with Main, but not with a killed process.
func dieWithParent(*syscall.SysProcAttr) {}
