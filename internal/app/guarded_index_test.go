package app

import (
	"context"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
)

// logAt is a log with a head, which the index has reached once.
type logAt int64

func (logAt) Ready() bool   { return true }
func (l logAt) Head() int64 { return int64(l) }

// losing is an index that changes while a search runs, and then finds nothing.
type losing struct {
	search.Reader
	position int64
	err      error // of Position
	change   func(*losing)
}

func (l *losing) Position(context.Context) (int64, error) { return l.position, l.err }

func (l *losing) Search(context.Context, search.Query) (*search.Result, error) {
	l.change(l)
	return &search.Result{}, nil
}

// TestNoEmptyResultWhileAnIndexIsLost verifies that a search fails if the index loses its documents while the search
// runs, whatever its state was before.
func TestNoEmptyResultWhileAnIndexIsLost(t *testing.T) {
	lost := func(l *losing) { l.position, l.err = 0, nil }
	unreadable := fault.Errorf(fault.Unavailable, "is loading its documents")
	for name, index := range map[string]*losing{
		"readable before":   {position: 7, change: lost},
		"unreadable before": {position: 7, err: unreadable, change: lost},
		"unreadable after":  {position: 7, change: func(l *losing) { l.err = unreadable }},
	} {
		guarded := &guardedIndex{Reader: index, source: logAt(7)}
		if result, err := guarded.Search(t.Context(), search.Query{}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: got %+v, %v", name, result, err)
		}
	}
	for name, whole := range map[string]*guardedIndex{
		"a write during a search": {Reader: &losing{position: 7, change: func(l *losing) { l.position++ }}, source: logAt(7)},
		"an empty catalogue":      {Reader: &losing{change: func(*losing) {}}, source: logAt(0)},
	} {
		if _, err := whole.Search(t.Context(), search.Query{}); err != nil {
			t.Errorf("%s fails it: %v", name, err)
		}
	}
}
