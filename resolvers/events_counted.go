package resolvers

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
)

// lookupTime is how long intake waits for the catalogue. After that it stores events without its answer.
const lookupTime = 2 * time.Second

// fixCounted decides how much of each play counts, and which events name a video that the caller cannot see. Both are
// stored with the event: what the catalogue says later changes no sum. A video that the caller does not see is treated
// like one that does not exist. While the catalogue cannot be read, all videos are treated like that, because events
// must be stored (decision 0033).
func (r *resolver) fixCounted(ctx context.Context, caller *account.Caller, events []event.Event) {
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

// namesAnyVideo reports whether the video of an event is any that the client has named. That of an interaction with a
// video is known to be visible.
func namesAnyVideo(e *event.Event) bool { return e.Video != "" && e.Kind != event.VideoInteraction }

// durations returns the durations of the videos that an access shows, by the ids or legacy aliases that name them; 0
// where the duration is not known. A retired video has that of the video that replaces it, as reads redirect to that;
// but an access that would not show the retired one itself does not show it here either, because usage tells its
// channel and subjects.
func (r *resolver) durations(ctx context.Context, access catalogue.Access, texts []string) (map[string]catalogue.Duration, error) {
	ids, err := r.resolveAliases(ctx, texts)
	if err != nil {
		return nil, err
	}
	states, err := r.statesOnce(ctx, ids)
	if err != nil {
		return nil, err
	}
	today := r.today()
	found := make(map[catalogue.ID]catalogue.Duration, len(states))
	var replaced map[catalogue.ID]catalogue.ID
	for i := range states {
		s := &states[i]
		if s.VisibleTo(access, today) {
			found[s.ID] = s.Duration
		} else if s.Retired && s.RetiredInto != nil && showsUnretired(*s, access, today) {
			if replaced == nil {
				replaced = map[catalogue.ID]catalogue.ID{}
			}
			replaced[s.ID] = *s.RetiredInto
		}
	}
	if err := r.followReplaced(ctx, access, replaced, found); err != nil {
		return nil, err
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

// followReplaced adds the durations of retired videos, of which replaced names the next one on the way. It asks the
// catalogue once for each step of all ways, like twinOf for one.
func (r *resolver) followReplaced(ctx context.Context, access catalogue.Access, replaced map[catalogue.ID]catalogue.ID, found map[catalogue.ID]catalogue.Duration) error {
	for step := 0; step < catalogue.MaxTwins && len(replaced) > 0; step++ {
		states, err := r.statesOnce(ctx, slices.Collect(maps.Values(replaced)))
		if err != nil {
			return err
		}
		for from, to := range replaced {
			place := slices.IndexFunc(states, func(s catalogue.State) bool { return s.ID == to })
			switch {
			case place >= 0 && states[place].Retired && states[place].RetiredInto != nil:
				replaced[from] = *states[place].RetiredInto
				continue
			case place >= 0 && states[place].VisibleTo(access, r.today()):
				found[from] = states[place].Duration
			}
			delete(replaced, from)
		}
	}
	return nil
}

// statesOnce asks for the states of ids, each once; what is no id has none.
func (r *resolver) statesOnce(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id catalogue.ID) bool { return !id.Valid() })
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	return r.catalogue.States(ctx, slices.Compact(ids))
}
