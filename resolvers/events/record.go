package events

import (
	"context"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
)

var errNoEvents = fault.Errorf(fault.Unavailable, "this server does not record events")

func (r *Resolver) RecordPlayback(ctx context.Context, in event.PlaybackInput, key *string) (*bool, error) {
	return r.record(ctx, request{kind: event.Playback, input: in, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(in.Event(received))
	})
}

func (r *Resolver) RecordPlaybackBatch(ctx context.Context, list []*event.PlaybackInput, key *string) (*bool, error) {
	return r.record(ctx, request{kind: event.Playback, input: list, key: key}, func(received event.Instant) ([]event.Event, error) {
		return event.PlaybackBatch(list, received)
	})
}

func (r *Resolver) RecordPlayerInteraction(ctx context.Context, in event.PlayerInteractionInput, key *string) (*bool, error) {
	return r.record(ctx, request{kind: event.PlayerInteraction, input: in, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(in.Event(received))
	})
}

func (r *Resolver) RecordPageRender(ctx context.Context, in event.PageRenderInput, key *string) (*bool, error) {
	return r.record(ctx, request{kind: event.PageRender, input: in, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(in.Event(received))
	})
}

func (r *Resolver) RecordPlatformInteraction(ctx context.Context, subtype string, anonymous bool, in *event.InteractionInput, key *string) (*bool, error) {
	asked := request{kind: event.PlatformInteraction, subtype: subtype, anonymous: anonymous, input: in, key: key}
	return r.record(ctx, asked, func(received event.Instant) ([]event.Event, error) {
		return one(in.Event(event.PlatformInteraction, "subtype", subtype, received))
	})
}

func (r *Resolver) RecordSearchCompletions(ctx context.Context, in event.SearchCompletionsInput, key *string) (*bool, error) {
	return r.record(ctx, request{kind: event.SearchCompletions, input: in, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(in.Event(received))
	})
}

// RecordVideoInteraction stores the ID of the video, even if the client names it by an alias. A repetition is recognized
// by the name, because the video that it stands for, and whether the caller sees it, may change.
func (r *Resolver) RecordVideoInteraction(ctx context.Context, videoID, kind string, in *event.InteractionInput, key *string) (*bool, error) {
	asked := request{kind: event.VideoInteraction, of: strings.ToLower(videoID), subtype: kind, input: in, key: key}
	return r.record(ctx, asked, func(received event.Instant) ([]event.Event, error) {
		id, err := r.Videos.VisibleVideo(ctx, videoID)
		if err != nil {
			return nil, err
		}
		e, err := in.Event(event.VideoInteraction, "type", kind, received)
		e.Video = string(id)
		return one(e, err)
	})
}

// RecordCollectionInteraction recognizes a repetition even if the collection no longer exists.
func (r *Resolver) RecordCollectionInteraction(ctx context.Context, id string, in event.CollectionInteractionInput, key *string) (*bool, error) {
	asked := request{kind: event.CollectionInteraction, of: id, input: in, key: key}
	return r.record(ctx, asked, func(received event.Instant) ([]event.Event, error) {
		found, err := r.Collections.Readable(ctx, id)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, inputs.NotFound("collection", id)
		}
		return one(in.Event(id, received))
	})
}

// ReportAccessExpired records an event, and one entry per user and day in the audit log of the caller's account. Without
// a sink it adds the entry only.
func (r *Resolver) ReportAccessExpired(ctx context.Context, key *string) (*bool, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if caller.Account == nil {
		return nil, fault.Errorf(fault.Forbidden, "the client %q has no account", caller.ClientID)
	}
	note := func() error {
		return r.Registry.Note(ctx, caller.Account.ID, expiryNote{Day: r.Videos.Today(), User: caller.User})
	}
	if r.Sink == nil {
		if err := note(); err != nil {
			return nil, err
		}
		return new(true), nil
	}
	return r.record(ctx, request{kind: event.AccessExpired, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(event.Event{Kind: event.AccessExpired, At: received, Received: received}, note())
	})
}

// expiryNote is the body of an entry of the audit log, which has equal entries once.
type expiryNote struct {
	Day  catalogue.Date `json:"accessExpiredReported"`
	User string         `json:"user,omitempty"`
}

func one(e event.Event, err error) ([]event.Event, error) { return []event.Event{e}, err }

// record stores the events that check makes of the input of a request.
func (r *Resolver) record(ctx context.Context, asked request, check func(received event.Instant) ([]event.Event, error)) (*bool, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if r.Sink == nil {
		return nil, errNoEvents
	}
	if err := checkKey(asked.key); err != nil {
		return nil, err
	}
	from := r.sender(ctx, caller, asked.anonymous)
	submission := event.Submission{Client: from.keysOf, Received: event.InstantOf(r.Now())}
	if caller.Embed != nil {
		submission.Viewing = &event.Viewing{ID: caller.Embed.Viewing.ID, Opened: event.InstantOf(caller.Embed.Viewing.Opened)}
	}
	if asked.key != nil {
		submission.Key, submission.Fingerprint = *asked.key, asked.fingerprint(&from)
	}
	if submission.Events, err = check(submission.Received); err != nil {
		return r.recall(ctx, submission, err)
	}
	for i := range submission.Events {
		if err := authz.CheckVideo(caller, catalogue.ID(submission.Events[i].Video)); err != nil {
			return nil, err
		}
		from.sign(&submission.Events[i])
	}
	r.fixCounted(ctx, caller, submission.Events)
	verdict, err := r.Sink.Append(ctx, submission)
	if err != nil {
		return nil, err
	}
	if verdict == event.Stored {
		r.logClicks(caller, submission.Events)
	}
	return new(true), nil
}

// recall decides about a request that failed: if it was stored under its key before, it is a repetition and succeeds,
// because its video or collection may have been deleted since. An invalid body cannot have been stored.
func (r *Resolver) recall(ctx context.Context, submission event.Submission, failed error) (*bool, error) {
	if fault.CodeOf(failed) == fault.Invalid || submission.Key == "" {
		return nil, failed
	}
	verdict, err := r.Sink.Recall(ctx, submission)
	switch {
	case err != nil:
		return nil, err
	case verdict == event.Repeated:
		return new(true), nil
	case verdict == event.Mismatched:
		return nil, event.ErrMismatched(submission.Key)
	}
	return nil, failed
}
