package resolvers

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

var errNoEvents = fault.Errorf(fault.Unavailable, "this server takes no events")

func (m mutation) RecordPlayback(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.record(ctx, telling{what: event.Playback, body: body, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(event.DecodePlayback(body, received))
	})
}

func (m mutation) RecordPlaybackBatch(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.record(ctx, telling{what: event.Playback, body: body, key: key}, func(received event.Instant) ([]event.Event, error) {
		return event.DecodePlaybackBatch(body, received)
	})
}

func (m mutation) RecordPlayerInteraction(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.record(ctx, telling{what: event.PlayerInteraction, body: body, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(event.DecodePlayerInteraction(body, received))
	})
}

func (m mutation) RecordPageRender(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.record(ctx, telling{what: event.PageRender, body: body, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(event.DecodePageRender(body, received))
	})
}

func (m mutation) RecordPlatformInteraction(ctx context.Context, subtype string, anonymous bool, body event.Body, key *string) (bool, error) {
	told := telling{what: event.PlatformInteraction, subtype: subtype, anonymous: anonymous, body: body, key: key}
	return m.record(ctx, told, func(received event.Instant) ([]event.Event, error) {
		return one(event.DecodeInteraction(event.PlatformInteraction, "subtype", subtype, body, received))
	})
}

func (m mutation) RecordSearchCompletions(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.record(ctx, telling{what: event.SearchCompletions, body: body, key: key}, func(received event.Instant) ([]event.Event, error) {
		return one(event.DecodeSearchCompletions(body, received))
	})
}

// RecordVideoInteraction keeps the video's own id, whatever name the client has for it. A repetition is known by the
// name: which video that is, and whether the caller sees it, may change.
func (m mutation) RecordVideoInteraction(ctx context.Context, videoID, kind string, body event.Body, key *string) (bool, error) {
	told := telling{what: event.VideoInteraction, of: strings.ToLower(videoID), subtype: kind, body: body, key: key}
	return m.record(ctx, told, func(received event.Instant) ([]event.Event, error) {
		id, err := m.visibleVideo(ctx, videoID)
		if err != nil {
			return nil, err
		}
		e, err := event.DecodeInteraction(event.VideoInteraction, "type", kind, body, received)
		e.Video = string(id)
		return one(e, err)
	})
}

// visibleVideo is the id of a video that the caller sees: that of the twin where a retired one lives on.
func (m mutation) visibleVideo(ctx context.Context, id string) (catalogue.ID, error) {
	ref, err := query(m).VideoReference(ctx, id, nil)
	if moved := (*fault.Error)(nil); fault.CodeOf(err) == fault.Moved && errors.As(err, &moved) {
		return catalogue.ID(moved.MovedTo), nil
	}
	if err != nil {
		return "", err
	}
	return ref.ID, nil
}

func one(e event.Event, err error) ([]event.Event, error) { return []event.Event{e}, err }

// record stores what a caller tells. decode reads it as events that were received then.
func (m mutation) record(ctx context.Context, told telling, decode func(received event.Instant) ([]event.Event, error)) (bool, error) {
	caller, err := caller(ctx)
	if err != nil {
		return false, err
	}
	if m.events == nil {
		return false, errNoEvents
	}
	if err := checkKey(told.key); err != nil {
		return false, err
	}
	from := m.sender(ctx, caller, told.anonymous)
	submission := event.Submission{Client: from.keysOf, Received: event.InstantOf(m.now())}
	if caller.Embed != nil {
		submission.Viewing = &event.Viewing{ID: caller.Embed.Viewing.ID, Opened: event.InstantOf(caller.Embed.Viewing.Opened)}
	}
	if told.key != nil {
		submission.Key, submission.Fingerprint = *told.key, told.fingerprint(&from)
	}
	if submission.Events, err = decode(submission.Received); err != nil {
		return m.recall(ctx, submission, err)
	}
	for i := range submission.Events {
		if err := checkVideoOf(caller, catalogue.ID(submission.Events[i].Video)); err != nil {
			return false, err
		}
		from.sign(&submission.Events[i])
	}
	m.fixCounted(ctx, caller, submission.Events)
	verdict, err := m.events.Append(ctx, submission)
	if err != nil {
		return false, err
	}
	if verdict == event.Stored {
		m.noteClicks(caller, submission.Events)
	}
	return true, nil
}

// recall answers for a request that comes to nothing today: one that was stored under its key is a repetition all the
// same, for what it is about may have gone since. What no body may hold was never stored.
func (m mutation) recall(ctx context.Context, submission event.Submission, problem error) (bool, error) {
	if fault.CodeOf(problem) == fault.Invalid || submission.Key == "" {
		return false, problem
	}
	verdict, err := m.events.Recall(ctx, submission)
	switch {
	case err != nil:
		return false, err
	case verdict == event.Repeated:
		return true, nil
	case verdict == event.Mismatched:
		return false, event.ErrMismatched(submission.Key)
	}
	return false, problem
}

// sender is who sends events: what their own bodies do not say.
type sender struct {
	account, client, user string
	// externalUser is known by the token or the request; the body of an event may name another.
	externalUser string
	// named is the same as it was given: what is kept of it may change with a setting.
	named         string
	circumstances event.Circumstances
	sandbox       bool
	// anonymous: nothing that tells of a user is kept.
	anonymous bool
	// stranger: nobody vouches for whom the body names as the user, so it is not kept.
	stranger bool
	// pseudonym is what is kept of a user whom a body names.
	pseudonym func(user string) string
	// keysOf is whose idempotency keys count.
	keysOf string
}

func (r *resolver) sender(ctx context.Context, caller *account.Caller, anonymous bool) sender {
	from := sender{
		client: caller.ClientID, user: caller.User, circumstances: event.CircumstancesOf(ctx), anonymous: anonymous, stranger: caller.Stranger(),
		keysOf: caller.ClientID,
	}
	if caller.Account != nil {
		from.account, from.sandbox = caller.Account.ID, caller.Account.Environment == account.Sandbox
	}
	from.pseudonym = func(user string) string { return event.Pseudonym(r.personKey, from.account, user) }
	from.named, from.externalUser = caller.ExternalUser, from.pseudonym(caller.ExternalUser)
	switch {
	case caller.Anonymous():
		from.keysOf = r.strangerAt(from.circumstances.Address)
	case caller.Embed != nil: // whose visitors could otherwise take the keys of the client's own events
		from.keysOf = r.strangerAt("embed " + caller.Embed.Address)
	}
	return from
}

// sign makes an event one of the sender's.
func (s *sender) sign(e *event.Event) {
	e.ID = event.NewID(e.Received)
	e.Account, e.Client, e.Sandbox = s.account, s.client, s.sandbox
	e.Trace, e.Referer = s.circumstances.Trace, s.circumstances.Referer
	if s.anonymous {
		e.ExternalUser = ""
		return
	}
	e.Address = s.circumstances.Address
	if s.stranger {
		e.ExternalUser = ""
		return
	}
	e.User = s.user
	e.ExternalUser = cmp.Or(s.pseudonym(e.ExternalUser), s.externalUser)
}
