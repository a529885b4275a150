package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var concurrencyTests = map[string]func(h *catalogueFixture){
	"the log never skips":             testFollower,
	"the log waits for an open write": testOpenWrite,
	"counting up together":            testCounting,
	"readers beside writers":          testReaders,
	"a waiting writer can give up":    testWaiting,
}

// together runs fn n times concurrently and waits for all runs.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}

// testFollower checks that a follower of the log has seen every entry at the end, while others write.
func testFollower(h *catalogueFixture) {
	const writers, writes, batch = 4, 15, 7
	h.put(channel(1))
	start := h.head()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		together(writers, func(w int) {
			for i := range writes {
				from := (w*writes+i)*batch + 1
				err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
					if _, err := tx.Put(ctx, videos(from, from+batch-1)); err != nil {
						return err
					}
					if i%5 == 4 {
						return errPlanned
					}
					return nil
				})
				if err != nil && i%5 != 4 {
					h.Error(err)
				}
			}
		})
	}()
	var met []store.Change
	after := start
	for ended := false; ; {
		part, err := h.Changes(h.ctx, after, 10)
		h.must(err)
		met = append(met, part...)
		if len(part) > 0 {
			after = part[len(part)-1].Position
		} else if ended {
			break
		}
		select {
		case <-finished:
			ended = true
		default:
		}
	}
	if all := h.changes(start); !slices.Equal(met, all) || len(all) != writers*(writes-writes/5)*batch {
		h.Errorf("met %d entries of %d", len(met), len(all))
	}
}

// testOpenWrite keeps one write open. Another write may or may not succeed meanwhile. A follower that reads meanwhile
// must not advance past entries that the first write commits later.
func testOpenWrite(h *catalogueFixture) {
	h.put(channel(1))
	start := h.head()
	var all sync.WaitGroup
	written, release := make(chan struct{}), make(chan struct{})
	all.Go(func() {
		err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, videos(1, 3))
			close(written)
			<-release
			return err
		})
		if err != nil {
			h.Error(err)
		}
	})
	<-written
	all.Go(func() {
		err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
			_, err := tx.Put(ctx, videos(4, 6))
			return err
		})
		if err != nil {
			h.Error(err)
		}
	})
	met, after := []store.Change(nil), start
	read := func() {
		part, err := h.Changes(h.ctx, after, 100)
		h.must(err)
		if len(part) > 0 {
			met, after = append(met, part...), part[len(part)-1].Position
		}
	}
	for range 50 {
		read()
	}
	close(release)
	all.Wait()
	read()
	if whole := h.changes(start); !slices.Equal(met, whole) || len(whole) != 6 {
		h.Errorf("met %v of %v", met, whole)
	}
}

// testCounting checks that read-modify-write transactions are serialized, so that no update is lost.
func testCounting(h *catalogueFixture) {
	const writers, writes = 5, 10
	h.put(channel(1), video(1))
	id := videoIDs(1)[0]
	together(writers, func(int) {
		for range writes {
			err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
				items, err := tx.Items(ctx, catalogue.KindVideo, videoIDs(1))
				if err != nil {
					return err
				}
				v := items[id].(*catalogue.Video)
				v.Playback.Duration++
				_, err = tx.Put(ctx, []catalogue.Item{v})
				return err
			})
			if err != nil {
				h.Error(err)
			}
		}
	})
	if v := h.video(id); v.Playback.Duration != writers*writes || h.head() != 2+writers*writes {
		h.Errorf("counted to %d, the log to %d", v.Playback.Duration, h.head())
	}
}

// testReaders checks that readers always see complete transactions. Each write gives two videos and their channel the
// same name.
func testReaders(h *catalogueFixture) {
	h.put(channel(1), video(1), video(2))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 60 {
			a, b, c := video(1), video(2), channel(1)
			a.Title, b.Title, c.Name = fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint(n)
			err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
				_, err := tx.Put(ctx, []catalogue.Item{a, c, b})
				return err
			})
			if err != nil {
				h.Error(err)
			}
			if _, err := h.FanOut(h.ctx, 10); err != nil {
				h.Error(err)
			}
		}
	}()
	together(6, func(int) {
		last := int64(0)
		for {
			select {
			case <-done:
				return
			default:
			}
			list, err := h.Videos(h.ctx, videoIDs(1, 2))
			if err != nil || len(list) != 2 || (list[0].Title != list[1].Title && list[0].Title != "Video 1") {
				h.Errorf("read %d videos that differ (%v)", len(list), err)
				return
			}
			directory, err := h.Directory(h.ctx, list[0].Version)
			if err != nil || directory.Position < max(last, list[0].Version) || directory.Channels[0].Version > directory.Position {
				h.Errorf("the directory went back to %d (%v)", directory.Position, err)
				return
			}
			last = directory.Position
		}
	})
	<-done
}

// testWaiting checks that a write that waits for another ends when its context ends.
func testWaiting(h *catalogueFixture) {
	h.put(channel(1), video(1))
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- h.Write(h.ctx, func(context.Context, store.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	ctx, cancel := context.WithCancel(h.ctx)
	waiting := make(chan error)
	go func() { waiting <- h.Write(ctx, func(context.Context, store.Tx) error { return nil }) }()
	cancel()
	h.wantError("Write", <-waiting, context.Canceled)
	close(release)
	h.must(<-done)
	h.wantUntouched()
}
