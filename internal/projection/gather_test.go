package projection_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// ordersOf calls write while no follower runs, and then runs a follower until it has caught up. It returns the batches
// that the follower sent to the index.
func (w *world) ordersOf(write func()) (orders []search.Batch) {
	w.Helper()
	f, stop := w.run()
	w.eventually("ready", f.Ready)
	stop()
	write()
	w.options.RebuildShare = 1000
	w.index.before = func(batch search.Batch) error {
		orders = append(orders, batch)
		return nil
	}
	_, stop = w.run()
	w.await()
	stop()
	w.index.before = nil
	return orders
}

// TestAnIndexThatIsBehindTakesMuchAtOnce checks that a follower gathers 300 changes of 180 videos into few batches.
// Some of the videos are deleted, and some of those return.
func TestAnIndexThatIsBehindTakesMuchAtOnce(t *testing.T) {
	w := open(t)
	w.options.Batch, w.options.Gather = 40, 200
	w.put(videos(0, 200, "title ")...)
	orders := w.ordersOf(func() {
		w.put(videos(0, 150, "another title ")...)
		w.remove(20, 60)
		w.put(videos(30, 60, "back again ")...)
		w.put(videos(120, 200, "a last title ")...)
	})
	var put, gone []int
	for _, order := range orders {
		put, gone = append(put, len(order.Put)), append(gone, len(order.Delete))
	}
	// The first 200 changes concern 150 videos. Ten of these are deleted in the end.
	if fmt.Sprint(put, gone) != "[140 100] [10 0]" {
		t.Errorf("orders with %v videos, and without %v", put, gone)
	}
}

// TestAnOrderIsNoLargerThanMemoryAllows checks that the size of the text bounds a batch. Each transcript has a
// megabyte.
func TestAnOrderIsNoLargerThanMemoryAllows(t *testing.T) {
	w := open(t)
	w.options.Batch, w.options.Gather = 2, 1000
	transcript := strings.Repeat("far away ", 1<<20/9)
	long := func(title string) []catalogue.Item {
		items := videos(0, 20, title)
		for _, item := range items {
			item.(*catalogue.Video).Transcript = &transcript
		}
		return items
	}
	w.put(long("title ")...)
	orders := w.ordersOf(func() { w.put(long("another title ")...) })
	for _, order := range orders {
		if len(order.Put) > 18 {
			t.Errorf("%d megabytes of text at once", len(order.Put))
		}
	}
	if len(orders) > 2 {
		t.Errorf("%d orders for 20 megabytes", len(orders))
	}
}

// TestASharedIndexTakesABatchAtATime checks that a follower of a shared index does not gather batches, because its
// orders must end within half a lease.
func TestASharedIndexTakesABatchAtATime(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.options.Batch, w.options.Gather = 40, 200
		p := share(w, shared)
		largest := make(chan int, 1000)
		p.set(func(_ context.Context, batch search.Batch) error {
			largest <- len(batch.Put)
			return nil
		}, nil)
		p.start()
		w.eventually("ready", p.Ready)
		p.pause()
		w.put(videos(0, 200, "title ")...)
		p.resume()
		w.await()
		time.Sleep(leaseFor)
		for len(largest) > 0 {
			if n := <-largest; n > 40 {
				t.Errorf("an order of %d videos", n)
			}
		}
	})
}
