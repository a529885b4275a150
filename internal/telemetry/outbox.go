package telemetry

import (
	"sync"
	"time"
)

// Outbox exports how far searches are behind the log: lag returns the number of changes, as the follower knows it,
// position the index's position. Both are called ten times a second until Close, and must read memory only. Call Outbox
// once.
func (t *Telemetry) Outbox(lag, position func() int64) { t.outbox("", "searches", lag, position) }

// CollectionOutbox is Outbox for searches of collections and their log.
func (t *Telemetry) CollectionOutbox(lag, position func() int64) {
	t.outbox("collection_", "searches of collections", lag, position)
}

func (t *Telemetry) outbox(prefix, searches string, lag, position func() int64) {
	o := &outbox{lag: lag, position: position}
	o.sample(time.Now())
	t.gauge(prefix+"outbox_lag_changes", "Changes of the log that "+searches+" do not show yet.", nil,
		func() float64 { return float64(lag()) })
	t.gauge(prefix+"outbox_lag_seconds", "Age of the oldest change that "+searches+" do not show yet; 0: they show all.", nil,
		func() float64 { return o.waited(time.Now()).Seconds() })
	t.gauge(prefix+"index_position", "The position of the log that "+searches+" show.", nil,
		func() float64 { return float64(position()) })
	t.background.Go(func() {
		ticker := time.NewTicker(outboxLook)
		defer ticker.Stop()
		for {
			select {
			case <-t.closing:
				return
			case now := <-ticker.C:
				o.sample(now)
			}
		}
	})
}

// outboxLook is the time between two looks, and so the precision of waiting times.
const outboxLook = 100 * time.Millisecond

// outbox remembers when it first saw the log at a position that searches do not show yet.
type outbox struct {
	lag, position func() int64

	mu      sync.Mutex
	waiting []observation // oldest first
}

type observation struct {
	position int64
	at       time.Time
}

// maxObservations limits the memory for a log that grows while nothing follows it. Beyond it, observations in between are
// lost, never the oldest.
const maxObservations = 10_000

func (o *outbox) sample(now time.Time) {
	// The lag first: if the index moves between the two calls, the log seems longer than it is until the next look, and
	// never shorter.
	lag := o.lag()
	shown := o.position()
	o.mu.Lock()
	defer o.mu.Unlock()
	if lag <= 0 {
		o.waiting = o.waiting[:0]
		return
	}
	done := 0
	for done < len(o.waiting) && o.waiting[done].position <= shown {
		done++
	}
	o.waiting = append(o.waiting[:0], o.waiting[done:]...)
	if n := len(o.waiting); n == 0 || o.waiting[n-1].position < shown+lag && n < maxObservations {
		o.waiting = append(o.waiting, observation{shown + lag, now})
	}
}

func (o *outbox) waited(now time.Time) time.Duration {
	o.sample(now)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		return 0
	}
	return max(0, now.Sub(o.waiting[0].at))
}
