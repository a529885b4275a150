package embedded_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
)

// leaving is the context of a caller who hangs up: Err reports nil a set number of times, and then context.Canceled.
type leaving struct {
	context.Context
	left atomic.Int32
}

func leavingAfter(t *testing.T, questions int32) *leaving {
	t.Helper()
	l := &leaving{Context: t.Context()}
	l.left.Store(questions)
	return l
}

func (l *leaving) Err() error {
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestSearchesEndInTheMiddle checks that a search ends wherever its caller hangs up, and that its remains never falsify
// a later search.
func TestSearchesEndInTheMiddle(t *testing.T) {
	text := search.ParseText(`planrts "solar system" "step by step" "the planets"`)
	calls := map[string]func(ctx context.Context, index search.Index) (int, error){
		"search": func(ctx context.Context, index search.Index) (int, error) {
			found, err := index.Search(ctx, search.Query{Text: text, Level: search.MatchLevel{Typos: true}, Today: 20000, Size: 10, Facets: &search.FacetRequest{}})
			if err != nil {
				return 0, err
			}
			return found.Total, nil
		},
		"matches": func(ctx context.Context, index search.Index) (int, error) {
			counts, err := index.Matches(ctx, text, search.MatchLevels(6), catalogue.Access{}, 20000, 1000)
			if err != nil {
				return 0, err
			}
			return counts[1], nil
		},
	}
	for name, call := range calls {
		index := solarSystem(t) // The index caches no results of the other calls.
		ended := 0
		for questions := int32(0); ; questions++ {
			found, err := call(leavingAfter(t, questions), index)
			if err == nil {
				if found != 300 {
					t.Errorf("%s: %d are found", name, found)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || fault.CodeOf(err) != fault.Unavailable {
				t.Fatalf("%s: %v", name, err)
			}
			ended++
		}
		if ended < 3 {
			t.Errorf("%s asks only %d times whether its caller is still there", name, ended)
		}
	}
}

// solarSystem returns an index of 300 videos with the same texts.
func solarSystem(t *testing.T) search.Index {
	t.Helper()
	index := open(t)
	var documents []search.Document
	for i := range 300 {
		documents = append(documents, search.Document{
			State: catalogue.State{Ref: catalogue.Ref{ID: catalogue.DeriveID("video", "t", string(rune('a'+i%26))+strings.Repeat("x", i/26)), Version: int64(i + 1)}},
			Title: "The solar system and the planets", Description: "Step by step through the solar system",
		})
	}
	if err := index.Apply(t.Context(), search.Batch{Put: documents, Position: 300}); err != nil {
		t.Fatal(err)
	}
	return index
}
