package search

import (
	"runtime"
	"sync"
	"weak"

	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/search"
)

// shownFacets remembers what show made of the counts of a cached answer, as long as the answer is cached: looking up and
// encoding the names of all buckets takes a tenth of a warm search page.
type shownFacets struct {
	// byCounts holds *shown by weak.Pointer[search.Facets].
	byCounts sync.Map
}

// shown is what show made with the directory at a position.
type shown struct {
	position int64
	facets   *model.Facets
}

// of returns what show makes of counts. The counts and the position of the directory must determine it.
func (s *shownFacets) of(counted *search.Facets, position int64, show func() *model.Facets) *model.Facets {
	key := weak.Make(counted)
	if last, ok := s.byCounts.Load(key); ok && last.(*shown).position == position {
		return last.(*shown).facets
	}
	made := &shown{position, show()}
	if _, known := s.byCounts.Swap(key, made); !known {
		runtime.AddCleanup(counted, func(key weak.Pointer[search.Facets]) { s.byCounts.Delete(key) }, key)
	}
	return made.facets
}
