package lease

import (
	"context"
	"time"
)

// tenure is the time in which this process may do the work: half a lease from the moment before the last renewal was
// requested.
type tenure struct {
	ctx    context.Context // nil: there has been none
	cancel context.CancelFunc
	until  time.Time
	timer  *time.Timer
}

// extend lets the tenure end half a lease after from.
func (c *Client) extend(from time.Time) {
	until := from.Add(c.options.For / 2)
	left := time.Until(until)
	if left <= 0 {
		return
	}
	if c.holds() && c.tenure.timer.Stop() {
		c.tenure.until = until
		c.tenure.timer.Reset(left)
		return
	}
	c.endTenure()
	ctx, cancel := context.WithCancel(context.Background())
	c.tenure = tenure{ctx: ctx, cancel: cancel, until: until, timer: time.AfterFunc(left, cancel)}
	close(c.began)
	if c.options.Began != nil {
		c.options.Began()
	}
}

func (c *Client) endTenure() {
	if c.tenure.ctx == nil {
		return
	}
	c.tenure.timer.Stop()
	c.tenure.cancel()
	c.tenure = tenure{}
	c.began = make(chan struct{})
}

// lose ends the tenure because another process has the lease. If this process was paused meanwhile, its orders since
// the last renewal may have been sent after the lease had ended, so they are in doubt.
func (c *Client) lose() {
	if c.given != nil {
		c.logger.Warn("another process took over the lease")
		c.doubt(*c.given, time.Now().Add(c.options.For/2))
		c.given = nil
	}
	c.endTenure()
}

// holds reports whether this process may do the work now. The caller holds mu.
func (c *Client) holds() bool {
	return c.tenure.ctx != nil && c.tenure.ctx.Err() == nil && time.Now().Before(c.tenure.until)
}

// Held reports whether this process may do the work now. A nil Client always may.
func (c *Client) Held() bool { return c == nil || c.current() != nil }

// current returns a context that ends with the tenure, nil if there is none.
func (c *Client) current() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holds() {
		return nil
	}
	return c.tenure.ctx
}
