package event

// The longest texts, in characters, and lists that events hold.
const (
	// MaxUser bounds the name by which a client calls a user (spec.md, "Limits").
	MaxUser = 64
	// MaxText bounds whatever names something: subtypes, components, completions.
	MaxText = 255
	// MaxAddress bounds addresses of pages.
	MaxAddress = 2048
	// MaxQuery bounds what was searched for, and each completion shown.
	MaxQuery = 1000
	// MaxImpressions is how many completions can have been shown.
	MaxImpressions = 100
	// MaxPixels bounds the sides of a viewport.
	MaxPixels = 1_000_000
	// MaxPayload bounds the payload of a player's event, in bytes without white space, and MaxPayloadDepth how
	// deep it is nested.
	MaxPayload      = 16 << 10
	MaxPayloadDepth = 16
	// MaxBatch is how many events a batch holds (spec.md, "Limits").
	MaxBatch = 500
)

// The decoders below read what a client sent as one event that was received then. What they return has At, Received,
// Kind, ExternalUser (userId) and what the kind defines; who sent it and how is the caller's to add. Members
// that the API does not name become Metadata, as far as they are small.
//
// The error is a *catalogue.Error of code Invalid, labelled "Invalid Event", with a reason "field: problem"
// for each field that is wrong.

// DecodePlayback reads that a segment of a video was played.
func DecodePlayback(body Body, received Instant) (Event, error) {
	return decodeOne(body, func(o *object) Event { return playback(o, received, false) })
}

// playback reads a segment.
func playback(o *object, received Instant, dated bool) Event {
	e := common(o, Playback, received, dated)
	e.Video = o.video("videoId")
	e.Start = o.seconds("segmentStartSeconds")
	e.End = o.seconds("segmentEndSeconds")
	e.Bound(UnknownBound)
	return e
}

// DecodePlayerInteraction reads that somebody did something with the player.
func DecodePlayerInteraction(body Body, received Instant) (Event, error) {
	return decodeOne(body, func(o *object) Event {
		e := common(o, PlayerInteraction, received, false)
		e.Video = o.video("videoId")
		e.Subtype = o.text("subtype", identifier(MaxText).required())
		var details details
		details.seconds("currentTime", o.seconds("currentTime"))
		details.raw("payload", o.payload("payload"))
		e.Details = details.close()
		return e
	})
}

// DecodePageRender reads that a page of the client was shown.
func DecodePageRender(body Body, received Instant) (Event, error) {
	return decodeOne(body, func(o *object) Event {
		e := common(o, PageRender, received, false)
		var details details
		details.text("url", o.text("url", identifier(MaxAddress).required()))
		details.raw("viewport", o.viewport("viewport"))
		details.raw("isResize", o.boolean("isResize"))
		e.Details = details.close()
		return e
	})
}

// DecodeSearchCompletions reads that completions of a query were shown.
func DecodeSearchCompletions(body Body, received Instant) (Event, error) {
	return decodeOne(body, func(o *object) Event {
		e := common(o, SearchCompletions, received, false)
		var details details
		details.text("searchQuery", o.text("searchQuery", prose(MaxQuery).required()))
		details.raw("impressions", o.impressions("impressions"))
		details.text("componentId", o.text("componentId", identifier(MaxText).required()))
		details.text("completionId", o.text("completionId", identifier(MaxText).required()))
		details.text("searchUrl", o.text("searchUrl", identifier(MaxAddress)))
		e.Details = details.close()
		return e
	})
}

// DecodeInteraction reads an event of a kind whose body has nothing of its own, PlatformInteraction or
// VideoInteraction: no body, null, or an object. What was done came beside it; named is how the client calls that,
// for the error.
func DecodeInteraction(kind Kind, named, subtype string, body Body, received Instant) (Event, error) {
	if isNothing(body) {
		body = Body("{}")
	}
	return decodeOne(body, func(o *object) Event {
		e := common(o, kind, received, false)
		e.Subtype = o.beside(named, subtype, identifier(MaxText).required())
		return e
	})
}

// DecodeCollectionInteraction reads that somebody did something with a collection, whose id came beside it.
func DecodeCollectionInteraction(id string, body Body, received Instant) (Event, error) {
	return decodeOne(body, func(o *object) Event {
		e := common(o, CollectionInteraction, received, false)
		e.Subtype = o.text("subtype", identifier(MaxText).required())
		var details details
		details.text("collectionId", id)
		e.Details = details.close()
		return e
	})
}

// common reads what every event may tell. Dated ones, those of a batch, must say when they happened. In others a
// captureTime that is no text is metadata as anything else, for the API never asked for it there.
func common(o *object, kind Kind, received Instant, dated bool) Event {
	e := Event{Kind: kind, At: received, Received: received}
	e.ExternalUser = o.text("userId", identifier(MaxUser))
	if at := o.moment("captureTime", received, dated); at != 0 {
		e.At = at
	}
	return e
}
