package searchlog

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// shareEvery is the shortest pause between two reads of the shared texts.
	shareEvery = time.Minute
	// shareRest is how many times as long as a read the pause is at least: with millions of texts a read is expensive,
	// and may take no more than a twentieth of one connection's time.
	shareRest = 20
	// shareTime is how long a read may take.
	shareTime = time.Minute
)

// Shared returns the texts that at least Accounts accounts, sandboxes aside, have searched for in the last thirty days
// without a filter, and whose last such search found something. Texts of the most accounts come first. The list is about
// a minute old and must not be changed.
func (r *Recorder) Shared() []store.SharedSearch { return *r.shared.Load() }

// Share reads the shared texts now and then, until the context ends.
func (r *Recorder) Share(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		r.sharing.Try(ctx, r.ReadShared)
		background.Sleep(ctx, max(shareEvery, shareRest*time.Since(began)), nil)
	}
}

// ReadShared reads the shared texts now. After an error, Shared returns the list of before.
func (r *Recorder) ReadShared(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	shared, err := r.queries.Shared(ctx, catalogue.DateOf(r.now())-sharedDays+1, Accounts, MaxShared)
	if err != nil {
		return err
	}
	r.shared.Store(&shared)
	return nil
}
