package limit

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// rejection states why a request is rejected. The error of Events wraps it as well.
type rejection struct {
	// limit is the name of the limit: of a rate ("client", "events", "address", "login", or the name given to Address),
	// or "month" for the quota.
	limit string
	// quota is how many requests or events the limit allows per window.
	quota  int64
	window time.Duration
	// wait is how long it takes until another request may pass. The response states at most a day: an account that has
	// used up a month's quota on the third day may get a higher one before the month ends.
	wait time.Duration
}

const maxWait = 24 * time.Hour

// seconds returns the wait in whole seconds, at least one.
func (r *rejection) seconds() int64 {
	return max(1, int64((min(r.wait, maxWait)+time.Second-1)/time.Second))
}

// SetHeader sets Retry-After, RateLimit-Policy and RateLimit.
func (r *rejection) SetHeader(header http.Header) {
	wait := strconv.FormatInt(r.seconds(), 10)
	header.Set("Retry-After", wait)
	header.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", r.limit, r.quota, int64(r.window/time.Second)))
	header.Set("RateLimit", fmt.Sprintf("%q;r=0;t=%s", r.limit, wait))
}

// write writes status 429, the headers and the error body.
func (r *rejection) write(w http.ResponseWriter, request *http.Request) {
	r.SetHeader(w.Header())
	httperror.Write(w, request, http.StatusTooManyRequests, "", r.message(), nil)
}

func (r *rejection) message() string {
	if r.limit == monthLimit {
		return fmt.Sprintf("the account's %d requests of this month are used up", r.quota)
	}
	what := "requests"
	if strings.HasPrefix(r.limit, eventLimit) {
		what = "events"
	}
	span := "a minute"
	if r.window != minute {
		span = fmt.Sprintf("in %d s", int64(r.window/time.Second))
	}
	return fmt.Sprintf("the limit %s of %d %s %s is reached; try again in %d s", r.limit, r.quota, what, span, r.seconds())
}

// Error implements error.
func (r *rejection) Error() string { return r.message() }

// errorOf returns a rejection as an error of the domain, or nil.
func errorOf(rejected *rejection) error {
	if rejected == nil {
		return nil
	}
	return &fault.Error{Code: fault.TooMany, Label: "Too Many Requests", Message: rejected.message(), Cause: rejected}
}
