package app

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
)

const (
	// personsEvery is the interval between two looks for events that the index of persons lacks.
	personsEvery = time.Minute
	// personsPause is the shortest pause between two steps.
	personsPause = 10 * time.Millisecond
)

// indexPersons keeps the index of persons of the event log up to date until the context ends. After an update, the index
// of an existing log takes many steps. A pause as long as each step leaves the processor and the disk to other work.
func (s *App) indexPersons(ctx context.Context) {
	begun, steps := time.Now(), 0
	pause := time.Duration(0)
	for background.Sleep(ctx, pause, nil) {
		start := time.Now()
		more, err := s.stores.Events.IndexPersons(ctx)
		pause = personsEvery
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.logger.Warn("the index of persons is not up to date", "error", err)
		case more:
			steps++
			pause = max(personsPause, time.Since(start))
		case steps > 100: // an existing log; a segment takes two steps
			s.logger.Info("the index of persons is up to date", "steps", steps, "took", time.Since(begun).Round(time.Second))
			fallthrough
		default:
			steps, begun = 0, time.Now()
		}
	}
}
