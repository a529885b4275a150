package event

// The maximum sizes of bodies, in bytes.
const (
	// MaxBody is the limit for one event.
	MaxBody = 64 << 10
	// MaxBatchBody is the limit for a batch.
	MaxBatchBody = 2 << 20
)

// The limits of texts, in characters, and of lists.
const (
	// MaxUser limits the client's own ID of a user (spec.md, "Limits").
	MaxUser = 64
	// MaxText limits names: subtypes, components, completions.
	MaxText = 255
	// MaxAddress limits URLs of pages.
	MaxAddress = 2048
	// MaxQuery limits the text of a search and each completion.
	MaxQuery = 1000
	// MaxImpressions is the maximum number of completions shown.
	MaxImpressions = 100
	// MaxPixels is the maximum width and height of a viewport.
	MaxPixels = 1_000_000
	// MaxPayload limits the payload of a player's event, in bytes without white space, and MaxPayloadDepth its nesting.
	MaxPayload      = 16 << 10
	MaxPayloadDepth = 16
	// MaxBatch is the maximum number of events in a batch (spec.md, "Limits").
	MaxBatch = 500
)
