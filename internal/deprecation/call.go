package deprecation

import (
	"context"
	"sync"

	"github.com/filmstrip/filmstrip/account"
)

// Call collects the deprecated items that one call uses. The zero Call counts nothing. It may be used concurrently and
// must not be copied.
type Call struct {
	// Register counts the uses; nil: they are not counted.
	Register *Register

	mutex sync.Mutex
	used  uint64 // one bit for each Item.number
	by    caller
}

// caller identifies the caller, as far as it is known.
type caller struct{ client, account string }

func callerOf(ctx context.Context) caller {
	found := account.CallerOf(ctx)
	if found == nil {
		return caller{}
	}
	by := caller{client: found.ClientID}
	if found.Account != nil {
		by.account = found.Account.ID
	}
	return by
}

// CallKey is the key of the *Call in a context, for types that implement context.Context themselves.
type CallKey struct{}

// Again returns a context for one of several calls over one connection, each of which is counted.
func Again(ctx context.Context) context.Context {
	call, _ := ctx.Value(CallKey{}).(*Call)
	if call == nil {
		return ctx
	}
	return context.WithValue(ctx, CallKey{}, &Call{Register: call.Register})
}

// Note records that the call in ctx, made by the caller in ctx, uses an item. An item counts once per call. Note never
// waits.
func Note(ctx context.Context, item *Item) {
	call, _ := ctx.Value(CallKey{}).(*Call)
	if call == nil {
		return
	}
	by := callerOf(ctx)
	if call.note(item, by) && call.Register != nil {
		call.Register.count(item, by)
	}
}

// note reports whether the item is new to the call.
func (c *Call) note(item *Item, by caller) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	bit := uint64(1) << item.number
	if c.used&bit != 0 {
		return false
	}
	c.used, c.by = c.used|bit, by
	return true
}

// uses returns the items that the call has used so far, in the order of their keys, and its caller.
func (c *Call) uses() (used []*Item, by caller) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.used == 0 {
		return nil, caller{}
	}
	for _, item := range items {
		if c.used&(1<<item.number) != 0 {
			used = append(used, item)
		}
	}
	return used, c.by
}
