package limit

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// rate is one limit with the counts of its subjects. It remembers a bounded number of subjects, and of more than that
// those that come often.
type rate struct {
	name    string
	window  time.Duration
	sharing *sharing
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	subjects interface {
		GetIfPresent(of subject) (*tally, bool)
		SetIfAbsent(of subject, counted *tally) (*tally, bool)
	}
	refused atomic.Int64
}

// subject identifies the requests that count together: an address, or any text.
type subject struct {
	address netip.Addr
	text    string
}

func newRate(name string, window time.Duration, maxSubjects int, sharing *sharing) *rate {
	return &rate{
		name: name, window: window, sharing: sharing,
		subjects: otter.Must(&otter.Options[subject, *tally]{MaximumSize: maxSubjects}),
	}
}

// tally returns the counts of a subject.
func (r *rate) tally(of subject) *tally {
	if known, ok := r.subjects.GetIfPresent(of); ok {
		return known
	}
	known, _ := r.subjects.SetIfAbsent(of, &tally{subject: r.encode(of), length: r.window.Milliseconds()})
	return known
}

// encode returns the name of a subject of this limit: the length of the limit's name, the name, the kind of subject,
// and its bytes. Texts are hashed, so that they are short and unreadable in the shared counters.
func (r *rate) encode(of subject) string {
	b := append([]byte{byte(len(r.name))}, r.name...)
	switch {
	case of.address.Is4():
		address := of.address.As4()
		b = append(append(b, '4'), address[:]...)
	case of.address.Is6():
		address := of.address.As16()
		b = append(append(b, '6'), address[:]...)
	default:
		hash := sha256.Sum256([]byte(of.text))
		b = append(append(b, 't'), hash[:]...)
	}
	return string(b)
}

// take counts n requests or events.
func (r *rate) take(of subject, at instant, most, n int64) (wait time.Duration) {
	t := r.tally(of)
	wait, sig := t.take(at, most, n)
	r.sharing.heed(t, sig)
	return wait
}

// takeExactly counts an attempt by the counts of all processes.
func (r *rate) takeExactly(ctx context.Context, of subject, at instant, most int64) (wait time.Duration) {
	return r.sharing.takeExactly(ctx, r.tally(of), at, most)
}

// pending returns what take would return. It does not create a tally.
func (r *rate) pending(of subject, at instant, most, n int64) (wait time.Duration) {
	known, ok := r.subjects.GetIfPresent(of)
	if !ok {
		return 0
	}
	return known.pending(at, most, n)
}

// note counts a request that has already been answered.
func (r *rate) note(of subject, at instant, most int64) {
	t := r.tally(of)
	r.sharing.heed(t, t.note(at, most))
}
