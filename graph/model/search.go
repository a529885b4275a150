package model

import "github.com/filmstrip/filmstrip/catalogue"

// References are the videos of a page.
type References struct{ List []catalogue.Ref }

// AppendJSON appends a JSON list of the references in text form.
func (r *References) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i, ref := range r.List {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = ref.AppendText(append(b, '"'))
		b = append(b, '"')
	}
	return append(b, ']')
}

// VideoSearch is one page of a search.
type VideoSearch struct {
	References *References
	// Total is the number of matches, across pages.
	Total int
	// Size is the number of videos on a full page, at least 1.
	Size int
	// Facets is never nil. Facets that were not requested are empty.
	Facets *Facets
}

// TotalPages returns the number of pages of Size videos that Total videos need.
func (s *VideoSearch) TotalPages() int { return (s.Total + s.Size - 1) / s.Size }

// FacetMap returns Facets, which is written as one object.
func (s *VideoSearch) FacetMap() *Facets { return s.Facets }

// VideoConnection is one page of the feed.
type VideoConnection struct {
	References *References
	PageInfo   PageInfo
	// Cursor returns the cursor after the video of the page with the given sequence.
	Cursor func(sequence int64) string
}

// PageInfo reports whether a next page exists and where it starts.
type PageInfo struct {
	HasNextPage bool
	// EndCursor is nil on the last page.
	EndCursor *string
}
