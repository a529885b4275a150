package event

// Body is a JSON value as a client sent it, for the decoders of this package to read.
type Body []byte
