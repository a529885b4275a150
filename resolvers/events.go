package resolvers

import (
	"cmp"
	"context"
	"errors"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
)

var errNoEvents = catalogue.Errorf(catalogue.Unavailable, "this server takes no events")

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

// RecordVideoInteraction keeps the video's own id, whatever name the client has for it.
func (m mutation) RecordVideoInteraction(ctx context.Context, videoID, kind string, body event.Body, key *string) (bool, error) {
	id, err := m.visibleVideo(ctx, videoID)
	if err != nil {
		return false, err
	}
	told := telling{what: event.VideoInteraction, of: string(id), subtype: kind, body: body, key: key}
	return m.record(ctx, told, func(received event.Instant) ([]event.Event, error) {
		e, err := event.DecodeInteraction(event.VideoInteraction, "type", kind, body, received)
		e.Video = string(id)
		return one(e, err)
	})
}

// visibleVideo is the id of a video that the caller sees: that of the twin where a retired one lives on.
func (m mutation) visibleVideo(ctx context.Context, id string) (catalogue.ID, error) {
	ref, err := query(m).VideoReference(ctx, id, nil)
	if moved := (*catalogue.Error)(nil); catalogue.CodeOf(err) == catalogue.Moved && errors.As(err, &moved) {
		return moved.MovedTo, nil
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
	received := event.InstantOf(m.now())
	events, err := decode(received)
	if err != nil {
		return false, err
	}
	for _, one := range events {
		if err := checkVideoOf(caller, catalogue.ID(one.Video)); err != nil {
			return false, err
		}
	}
	from := m.sender(ctx, caller, told.anonymous)
	for i := range events {
		from.sign(&events[i])
	}
	submission := event.Submission{Client: from.keysOf, Received: received, Events: events}
	if told.key != nil {
		submission.Key, submission.Fingerprint = *told.key, told.fingerprint(&from)
	}
	if err := m.events.Append(ctx, submission); err != nil {
		return false, err
	}
	m.noteClicks(caller, events)
	return true, nil
}

// sender is who sends events: what their own bodies do not say.
type sender struct {
	account, client, user string
	// externalUser is known by the token or the request; the body of an event may name another.
	externalUser  string
	circumstances event.Circumstances
	sandbox       bool
	// anonymous: nothing that tells of a user is kept.
	anonymous bool
	// pseudonym is what is kept of a user whom a body names.
	pseudonym func(user string) string
	// keysOf is whose idempotency keys count.
	keysOf string
}

func (r *resolver) sender(ctx context.Context, caller *account.Caller, anonymous bool) sender {
	from := sender{
		client: caller.ClientID, user: caller.User, circumstances: event.CircumstancesOf(ctx), anonymous: anonymous, keysOf: caller.ClientID,
	}
	if caller.Account != nil {
		from.account, from.sandbox = caller.Account.ID, caller.Account.Environment == account.Sandbox
	}
	from.pseudonym = func(user string) string { return event.Pseudonym(r.personKey, from.account, user) }
	from.externalUser = from.pseudonym(caller.ExternalUser)
	if caller.Anonymous() {
		from.keysOf = r.strangerAt(from.circumstances.Address)
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
	e.User, e.Address = s.user, s.circumstances.Address
	e.ExternalUser = cmp.Or(s.pseudonym(e.ExternalUser), s.externalUser)
}
