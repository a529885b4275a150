package catalogue

import "github.com/filmstrip/filmstrip/fault"

// Limits of the API (spec.md, "Limits"; contract.md 5.2, 6, 11).
const (
	// MaxSearchSize and DefaultSearchSize are the maximum and default page size of a search.
	MaxSearchSize     = 500
	DefaultSearchSize = 100
	// SearchWindow is the number of results of a search that pages can reach (CheckWindow).
	SearchWindow = 10_000
	// MaxFeedSize is the maximum and default page size of the feed.
	MaxFeedSize = 1000
	// MaxVideosAtOnce is the maximum number of videos that one request may name.
	MaxVideosAtOnce = 1000
	// MaxReplacements is the maximum number of steps from a retired video to its final replacement.
	MaxReplacements = 10
	// MaxChannelPage is the maximum and default page size of channels.
	MaxChannelPage = 10_000
	// MaxFacetBuckets is the maximum number of custom buckets of a facet.
	MaxFacetBuckets = 20
	// MaxFilterValues is the maximum number of values in one list of a filter.
	MaxFilterValues = 1000
	// MaxPhrases is the maximum number of quoted phrases in a text, and MaxPhraseWords the maximum number of words in
	// all of them, because an index compares the positions of every word of a phrase.
	MaxPhrases     = 5
	MaxPhraseWords = 40
	// MaxPinned and MaxBuried are the maximum numbers of videos that a search rule pins or buries.
	MaxPinned = 20
	MaxBuried = 100
	// MaxAge is the highest valid age in years.
	MaxAge = 150
)

// CheckWindow checks a page of a search: size must be between 1 and maxSize, page must not be negative, and the page
// must end within the first SearchWindow results. The error has code fault.Invalid.
func CheckWindow(page, size, maxSize int) error {
	switch {
	case size < 1 || size > maxSize:
		return fault.InvalidRequest("size %d is not between 1 and %d", size, maxSize)
	case page < 0:
		return fault.InvalidRequest("page %d is below 0", page)
	case page >= SearchWindow || size*(page+1) > SearchWindow:
		return fault.InvalidRequest("page %d of size %d reaches beyond the first %d results; feeds have no such limit", page, size, SearchWindow)
	}
	return nil
}
