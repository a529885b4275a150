package importer

import "syscall"

// boundMemory has the system refuse this process more memory than so many bytes. Addresses that are only reserved
// do not count, of which the runtime has many.
func boundMemory(bytes int64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)})
}
