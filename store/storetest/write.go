package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var writeTests = map[string]func(h *catalogueFixture){
	"an error takes all back":              testWriteError,
	"a panic takes all back":               testWritePanic,
	"the end of the context takes it back": testWriteCancelled,
	"a call that failed fails the write":   testWriteFailedCall,
	"the transaction ends with the write":  testWriteOver,
	"ended contexts":                       testEndedContexts,
	"nothing is seen before the commit":    testUncommitted,
	"closed":                               testClosed,
}

// wantUntouched checks that the catalogue contains only channel 1 and video 1 and still works.
func (h *catalogueFixture) wantUntouched() {
	h.Helper()
	n, err := h.CountVideos(h.ctx)
	h.must(err)
	if n != 1 || h.head() != 2 || h.video(videoIDs(1)[0]).Title != "Video 1" || len(h.directory().Channels) != 1 {
		h.Errorf("%d videos, the log is at %d", n, h.head())
	}
	h.put(video(50))
	if h.video(videoIDs(50)[0]).Version != h.head() {
		h.Error("the next write went wrong")
	}
}

// writeEveryKind writes something of every kind.
func (h *catalogueFixture) writeEveryKind(ctx context.Context, tx store.Tx) error {
	changed := video(1)
	changed.Title = "Another"
	if _, err := tx.Put(ctx, append(videos(2, 40), changed, channel(2))); err != nil {
		return err
	}
	_, err := tx.Delete(ctx, catalogue.KindVideo, videoIDs(1, 3))
	return err
}

func testWriteError(h *catalogueFixture) {
	h.put(channel(1), video(1))
	h.wantError("Write", h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		h.must(h.writeEveryKind(ctx, tx))
		return errPlanned
	}), errPlanned)
	h.wantUntouched()
}

func testWritePanic(h *catalogueFixture) {
	h.put(channel(1), video(1))
	func() {
		defer func() {
			if recover() != errPlanned {
				h.Error("the panic did not come through")
			}
		}()
		_ = h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
			h.must(h.writeEveryKind(ctx, tx))
			panic(errPlanned)
		})
	}()
	h.wantUntouched()
}

func testWriteCancelled(h *catalogueFixture) {
	h.put(channel(1), video(1))
	ctx, cancel := context.WithCancel(h.ctx)
	h.wantError("Write", h.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		h.must(h.writeEveryKind(ctx, tx))
		cancel()
		return nil
	}), context.Canceled)
	h.wantUntouched()
}

func testWriteFailedCall(h *catalogueFixture) {
	h.put(channel(1), video(1))
	err := h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
		h.must(h.writeEveryKind(ctx, tx))
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := tx.Put(ended, videos(60, 61))
		h.wantError("Put", err, context.Canceled)
		return nil
	})
	h.wantError("Write", err, context.Canceled)
	h.wantUntouched()
}

func testWriteOver(h *catalogueFixture) {
	h.put(channel(1), video(1))
	var kept store.Tx
	h.write(func(ctx context.Context, tx store.Tx) { kept = tx })
	if _, err := kept.Put(h.ctx, videos(2, 3)); err == nil {
		h.Error("Put works after the end of the write")
	}
	if _, err := kept.Items(h.ctx, catalogue.KindVideo, videoIDs(1)); err == nil {
		h.Error("Items works after the end of the write")
	}
	h.wantUntouched()
}

func testEndedContexts(h *catalogueFixture) {
	h.put(channel(1), video(1))
	ended, cancel := context.WithCancel(h.ctx)
	cancel()
	late, cancelLate := context.WithDeadline(h.ctx, time.Now().Add(-time.Second))
	defer cancelLate()
	ids := videoIDs(1)
	for name, call := range map[string]func(ctx context.Context) error{
		"Videos":      func(ctx context.Context) error { _, err := h.Videos(ctx, ids); return err },
		"States":      func(ctx context.Context) error { _, err := h.States(ctx, ids); return err },
		"Transcripts": func(ctx context.Context) error { _, err := h.Transcripts(ctx, ids); return err },
		"Aliases":     func(ctx context.Context) error { _, err := h.Aliases(ctx, []string{"1"}); return err },
		"Directory":   func(ctx context.Context) error { _, err := h.Directory(ctx, 0); return err },
		"Feed":        func(ctx context.Context) error { _, err := h.Feed(ctx, store.FeedQuery{Size: 1}); return err },
		"Scan":        func(ctx context.Context) error { _, err := h.Scan(ctx, 0, 1); return err },
		"CountVideos": func(ctx context.Context) error { _, err := h.CountVideos(ctx); return err },
		"Head":        func(ctx context.Context) error { _, err := h.Head(ctx); return err },
		"Changes":     func(ctx context.Context) error { _, err := h.Changes(ctx, 0, 1); return err },
		"Trim":        func(ctx context.Context) error { return h.Trim(ctx, 0) },
		"FanOut":      func(ctx context.Context) error { _, err := h.FanOut(ctx, 1); return err },
		"Write": func(ctx context.Context) error {
			return h.Write(ctx, func(context.Context, store.Tx) error { h.Error("Write ran"); return nil })
		},
	} {
		h.wantError(name, call(ended), context.Canceled)
		h.wantError(name, call(late), context.DeadlineExceeded)
	}
	h.wantUntouched()
}

func testUncommitted(h *catalogueFixture) {
	h.put(channel(1), video(1))
	written, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- h.Write(h.ctx, func(ctx context.Context, tx store.Tx) error {
			err := h.writeEveryKind(ctx, tx)
			close(written)
			<-release
			return errors.Join(err, errPlanned)
		})
	}()
	<-written
	v, err := h.Videos(h.ctx, videoIDs(1, 2))
	h.must(err)
	page, err := h.Feed(h.ctx, store.FeedQuery{Size: 10})
	h.must(err)
	if len(v) != 1 || v[0].Title != "Video 1" || len(h.changes(2)) > 0 || len(page.Refs) != 1 || len(h.directory().Channels) != 1 {
		h.Errorf("seen from outside: %d videos, %d references", len(v), len(page.Refs))
	}
	close(release)
	h.wantError("Write", <-done, errPlanned)
	h.wantUntouched()
}

func testClosed(h *catalogueFixture) {
	h.put(channel(1), video(1))
	h.must(h.Close())
	if _, err := h.Head(h.ctx); err == nil || errors.Is(err, context.Canceled) {
		h.Errorf("a read of a closed catalogue: %v", err)
	}
	if err := h.Write(h.ctx, func(context.Context, store.Tx) error { return nil }); err == nil {
		h.Error("a closed catalogue can be written")
	}
	h.must(h.Close())
	h.Catalogue = h.open()
	h.wantUntouched()
}
