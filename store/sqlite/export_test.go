package sqlite

// WithoutSync turns off waiting for the disk. Tests that do not kill a process during a write need not wait.
func WithoutSync() Option { return func(s *settings) { s.synchronous = "OFF" } }
