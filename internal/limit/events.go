package limit

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
)

const (
	// burst is the window of rates per second: with r per second, r*20 pass at once, and r per second from then on.
	burst        = 20 * time.Second
	burstSeconds = int64(burst / time.Second)
	// embedSpread is how many times the limit of one address applies to all visitors of one embed together.
	embedSpread = 10
	// eventLimit is the prefix of the names of limits on events.
	eventLimit = "events"
)

// eventRates limit events by origin.
type eventRates struct{ client, address, embed, user *rate }

func (l *Limits) newEventRates() eventRates {
	of := func(name string, window time.Duration) *rate { return newRate(name, window, l.maxSubjects, l.sharing) }
	return eventRates{
		client: of(eventLimit, minute), address: of(eventLimit+"-address", burst),
		embed: of(eventLimit+"-embed", burst), user: of(eventLimit+"-user", burst),
	}
}

func (e *eventRates) all() []*rate { return []*rate{e.client, e.address, e.embed, e.user} }

// charge is a limit that a request or event counts for.
type charge struct {
	of   *rate
	by   subject
	most int64
}

// eventCharges lists the limits that the events of a caller count for.
func (l *Limits) eventCharges(caller *account.Caller, address netip.Addr) (charges []charge) {
	add := func(of *rate, by subject, most int64) {
		if most > 0 {
			charges = append(charges, charge{of, by, most})
		}
	}
	device := l.rates.DeviceEvents * burstSeconds
	switch {
	case caller.Stranger():
		if caller.Embed != nil {
			add(l.events.embed, subject{text: caller.Embed.Address}, device*embedSpread)
		}
		add(l.events.address, subject{address: address}, device)
		return charges
	case caller.Public && caller.User != "":
		add(l.events.user, subject{text: caller.User}, device)
	case caller.Public:
		add(l.events.address, subject{address: address}, device)
	}
	add(l.events.client, subject{text: caller.ClientID}, l.rates.Events)
	return charges
}

// charge counts n for each of the limits, or for none if one refuses. paid is how many the same request has already
// been charged for. A request with more than a limit allows at all is charged the whole limit. If requests race, a
// refused one may have counted for the limits before.
func (l *Limits) charge(charges []charge, n, paid int64) *rejection {
	at := instantOf(l.clock())
	for _, c := range charges {
		if wait := c.of.pending(c.by, at, c.most, min(n, c.most-paid)); wait > 0 {
			return c.of.reject(wait, c.most)
		}
	}
	for _, c := range charges {
		if rejected := c.of.reject(c.of.take(c.by, at, c.most, min(n, c.most-paid)), c.most); rejected != nil {
			return rejected
		}
	}
	return nil
}

// prepaid is how many events of a request have been charged but not yet reported.
type prepaid struct{ atomic.Int64 }

type prepaidKey struct{}

// chargeFirst charges the first event of a request that reports events, before its body is read.
func (l *Limits) chargeFirst(caller *account.Caller, r *http.Request) (*http.Request, *rejection) {
	charges := l.eventCharges(caller, l.AddressOf(r))
	if len(charges) == 0 {
		return r, nil
	}
	if rejected := l.charge(charges, 1, 0); rejected != nil {
		return r, rejected
	}
	paid := &prepaid{}
	paid.Store(1)
	return r.WithContext(context.WithValue(r.Context(), prepaidKey{}, paid)), nil
}

// Events counts n events of the context's caller for the limits that apply: of the client, its user, the address
// (event.Circumstances) or the embed. The error is a *fault.Error with code TooMany whose chain sets Retry-After
// (httperror.WriteError). More events than a limit allows at all are charged the whole limit.
func (l *Limits) Events(ctx context.Context, n int) error {
	caller := account.CallerOf(ctx)
	if caller == nil {
		return nil
	}
	owed, already := int64(n), int64(0)
	if paid, ok := ctx.Value(prepaidKey{}).(*prepaid); ok {
		already = paid.Swap(0)
	}
	if owed -= already; owed <= 0 {
		return nil
	}
	address, _ := netip.ParseAddr(event.CircumstancesOf(ctx).Address) // the zero address if unknown
	return errorOf(l.charge(l.eventCharges(caller, address), owed, already))
}

// takesEvents reports whether a request reports events: at event intake, or at a resource's own event path.
func takesEvents(r *http.Request) bool {
	return r.Method == http.MethodPost &&
		(strings.HasPrefix(r.URL.Path, "/v1/events/") || strings.HasPrefix(r.URL.Path, "/v1/") &&
			(strings.HasSuffix(r.URL.Path, "/events") || strings.HasSuffix(r.URL.Path, "/track-share-link")))
}
