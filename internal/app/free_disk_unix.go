//go:build linux || darwin

package app

import (
	"syscall"
)

// freeBytes returns the number of bytes that this process may still write to the disk of a directory.
func freeBytes(directory string) (int64, error) {
	var of syscall.Statfs_t
	if err := syscall.Statfs(directory, &of); err != nil {
		return 0, err
	}
	return int64(of.Bavail) * int64(of.Bsize), nil //nolint:unconvert // macOS has other types
}
