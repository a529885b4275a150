package search

import (
	"context"
	"errors"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// levelIndex is an index with a number of matches at each level. A search returns the number of optional words as its
// total.
type levelIndex struct {
	search.Reader
	counts []int
	faults map[string]error // by call: "matches", the "strictest" search, and any "other" search
	panics bool
}

func (x levelIndex) Matches(_ context.Context, _ search.Text, levels []search.MatchLevel, _ catalogue.Access, _ catalogue.Date, _ int) ([]int, error) {
	return x.counts[:len(levels)], x.faults["matches"]
}

func (x levelIndex) Search(_ context.Context, query search.Query) (*search.Result, error) {
	if x.panics {
		panic("planned")
	}
	if query.Level == (search.MatchLevel{}) {
		return &search.Result{Total: -1}, x.faults["strictest"]
	}
	return &search.Result{Total: query.Level.OptionalWords}, x.faults["other"]
}

// TestRemoteIndex proves that concurrent calls return the same results and errors as sequential ones.
func TestRemoteIndex(t *testing.T) {
	planned := errors.New("planned")
	for name, test := range map[string]struct {
		index levelIndex
		want  int
		err   error
	}{
		"enough by the strictest":              {levelIndex{counts: []int{12, -1, -1, -1}}, -1, nil},
		"enough with words missing":            {levelIndex{counts: []int{1, 2, 3, 40}}, 2, nil},
		"never enough":                         {levelIndex{counts: []int{0, 3, 3, 3}}, 0, nil},
		"no level":                             {levelIndex{counts: make([]int, 4), faults: map[string]error{"matches": planned}}, 0, planned},
		"the search that is needed fails":      {levelIndex{counts: []int{12, -1, -1, -1}, faults: map[string]error{"strictest": planned}}, 0, planned},
		"the search that is not needed fails":  {levelIndex{counts: []int{1, 2, 3, 40}, faults: map[string]error{"strictest": planned}}, 2, nil},
		"the search at the chosen level fails": {levelIndex{counts: []int{1, 2, 3, 40}, faults: map[string]error{"other": planned}}, 0, planned},
	} {
		for _, remote := range []bool{false, true} {
			r := New(Config{Index: test.index, Remote: remote, Analyzer: analysis.New(analysis.Synonyms{})})
			result, err := r.Find(t.Context(), search.Query{Text: search.ParseText("water energy light")})
			if !errors.Is(err, test.err) || err == nil && result.Total != test.want {
				t.Errorf("%s, remote %v: %+v %v, want %d %v", name, remote, result, err, test.want, test.err)
			}
		}
	}
}

// TestPanicOfARemoteIndex proves that a panic ends the request, not the process.
func TestPanicOfARemoteIndex(t *testing.T) {
	r := New(Config{Index: levelIndex{counts: []int{12, -1, -1, -1}, panics: true}, Remote: true, Analyzer: analysis.New(analysis.Synonyms{})})
	defer func() {
		if problem := recover(); problem != "planned" {
			t.Errorf("recovered %v", problem)
		}
	}()
	_, _ = r.Find(t.Context(), search.Query{Text: search.ParseText("water energy light")})
}
