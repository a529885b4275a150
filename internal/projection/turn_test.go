package projection_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInTurn: of several processes only the one whose turn it is gives an order.
func TestInTurn(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 20, "title ")...)
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		w.await()
		for _, p := range append(others, holder) {
			w.eventually("ready", p.Ready)
			ran := false
			given, err := p.InTurn(t.Context(), func(ctx context.Context) error {
				ran = true
				return ctx.Err()
			})
			if given != (p == holder) || ran != given || err != nil {
				t.Errorf("the holder %t: given %t, ran %t, error %v", p == holder, given, ran, err)
			}
		}
	})
}

// TestInTurnFails: nobody takes over while an order that failed may arrive.
func TestInTurnFails(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 20, "title ")...)
		holder, _ := w.holderOf(share(w, shared).start())
		w.await()
		w.eventually("ready", holder.Ready)
		time.Sleep(leaseFor)
		given, err := holder.InTurn(t.Context(), func(context.Context) error { return errFault })
		if !given || !errors.Is(err, errFault) {
			t.Fatalf("given %t, error %v", given, err)
		}
		failed := time.Now()
		if err := share(w, shared).Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(failed); waited < leaseFor/2 {
			t.Errorf("another took over after %s", waited)
		}
		if orders, rebuilds := holder.wrote(); rebuilds > 1 || orders > 1 {
			t.Errorf("%d orders, %d rebuilds: the log was sent again", orders, rebuilds)
		}
		given, err = holder.InTurn(t.Context(), func(context.Context) error { panic("fault") })
		if given && err == nil {
			t.Error("a panic is no fault")
		}
	})
}

// TestInTurnAlone: an index of one process is always its own, and is not written while an order is given.
func TestInTurnAlone(t *testing.T) {
	w := open(t)
	w.put(videos(0, 5, "title ")...)
	f, _ := w.run()
	w.await()
	w.eventually("ready", f.Ready)
	given, err := f.InTurn(t.Context(), func(context.Context) error {
		before := w.index.content()
		w.put(videos(0, 5, "new title ")...)
		f.Wake()
		time.Sleep(100 * time.Millisecond)
		if diff := cmp.Diff(before, w.index.content()); diff != "" {
			t.Errorf("written meanwhile:\n%s", diff)
		}
		return nil
	})
	if !given || err != nil {
		t.Errorf("given %t, error %v", given, err)
	}
	w.await()
}
