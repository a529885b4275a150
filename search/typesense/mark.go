package typesense

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"time"
)

// Typesense logs each write and applies it later, in several queues: one per collection and one for aliases. After a
// start, Typesense replays its log and answers requests in the meantime. A search could find last week's index, an
// index without its alias, or half of the documents. A process therefore sends one write through each queue, a mark.
// Once searches see the mark, the server has applied every earlier write.

// markBase is the Base of the states that are marks.
const markBase = "mark"

// markPause is the interval at which await checks.
const markPause = 10 * time.Millisecond

// markAlias returns the alias that this process uses as its mark in the queue of aliases.
func (x *Index) markAlias() string { return x.namespace + "-" + x.mark.Collection }

var markAliasForm = regexp.MustCompile(`-mark-[a-z2-7]{26}$`)

// takeFullSnapshot takes a snapshot once the server has applied every earlier write.
func (x *Index) takeFullSnapshot(ctx context.Context) (snapshot, error) {
	x.mark.Serial++
	if err := x.markStates(ctx); err != nil {
		return snapshot{}, err
	}
	if err := x.markAliases(ctx); err != nil {
		return snapshot{}, err
	}
	seen, err := x.takeSnapshot(ctx)
	if err != nil || seen.collection == "" {
		return seen, err
	}
	// A delete that finds nothing suffices as a mark for documents, because the state has their number.
	for _, collection := range []string{seen.collection, wordsOf(seen.collection)} {
		err := x.server.deleteDocuments(ctx, collection, []string{x.mark.Collection})
		if err != nil && !isStatus(err, http.StatusNotFound) {
			return snapshot{}, err
		}
	}
	return x.takeSnapshot(ctx)
}

func (x *Index) markStates(ctx context.Context) error {
	if err := x.server.createCollection(ctx, stateSchema(x.stateCollection())); err != nil {
		return err
	}
	if err := x.writeState(ctx, &x.mark); err != nil {
		return err
	}
	err := await(ctx, func() (bool, error) {
		answer, err := x.server.searchOne(ctx, x.stateCollection(), searchRequest{
			Q: "*", FilterBy: "id:=" + x.mark.Collection, PerPage: 1,
		})
		switch {
		case errors.Is(err, errGone): // a node that has not received the collection yet
			return false, nil
		case err != nil:
			return false, err
		}
		marks, err := documentsOf[state](answer.Hits)
		return len(marks) == 1 && marks[0].Serial == x.mark.Serial, err
	})
	if err != nil {
		return err
	}
	return x.deleteState(ctx, x.mark.Collection)
}

func (x *Index) markAliases(ctx context.Context) error {
	if err := x.server.setAlias(ctx, x.markAlias(), x.mark.Collection); err != nil {
		return err
	}
	err := await(ctx, func() (bool, error) { return x.server.hasAlias(ctx, x.markAlias()) })
	if err != nil {
		return err
	}
	return x.server.deleteAlias(ctx, x.markAlias())
}

// await returns nil once isSeen reports true, or the error of isSeen or of the context.
func await(ctx context.Context, isSeen func() (bool, error)) error {
	for {
		if seen, err := isSeen(); err != nil || seen {
			return err
		}
		select {
		case <-ctx.Done():
			return unavailable("does not show the latest write", ctx.Err())
		case <-time.After(markPause):
		}
	}
}
