//go:build unix

// Package fileowner gives files that root creates to the user whom a server runs as.
package fileowner

import (
	"os"
	"syscall"
)

// Match gives a file to the owner of another file or folder if this process is root's, and does nothing otherwise. A
// command that root runs must not leave a file that the server cannot open. SQLite does the same for its files.
func Match(path, like string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		return os.Chown(path, int(owner.Uid), int(owner.Gid))
	}
	return nil
}
