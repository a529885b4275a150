package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// indexing is an event log whose steps of the index of persons take a second each.
type indexing struct {
	store.Events
	steps []error // nil: there is more to do
	calls []time.Duration
	begun time.Time
}

var errIndexed = errors.New("nothing to do")

func (i *indexing) IndexPersons(context.Context) (bool, error) {
	i.calls = append(i.calls, time.Since(i.begun))
	if len(i.steps) == 0 {
		return false, nil
	}
	step := i.steps[0]
	i.steps = i.steps[1:]
	if step == nil {
		time.Sleep(time.Second) // of the bubble
		return true, nil
	}
	if errors.Is(step, errIndexed) {
		return false, nil
	}
	return false, step
}

// TestPersonsAreIndexed checks that a server does the steps of the index one after the other, with a pause as long as
// each step, and looks for more once a minute, also after a failure.
func TestPersonsAreIndexed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &indexing{steps: []error{nil, nil, errIndexed, nil, errors.New("a failure")}, begun: time.Now()}
		s := &App{logger: slog.New(slog.DiscardHandler), stores: &Stores{Events: log}}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Second)
		defer cancel()
		s.indexPersons(ctx)
		want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 64 * time.Second, 66 * time.Second, 126 * time.Second, 186 * time.Second}
		if !slices.Equal(log.calls, want) {
			t.Errorf("the steps begin after %v, want %v", log.calls, want)
		}
	})
}
