package sqlite

// WithoutSync turns off waiting for the disk. Tests that do not kill a process during a write need not wait.
func WithoutSync() Option { return func(s *settings) { s.synchronous = "OFF" } }

// WithSegments sets how many events a segment of the index of persons covers.
func WithSegments(size int64) Option { return func(s *settings) { s.segment = size } }
