package shown

import "github.com/filmstrip/filmstrip/catalogue"

// VideoSearch is one page of a search.
type VideoSearch struct {
	References []catalogue.Ref
	// Total counts all matches, across pages.
	Total int
	// Size is how many videos a full page holds, at least 1.
	Size int
	// Facets is never nil; facets that were not asked for are empty.
	Facets *Facets
}

// TotalPages is how many pages of Size hold Total videos.
func (s *VideoSearch) TotalPages() int { return (s.Total + s.Size - 1) / s.Size }

// FacetMap is Facets, to be written as one object.
func (s *VideoSearch) FacetMap() *Facets { return s.Facets }

// VideoConnection is one page of the feed.
type VideoConnection struct {
	References []catalogue.Ref
	PageInfo   PageInfo
	// Cursor makes the cursor behind a video of the page, by its sequence.
	Cursor func(sequence int64) string
}

// PageInfo says whether and where the next page starts.
type PageInfo struct {
	HasNextPage bool
	// EndCursor is nil on the last page.
	EndCursor *string
}
