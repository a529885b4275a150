package searchlog

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// shareEvery is the least pause between two looks at what is shared.
	shareEvery = time.Minute
	// shareRest is how many times as long as a look took the pause is at least: among millions of texts it is dear,
	// and takes no more than a twentieth of one connection's time.
	shareRest = 20
	// shareTime is how long a look may take.
	shareTime = time.Minute
)

// Shared are the texts that at least Accounts accounts, sandboxes aside, have searched for in the last thirty days
// without a filter, and that found something in the last such search: those of the most accounts first, as of a
// minute ago or so. The caller must not change them.
func (g *Recorder) Shared() []store.SharedSearch { return *g.shared.Load() }

// Share looks at what is shared, now and then, until the context ends.
func (g *Recorder) Share(ctx context.Context) {
	for failing := false; ; {
		began := time.Now()
		err := g.Look(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			g.logger.Warn("what accounts search for together cannot be read", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(shareEvery, shareRest*time.Since(began))):
		}
	}
}

// Look looks at what is shared now. Where that fails, what was known stays.
func (g *Recorder) Look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	shared, err := g.queries.Shared(ctx, catalogue.DateOf(g.now())-sharedDays+1, Accounts, MaxShared)
	if err != nil {
		return err
	}
	g.shared.Store(&shared)
	return nil
}
