package event

// Body is a JSON value as a client sent it, for the decoders of this package.
type Body []byte

// The maximum sizes of bodies, in bytes.
const (
	// MaxBody is the limit for one event.
	MaxBody = 64 << 10
	// MaxBatchBody is the limit for a batch.
	MaxBatchBody = 2 << 20
)
