package projection

import (
	"context"
	"time"
)

// tenure is the time in which this process may write: half a lease from the moment before the last
// renewal was asked for.
type tenure struct {
	ctx    context.Context // nil: there has been none
	cancel context.CancelFunc
	until  time.Time
	timer  *time.Timer
}

// extend lets the tenure end half a lease after an instant.
func (l *lease) extend(from time.Time) {
	until := from.Add(l.For / 2)
	left := time.Until(until)
	if left <= 0 {
		return
	}
	if l.holds() && l.tenure.timer.Stop() {
		l.tenure.until = until
		l.tenure.timer.Reset(left)
		return
	}
	l.endTenure()
	ctx, cancel := context.WithCancel(context.Background())
	l.tenure = tenure{ctx: ctx, cancel: cancel, until: until, timer: time.AfterFunc(left, cancel)}
	close(l.began)
}

func (l *lease) endTenure() {
	if l.tenure.ctx == nil {
		return
	}
	l.tenure.timer.Stop()
	l.tenure.cancel()
	l.tenure = tenure{}
	l.began = make(chan struct{})
}

// lose is called when another has the lease. What was ordered since the last renewal may have been
// ordered beyond the lease, if this process stood still meanwhile.
func (l *lease) lose() {
	if l.given != nil {
		l.logger.Warn("another process took over the search index")
		l.doubt(*l.given, time.Now().Add(l.For/2))
		l.given = nil
	}
	l.endTenure()
}

// holds reports whether this process may write now.
func (l *lease) holds() bool {
	return l.tenure.ctx != nil && l.tenure.ctx.Err() == nil && time.Now().Before(l.tenure.until)
}

// held returns what ends with the tenure; nil: this process may not write now.
func (l *lease) held() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.holds() {
		return nil
	}
	return l.tenure.ctx
}
