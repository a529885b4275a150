package sqlite

// WithoutSync does not wait for the disk: tests that do not end a process in the midst of its work
// need not.
func WithoutSync() Option { return func(s *settings) { s.synchronous = "OFF" } }
