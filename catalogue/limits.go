package catalogue

import "github.com/filmstrip/filmstrip/fault"

// The limits of the API (spec, "Limits"; contract.md 5.2, 6, 11). They are rules of the catalogue, so
// that every room means the same number.
const (
	// MaxSearchSize is the most videos of one page of a search, DefaultSearchSize the usual number.
	MaxSearchSize     = 500
	DefaultSearchSize = 100
	// SearchWindow is how many results of a search pages can reach (CheckWindow).
	SearchWindow = 10_000
	// MaxFeedSize is the most videos of one page of the feed, and the usual number.
	MaxFeedSize = 1000
	// MaxVideosAtOnce is the most videos that one request may name.
	MaxVideosAtOnce = 1000
	// MaxTwins is how many steps lead from a retired video through others to the one that took its place.
	MaxTwins = 10
	// MaxChannelPage is the most channels of one page, and the usual number.
	MaxChannelPage = 10_000
	// MaxFacetBuckets is the most buckets of its own that a client may ask of one facet.
	MaxFacetBuckets = 20
	// MaxFilterValues is the most values of one list of a filter.
	MaxFilterValues = 1000
	// MaxPhrases is the most quoted phrases of one text, and MaxPhraseWords the most words of all of them together:
	// an index compares the positions of every word of a phrase.
	MaxPhrases     = 5
	MaxPhraseWords = 40
	// MaxPinned and MaxBuried are the most videos that a search rule puts first, or last.
	MaxPinned = 20
	MaxBuried = 100
	// MaxAge is the highest age, in years, that anything may speak of.
	MaxAge = 150
)

// CheckWindow checks a page of a search: its size is between 1 and maxSize, its number starts at 0, and it ends within the
// first SearchWindow results. The error has code fault.Invalid.
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
