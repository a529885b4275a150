package importer

import (
	"fmt"
	"os"
	"syscall"
)

// boundMemory makes the system refuse this process more than the given bytes of memory.
//
// RLIMIT_DATA limits the memory itself, but Linux does not check it for addresses that the process has already
// reserved, as the runtime does for a large allocation. So RLIMIT_AS limits the addresses as well, to twice the bytes
// beyond those in use, because the runtime reserves more than it uses.
func boundMemory(bytes int64) error {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages int64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return fmt.Errorf("/proc/self/statm: %w", err)
	}
	addresses := pages*int64(os.Getpagesize()) + 2*bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: uint64(addresses), Max: uint64(addresses)}); err != nil {
		return err
	}
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)})
}
