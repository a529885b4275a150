package model

import (
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
)

// References are the videos of a page. They are written once, however often the page is shown.
type References struct {
	List []catalogue.Ref

	once    sync.Once
	encoded []byte
}

// JSON is the list of the references' text forms. The bytes are shared.
func (r *References) JSON() []byte {
	r.once.Do(func() {
		const typical = catalogue.IDLength + 12
		b := append(make([]byte, 0, 2+len(r.List)*typical), '[')
		for i, ref := range r.List {
			if i > 0 {
				b = append(b, ',')
			}
			b, _ = ref.AppendText(append(b, '"'))
			b = append(b, '"')
		}
		r.encoded = append(b, ']')
	})
	return r.encoded
}

// VideoSearch is one page of a search.
type VideoSearch struct {
	References *References
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
	References *References
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
