package limit

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// Refusal is why a request may not go on now.
type Refusal struct {
	// Limit is the name of the limit that was met: of a rate ("client", "events", "address", "login", or what
	// Address was given), or "month" for the quota.
	Limit string
	// Quota is how many requests the limit allows in Window.
	Quota  int64
	Window time.Duration
	// Wait is how long it takes until another request may pass, at most a day: whoever has used up a
	// month's quota on its third day may get a higher one before the month ends.
	Wait time.Duration
}

const maxWait = 24 * time.Hour

// seconds is Wait in whole seconds, at least one.
func (r *Refusal) seconds() int64 {
	return max(1, int64((min(r.Wait, maxWait)+time.Second-1)/time.Second))
}

// SetHeader sets Retry-After, RateLimit-Policy and RateLimit.
func (r *Refusal) SetHeader(header http.Header) {
	wait := strconv.FormatInt(r.seconds(), 10)
	header.Set("Retry-After", wait)
	header.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", r.Limit, r.Quota, int64(r.Window/time.Second)))
	header.Set("RateLimit", fmt.Sprintf("%q;r=0;t=%s", r.Limit, wait))
}

// Write answers a request with status 429, the headers and the error body.
func (r *Refusal) Write(w http.ResponseWriter, request *http.Request) {
	r.SetHeader(w.Header())
	httperror.Write(w, request, http.StatusTooManyRequests, "", r.message(), nil)
}

func (r *Refusal) message() string {
	if r.Limit == monthLimit {
		return fmt.Sprintf("the account's %d requests of this month are used up", r.Quota)
	}
	return fmt.Sprintf("the limit %s of %d requests a minute is reached; try again in %d s", r.Limit, r.Quota, r.seconds())
}
