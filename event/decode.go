package event

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

// The decoders below decode one event from the body that a client sent at the time received. They set At, Received, Kind,
// ExternalUser (userId) and the fields of the kind; the caller adds who sent the event, and how. Members that the API does
// not define become Metadata, within its limits.
//
// The error is a *fault.Error of code Invalid, labelled "Invalid Event", with a reason "field: problem" for each
// invalid field.

// DecodePlayback decodes a Playback.
func DecodePlayback(body Body, received Instant) (Event, error) {
	return decodeOne(body, func(o *object) Event { return playback(o, received, false) })
}

// playback reads a Playback from its members.
func playback(o *object, received Instant, dated bool) Event {
	e := common(o, Playback, received, dated)
	e.Video = o.video("videoId")
	e.Start = o.seconds("segmentStartSeconds")
	e.End = o.seconds("segmentEndSeconds")
	e.Bound(UnknownBound)
	return e
}

// DecodePlayerInteraction decodes a PlayerInteraction.
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

// DecodePageRender decodes a PageRender.
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

// DecodeSearchCompletions decodes a SearchCompletions.
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

// DecodeInteraction decodes a PlatformInteraction or VideoInteraction, whose body may be absent, null or an object without
// fields of its own. The subtype comes from outside the body; named is its name for the client, used in errors.
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

// DecodeCollectionInteraction decodes a CollectionInteraction with the collection whose ID came from outside the body.
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

// common reads the members that all events share. Dated events, those of a batch, require a captureTime. In others, a
// captureTime that is not a string becomes metadata, because the API does not define it there.
func common(o *object, kind Kind, received Instant, dated bool) Event {
	e := Event{Kind: kind, At: received, Received: received}
	e.ExternalUser = o.text("userId", identifier(MaxUser))
	if at := o.moment("captureTime", received, dated); at != 0 {
		e.At = at
	}
	return e
}
