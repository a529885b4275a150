package counting

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// Forget replaces the person (event.Event.Person) of all events so far of an account ("": of none) by another, about whom nothing is
// known, in the log and in the counts. It returns the number of events; the person "" has none. A call that was interrupted is
// repeated, and continues with the same replacement.
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
	// The log is changed up to the position counted at that moment: later events remain the person's in both.
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
