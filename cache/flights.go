package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/filmstrip/filmstrip/catalogue"
)

// flightLimit is how long work goes on for which several callers may wait.
const flightLimit = 30 * time.Second

// flights lets callers that want the same thing at the same time wait for one piece of work.
type flights[T any] struct{ group singleflight.Group }

// join waits for the work under a key, and begins it where nobody has. A caller whose context ends
// stops waiting; the work goes on for the others.
func (f *flights[T]) join(ctx context.Context, key string, work func(context.Context) (T, error)) (T, error) {
	flight := f.group.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flightLimit)
		defer cancel()
		return sheltered(ctx, work)
	})
	var none T
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case landed := <-flight:
		if landed.Err != nil {
			return none, landed.Err
		}
		return landed.Val.(T), nil
	}
}

// sheltered does the work. Its panic becomes an error, for it would end the process: nobody's
// recovery reaches the goroutine of a flight.
func sheltered[T any](ctx context.Context, work func(context.Context) (T, error)) (done T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("cache: panic: %v\n%s", fault, debug.Stack())
		}
	}()
	done, err = work(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = &catalogue.Error{Code: catalogue.Unavailable, Message: "no answer within " + flightLimit.String(), Cause: err}
	}
	return done, err
}
