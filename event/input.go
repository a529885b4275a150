package event

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
)

// The inputs below are the events that clients report, before they are checked. Their methods Event return the event of a
// report that arrived at the time received: they set At, Received, Kind, ExternalUser and the fields of the kind; the caller
// adds who sent the event, and how.
//
// The error is a *fault.Error of code Invalid, labeled "Invalid Event", with a reason "field: problem" for each invalid
// field, in the words of the HTTP API.

// Report is what every input may contain.
type Report struct {
	// CaptureTime is a time in ISO 8601 with an offset, or "": the time of receipt.
	CaptureTime string
	// UserID is the client's own ID of the user, or "".
	UserID string
	// Metadata is an object with what the API does not define, or nil.
	Metadata jsontext.Value
}

// PlaybackInput is the input of a Playback.
type PlaybackInput struct {
	Report

	VideoID                                string
	SegmentStartSeconds, SegmentEndSeconds Milliseconds
}

// Event returns a Playback.
func (in PlaybackInput) Event(received Instant) (Event, error) {
	return checked(func(f *faults) Event { return in.event(f, received) })
}

func (in PlaybackInput) event(f *faults, received Instant) Event {
	e := in.report(f, Playback, received)
	e.Video = f.video("videoId", in.VideoID)
	e.Start, e.End = int64(in.SegmentStartSeconds), int64(in.SegmentEndSeconds)
	e.Bound(UnknownBound)
	return e
}

// PlaybackBatch returns the Playbacks of a list of 1 to MaxBatch inputs, each with a CaptureTime: all of them or none. The
// error has one reason for each invalid event, in their order: "[3].captureTime: problem".
func PlaybackBatch(list []*PlaybackInput, received Instant) ([]Event, error) {
	if len(list) == 0 || len(list) > MaxBatch {
		return nil, InvalidBody("the batch has %d events, 1 to %d are allowed", len(list), MaxBatch)
	}
	events := make([]Event, len(list))
	var wrong []string
	for i := range list {
		var f faults
		if events[i] = list[i].event(&f, received); list[i].CaptureTime == "" {
			f.add("captureTime", "must not be empty")
		}
		if len(f) > 0 {
			wrong = append(wrong, InBatch(i, fault.FieldErrors(f)))
		}
	}
	if len(wrong) > 0 {
		return nil, InvalidBatch(wrong, len(list))
	}
	return events, nil
}

// PlayerInteractionInput is the input of a PlayerInteraction. Payload is an object.
type PlayerInteractionInput struct {
	Report

	VideoID     string
	CurrentTime Milliseconds
	Subtype     string
	Payload     jsontext.Value
}

// Event returns a PlayerInteraction.
func (in PlayerInteractionInput) Event(received Instant) (Event, error) {
	return checked(func(f *faults) Event {
		e := in.report(f, PlayerInteraction, received)
		e.Video = f.video("videoId", in.VideoID)
		e.Subtype = f.text("subtype", in.Subtype, identifier(MaxText).required())
		var details details
		details.seconds("currentTime", int64(in.CurrentTime))
		details.raw("payload", f.payload("payload", in.Payload))
		e.Details = details.close()
		return e
	})
}

// PageRenderInput is the input of a PageRender.
type PageRenderInput struct {
	Report

	URL      string
	Viewport *ViewportInput
	IsResize *bool
}

// ViewportInput is the size of the visible part of a page, in pixels.
type ViewportInput struct{ Width, Height *int }

// Event returns a PageRender.
func (in PageRenderInput) Event(received Instant) (Event, error) {
	return checked(func(f *faults) Event {
		e := in.report(f, PageRender, received)
		var details details
		details.text("url", f.text("url", in.URL, identifier(MaxAddress).required()))
		if in.Viewport != nil {
			details.raw("viewport", f.viewport("viewport", in.Viewport))
		}
		if in.IsResize != nil {
			details.raw("isResize", strconv.AppendBool(nil, *in.IsResize))
		}
		e.Details = details.close()
		return e
	})
}

// SearchCompletionsInput is the input of a SearchCompletions.
type SearchCompletionsInput struct {
	Report

	SearchQuery                          string
	Impressions                          []string
	ComponentID, CompletionID, SearchURL string
}

// Event returns a SearchCompletions.
func (in SearchCompletionsInput) Event(received Instant) (Event, error) {
	return checked(func(f *faults) Event {
		e := in.report(f, SearchCompletions, received)
		var details details
		details.text("searchQuery", f.text("searchQuery", in.SearchQuery, prose(MaxQuery).required()))
		details.raw("impressions", f.impressions("impressions", in.Impressions))
		details.text("componentId", f.text("componentId", in.ComponentID, identifier(MaxText).required()))
		details.text("completionId", f.text("completionId", in.CompletionID, identifier(MaxText).required()))
		details.text("searchUrl", f.text("searchUrl", in.SearchURL, identifier(MaxAddress)))
		e.Details = details.close()
		return e
	})
}

// InteractionInput is the input of a PlatformInteraction or a VideoInteraction.
type InteractionInput struct{ Report }

// Event returns an event of the kind. The subtype stands outside the input, which may be nil; named is its name for the
// client, used in errors.
func (in *InteractionInput) Event(kind Kind, named, subtype string, received Instant) (Event, error) {
	return checked(func(f *faults) Event {
		if in == nil {
			in = &InteractionInput{}
		}
		e := in.report(f, kind, received)
		e.Subtype = f.text(named, subtype, identifier(MaxText).required())
		return e
	})
}

// CollectionInteractionInput is the input of a CollectionInteraction.
type CollectionInteractionInput struct {
	Report

	Subtype string
}

// Event returns a CollectionInteraction with the ID of the collection, which stands outside the input.
func (in CollectionInteractionInput) Event(id string, received Instant) (Event, error) {
	return checked(func(f *faults) Event {
		e := in.report(f, CollectionInteraction, received)
		e.Subtype = f.text("subtype", in.Subtype, identifier(MaxText).required())
		var details details
		details.text("collectionId", id)
		e.Details = details.close()
		return e
	})
}

// report returns an event with what all inputs may contain.
func (r *Report) report(f *faults, kind Kind, received Instant) Event {
	e := Event{Kind: kind, At: received, Received: received}
	e.ExternalUser = f.text("userId", r.UserID, identifier(MaxUser))
	if at := f.moment("captureTime", r.CaptureTime, received); at != 0 {
		e.At = at
	}
	e.Metadata = f.metadata("metadata", r.Metadata)
	return e
}

// checked returns an event, or the error for the faults that were found.
func checked(event func(*faults) Event) (Event, error) {
	var f faults
	if e := event(&f); len(f) == 0 {
		return e, nil
	}
	return Event{}, Invalid(fault.FieldErrors(f))
}
