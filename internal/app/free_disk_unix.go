//go:build linux || darwin

package app

import (
	"syscall"
)

// freeBytes is how many bytes this process may still write on the disk of a directory.
func freeBytes(directory string) (int64, error) {
	var of syscall.Statfs_t
	if err := syscall.Statfs(directory, &of); err != nil {
		return 0, err
	}
	return int64(of.Bavail) * int64(of.Bsize), nil //nolint:unconvert // macOS has other types
}
