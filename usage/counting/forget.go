package counting

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// Forget makes the events of a person (event.Event.Person) of an account ("": of none), up to now, those of another
// of whom nothing is known, in the log and in what is counted of it. It returns how many events there were; nobody ("")
// has none. A call that was cut short is repeated, and goes on with the same other person.
func (c *Counter) Forget(ctx context.Context, account, person string) (int64, error) {
	if person == "" {
		return 0, nil
	}
	var random [16]byte
	rand.Read(random[:])
	alias := "forgotten-" + hex.EncodeToString(random[:])
	if err := c.CatchUp(ctx); err != nil {
		return 0, err
	}
	// The log is changed up to where it was counted at that moment: what comes later stays the person's in both.
	kind := person[:1]
	used, counted, err := c.Usage.Rename(ctx, account, person, kind+alias)
	if err != nil {
		return 0, err
	}
	erased, err := c.Log.Erase(ctx, account, person, strings.TrimPrefix(used, kind), counted)
	if err != nil {
		return 0, err
	}
	return erased, c.Usage.EndRename(ctx, account, person)
}
