package events

import (
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
)

// lookupTime is how long intake waits for the catalogue. After that it stores events without its answer.
const lookupTime = 2 * time.Second

// fixCounted decides how much of each play counts, and which events name a video that the caller cannot see. Both are
// stored with the event, so later changes of the catalogue change no sum. A video that the caller does not see is treated
// like one that does not exist. While the catalogue cannot be read, all videos are treated like that, because events
// must be stored (decision 0033).
func (r *Resolver) fixCounted(ctx context.Context, caller *account.Caller, events []event.Event) {
	var texts []string
	for i := range events {
		if e := &events[i]; namesAnyVideo(e) && !slices.Contains(texts[max(0, len(texts)-1):], e.Video) {
			texts = append(texts, e.Video)
		}
	}
	if texts == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	durations, err := r.durations(ctx, caller.Access, texts)
	if err != nil {
		durations = nil
	}
	for i := range events {
		e := &events[i]
		if !namesAnyVideo(e) {
			continue
		}
		duration, visible := durations[e.Video]
		e.Hidden = !visible
		if duration > 0 {
			e.Bound(int64(duration) + event.Rounding)
		} else {
			e.Bound(event.UnknownBound)
		}
	}
}

// namesAnyVideo reports whether a client may have named any video in an event. The video of a video interaction is known
// to be visible.
func namesAnyVideo(e *event.Event) bool { return e.Video != "" && e.Kind != event.VideoInteraction }

// durations returns the durations of the videos that an access shows, by the IDs or legacy aliases that name them; 0 is
// an unknown duration. A retired video has the duration of its replacement, to which reads redirect. But if the access
// would not show the retired video itself, it is not shown here either, because usage shows its channel and subjects.
func (r *Resolver) durations(ctx context.Context, access catalogue.Access, texts []string) (map[string]catalogue.Duration, error) {
	ids, err := r.Videos.ResolveAliases(ctx, texts)
	if err != nil {
		return nil, err
	}
	states, err := r.Videos.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	today := r.Videos.Today()
	found := make(map[catalogue.ID]catalogue.Duration, len(states))
	var retired []catalogue.State
	for _, s := range states {
		if s.VisibleTo(access, today) {
			found[s.ID] = s.Duration
		} else if showsUnretired(s, access, today) {
			retired = append(retired, s)
		}
	}
	replacements, err := r.Videos.Replacements(ctx, retired)
	if err != nil {
		return nil, err
	}
	for id, replacement := range replacements {
		if replacement.VisibleTo(access, today) {
			found[id] = replacement.Duration
		}
	}
	durations := make(map[string]catalogue.Duration, len(texts))
	for i, text := range texts {
		if duration, visible := found[ids[i]]; visible {
			durations[text] = duration
		}
	}
	return durations, nil
}

// showsUnretired reports whether an access would show a video if it were neither retired nor withdrawn.
func showsUnretired(state catalogue.State, access catalogue.Access, today catalogue.Date) bool {
	state.Retired, state.AvailableUntil = false, nil
	return state.VisibleTo(access, today)
}
