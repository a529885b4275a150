package search_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

// shakyCollections is an index that fails with its fault, if set, before it searches.
type shakyCollections struct {
	search.CollectionIndex
	fault error
}

func (s *shakyCollections) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	if s.fault != nil {
		return nil, s.fault
	}
	return s.CollectionIndex.Find(ctx, query)
}

// collectionsOf returns an index of n collections. If n is 0, the index is empty and new.
func collectionsOf(t *testing.T, n int) *shakyCollections {
	t.Helper()
	index := embedded.OpenCollections(nil)
	t.Cleanup(func() { _ = index.Close() })
	if n == 0 {
		return &shakyCollections{CollectionIndex: index}
	}
	batch := search.CollectionBatch{Position: int64(n)}
	for i := range n {
		id := catalogue.ID(strings.Repeat(string(rune('a'+i)), catalogue.IDLength))
		batch.Put = append(batch.Put, search.CollectionDocument{Ref: catalogue.Ref{ID: id, Version: 1}, Title: "Water"})
	}
	if err := index.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return &shakyCollections{CollectionIndex: index}
}

// TestCollectionsFallback checks that the second index answers only if the primary is down, the second has documents,
// and the caller still waits. The position is always that of the primary.
func TestCollectionsFallback(t *testing.T) {
	away, bug := fault.Errorf(fault.Unavailable, "away"), errors.New("a bug")
	over, hangUp := context.WithCancel(context.Background())
	hangUp()
	everything := search.CollectionQuery{Text: "water", Audience: search.CollectionAudience{All: true}, Size: 10}
	for name, test := range map[string]struct {
		ctx            context.Context
		primary, other error
		second, found  int
		err            error
	}{
		"all is well":                {t.Context(), nil, nil, 2, 3, nil},
		"the first is away":          {t.Context(), away, nil, 2, 2, nil},
		"both are away":              {t.Context(), away, errors.New("away too"), 2, 0, away},
		"the other is empty and new": {t.Context(), away, nil, 0, 0, away},
		"a fault of the first":       {t.Context(), bug, nil, 2, 0, bug},
		"nobody waits":               {over, away, nil, 2, 0, away},
	} {
		primary, second := collectionsOf(t, 3), collectionsOf(t, test.second)
		primary.fault, second.fault = test.primary, test.other
		both := search.CollectionsWithFallback(primary, second, nil)
		result, err := both.Find(test.ctx, everything)
		if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: %v, want %v", name, err, test.err)
		}
		if err == nil && result.Total != test.found {
			t.Errorf("%s: %d are found, want %d", name, result.Total, test.found)
		}
		if position, err := both.Position(t.Context()); position != 3 || err != nil {
			t.Errorf("%s: the position is %d, %v", name, position, err)
		}
	}
}

// TestCollectionsFallbackTellsChanges checks that each switch between the indexes is logged with one line.
func TestCollectionsFallbackTellsChanges(t *testing.T) {
	var log bytes.Buffer
	primary := collectionsOf(t, 1)
	both := search.CollectionsWithFallback(primary, collectionsOf(t, 1), slog.New(slog.NewTextHandler(&log, nil)))
	for _, problem := range []error{nil, fault.Errorf(fault.Unavailable, "away"), nil} {
		primary.fault = problem
		for range 2 {
			if _, err := both.Find(t.Context(), search.CollectionQuery{Size: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if logged := log.String(); strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "index=collections") {
		t.Errorf("the log has %q", logged)
	}
}

func TestCollectionsFallbackConforms(t *testing.T) {
	searchtest.RunCollections(t, func(t *testing.T) search.CollectionIndex {
		primary := embedded.OpenCollections(nil)
		return searchtest.JoinCollections(search.CollectionsWithFallback(primary, collectionsOf(t, 0), nil), primary, primary)
	})
}
