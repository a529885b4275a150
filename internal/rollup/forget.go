package rollup

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Forget makes the events of a person (event.Event.Person) of an account ("": of none), up to now, those of another
// of whom nothing is known, in the log and in what is counted of it. It returns how many events there were; nobody ("")
// has none. A call that was cut short is repeated.
func (c *Counter) Forget(ctx context.Context, account, person string) (int64, error) {
	if person == "" {
		return 0, nil
	}
	var random [16]byte
	rand.Read(random[:])
	alias := "forgotten-" + hex.EncodeToString(random[:])
	erased, err := c.Log.Erase(ctx, account, person, alias)
	if err != nil {
		return 0, err
	}
	// What was read before it was erased must not be counted after it was renamed.
	if err := c.CatchUp(ctx); err != nil {
		return 0, err
	}
	return erased, c.Usage.Rename(ctx, account, person, person[:1]+alias)
}

// Recount forgets all that is rolled up, so that Run counts the log from its beginning; seals and statements
// stay. The error is of code Conflict where months of the log were dropped: what they came to cannot be
// counted again.
func (c *Counter) Recount(ctx context.Context) error {
	dropped, err := c.Log.Dropped(ctx)
	switch {
	case err != nil:
		return err
	case dropped > 0:
		return catalogue.Errorf(catalogue.Conflict, "the log begins behind event %d: what was dropped cannot be counted again", dropped)
	}
	return c.Usage.Reset(ctx)
}
