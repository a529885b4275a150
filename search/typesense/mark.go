package typesense

import (
	"context"
	"net/http"
	"regexp"
	"time"
)

// Typesense writes down what it is told and does it later, in as many queues as it likes: one for each
// collection, one for aliases. After a start it does everything once more, and answers meanwhile: the
// index of last week may pass by, without its alias, or without half of its documents. So a write that
// has come through each queue, and is seen where searches look, says that what is seen beside it is
// all there is.

// markBase stands in for the alias in the states that are marks.
const markBase = "mark"

// markPause is how often a mark is looked for.
const markPause = 10 * time.Millisecond

// markAlias is the alias that a process marks the queue of aliases with.
func (x *Index) markAlias() string { return x.namespace + "-" + x.mark.Collection }

var markAliasForm = regexp.MustCompile(`-mark-[a-z2-7]{26}$`)

// seeAll looks what is there once everything that was ever written is.
func (x *Index) seeAll(ctx context.Context) (sight, error) {
	x.mark.Serial++
	if err := x.markStates(ctx); err != nil {
		return sight{}, err
	}
	if err := x.markAliases(ctx); err != nil {
		return sight{}, err
	}
	seen, err := x.see(ctx)
	if err != nil || seen.collection == "" {
		return seen, err
	}
	// Of the documents it is enough that they were all done: how many there are is in the state.
	for _, collection := range []string{seen.collection, wordsOf(seen.collection)} {
		err := x.server.deleteDocuments(ctx, collection, []string{x.mark.Collection})
		if err != nil && !isStatus(err, http.StatusNotFound) {
			return sight{}, err
		}
	}
	return x.see(ctx)
}

func (x *Index) markStates(ctx context.Context) error {
	if err := x.server.createCollection(ctx, stateSchema(x.stateCollection())); err != nil {
		return err
	}
	if err := x.writeState(ctx, &x.mark); err != nil {
		return err
	}
	err := await(ctx, func() (bool, error) {
		answers, err := x.server.searchIn(ctx, x.stateCollection(), []searchRequest{
			{Q: "*", FilterBy: "id:=" + x.mark.Collection, PerPage: 1},
		})
		if err != nil {
			return false, err
		}
		marks, err := readStates(answers[0].Hits)
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

// await returns when something is seen.
func await(ctx context.Context, isSeen func() (bool, error)) error {
	for {
		if seen, err := isSeen(); err != nil || seen {
			return err
		}
		select {
		case <-ctx.Done():
			return unavailable("does not show what was written", ctx.Err())
		case <-time.After(markPause):
		}
	}
}
