package app

import (
	"context"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
)

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
		"filled before":     {position: 7, change: lost},
		"unreadable before": {position: 7, err: unreadable, change: lost},
		"unreadable after":  {position: 7, change: func(l *losing) { l.err = unreadable }},
	} {
		guarded := &guardedIndex{Reader: index}
		guarded.filled.Store(true)
		if result, err := guarded.Search(t.Context(), search.Query{}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: got %+v, %v", name, result, err)
		}
	}
	whole := &guardedIndex{Reader: &losing{position: 7, change: func(l *losing) { l.position++ }}}
	if _, err := whole.Search(t.Context(), search.Query{}); err != nil {
		t.Errorf("a write during a search fails it: %v", err)
	}
}
