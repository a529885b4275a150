package event

// Body is a JSON value as a client sent it, for the decoders of this package to read.
type Body []byte

// The longest bodies, in bytes.
const (
	// MaxBody bounds that of one event.
	MaxBody = 64 << 10
	// MaxBatchBody bounds that of a batch.
	MaxBatchBody = 2 << 20
)
