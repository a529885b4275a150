package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// createUnnamed creates a file without a name in a folder; nothing remains of it if the process is killed. ok is false
// if the file system has no such files.
func createUnnamed(folder string) (_ *os.File, ok bool) {
	descriptor, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, false
	}
	return os.NewFile(uintptr(descriptor), filepath.Join(folder, "(unnamed)")), true
}

// nameFile gives a file of createUnnamed an unused name.
func nameFile(file *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", file.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
