package deprecation

import (
	"context"
	"sync"

	"github.com/filmstrip/filmstrip/account"
)

// Call gathers what one call uses. The zero Call gathers for nobody; it may be noted in concurrently, and is
// not copied.
type Call struct {
	// Register counts what the call uses; nil: nobody does.
	Register *Register

	mutex sync.Mutex
	used  uint64 // a bit for each number of an item
	by    caller
}

// caller is whose call it is, as far as it is known.
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

// CallKey is the key under which a context carries its *Call: for contexts that hold it themselves.
type CallKey struct{}

// Again returns a context for one of several calls that come over one connection, each of which counts.
func Again(ctx context.Context) context.Context {
	call, _ := ctx.Value(CallKey{}).(*Call)
	if call == nil {
		return ctx
	}
	return context.WithValue(ctx, CallKey{}, &Call{Register: call.Register})
}

// Note says that the call of a context, whose caller it carries as well, uses an item. However often that is
// said, the item is counted once. Nothing is waited for.
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

// uses returns the items that the call has used so far, in the order of the keys, and whose it is.
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
