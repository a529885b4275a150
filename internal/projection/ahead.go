package projection

import (
	"context"
	"iter"

	"github.com/filmstrip/filmstrip/internal/background"
)

// ahead yields the results of next until next returns false or an error, which is yielded last. The next value is made while the
// last one is used, so that reading and indexing run in parallel. The end of the context is yielded as an error.
func ahead[T any](ctx context.Context, next func(context.Context) (T, bool, error)) iter.Seq2[T, error] {
	type step struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		steps := make(chan step)
		go func() {
			defer close(steps)
			for {
				var s step
				var more bool
				s.err = background.Protect(inner, func(ctx context.Context) (err error) {
					s.value, more, err = next(ctx)
					return err
				})
				if s.err == nil && !more {
					return
				}
				select {
				case steps <- s:
				case <-inner.Done():
					return
				}
				if s.err != nil {
					return
				}
			}
		}()
		defer func() {
			cancel()
			for range steps { // until the goroutine has ended
			}
		}()
		for s := range steps {
			if !yield(s.value, s.err) || s.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			var none T
			yield(none, err)
		}
	}
}
