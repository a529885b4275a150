package embedded

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// collectionPiece is a set of collections that never changes, each at its place.
type collectionPiece struct {
	entries []collectionEntry // the newest UpdatedAt first, then the lowest ID
	places  map[catalogue.ID]int32
	// words are the spots of each stem, ascending.
	words map[string][]spot
	// The places, ascending, of what everybody finds, what an account finds, and what a user owns.
	service   []int32
	byAccount map[string][]int32
	byOwner   map[string][]int32
}

// collectionEntry is a collection as the engine holds it.
type collectionEntry struct {
	document search.CollectionDocument // without its texts
	rank     search.CollectionRank
	folded   string // the title
}

// spot is where a word stands: the place of the collection, the text, the position in it. The next word of
// the same text has the next spot.
type spot uint64

const (
	spotText  = 31 // where the bit lies that is set in descriptions
	spotPlace = 32
)

func spotOf(place int, description bool, position int) spot {
	s := spot(place)<<spotPlace | spot(position)
	if description {
		s |= 1 << spotText
	}
	return s
}

func (s spot) place() int        { return int(s >> spotPlace) }
func (s spot) inTitle() bool     { return s>>spotText&1 == 0 }
func (s spot) position() int     { return int(s & (1<<spotText - 1)) }
func (s spot) at(place int) spot { return spot(place)<<spotPlace | s&(1<<spotPlace-1) }

// newCollectionPiece takes documents of which no two have one ID.
func newCollectionPiece(analyzer *analysis.Analyzer, documents []*search.CollectionDocument) *collectionPiece {
	type made struct {
		collectionEntry
		title, text string
	}
	all := make([]made, len(documents))
	for i, d := range documents {
		all[i] = made{collectionEntry{*d, search.RankOf(d), analyzer.Fold(d.Title)}, d.Title, d.Description}
		all[i].document.Title, all[i].document.Description = "", ""
	}
	slices.SortFunc(all, func(a, b made) int { return compareEntries(&a.collectionEntry, &b.collectionEntry) })
	p := emptyCollectionPiece(len(all))
	for place := range all {
		one := &all[place]
		p.add(&one.collectionEntry)
		p.addText(place, false, analyzer.Stems(one.title))
		p.addText(place, true, analyzer.Stems(one.text))
	}
	return p
}

func compareEntries(a, b *collectionEntry) int { return search.CompareRanks(nil, &a.rank, &b.rank) }

func emptyCollectionPiece(size int) *collectionPiece {
	return &collectionPiece{
		entries: make([]collectionEntry, 0, size), places: make(map[catalogue.ID]int32, size),
		words: map[string][]spot{}, byAccount: map[string][]int32{}, byOwner: map[string][]int32{},
	}
}

// add puts an entry at the next place.
func (p *collectionPiece) add(entry *collectionEntry) {
	place, d := int32(len(p.entries)), &entry.document
	p.entries = append(p.entries, *entry)
	p.places[d.ID] = place
	if d.Owner != "" {
		p.byOwner[d.Owner] = append(p.byOwner[d.Owner], place)
	}
	if !d.Discoverable {
		return
	}
	if d.Service {
		p.service = append(p.service, place)
	}
	p.byAccount[d.Account] = append(p.byAccount[d.Account], place)
}

func (p *collectionPiece) addText(place int, description bool, positions [][]string) {
	for position, stems := range positions {
		for i, stem := range stems {
			if !slices.Contains(stems[:i], stem) {
				p.words[stem] = append(p.words[stem], spotOf(place, description, position))
			}
		}
	}
}

// mergeCollections makes one piece of what is there of two parts, no collection of which is in both.
func mergeCollections(a, b collectionPart) *collectionPiece {
	merged := emptyCollectionPiece(a.count + b.count)
	var moved [2][]int32 // the place that each has now, -1: it is gone
	parts := [2]collectionPart{a, b}
	var next [2]int
	for i, part := range parts {
		moved[i] = slices.Repeat([]int32{-1}, len(part.entries))
		next[i] = part.live.next(0)
	}
	for next[0] >= 0 || next[1] >= 0 {
		from := 0
		if next[0] < 0 || next[1] >= 0 && compareEntries(&b.entries[next[1]], &a.entries[next[0]]) < 0 {
			from = 1
		}
		moved[from][next[from]] = int32(len(merged.entries))
		merged.add(&parts[from].entries[next[from]])
		next[from] = parts[from].live.next(next[from] + 1)
	}
	for stem, spots := range a.words {
		merged.move(stem, mergeSpots(movedSpots(spots, moved[0]), movedSpots(b.words[stem], moved[1])))
	}
	for stem, spots := range b.words {
		if _, known := a.words[stem]; !known {
			merged.move(stem, movedSpots(spots, moved[1]))
		}
	}
	return merged
}

func (p *collectionPiece) move(stem string, spots []spot) {
	if len(spots) > 0 {
		p.words[stem] = spots
	}
}

// movedSpots are those of the places that are still there, which keep their order.
func movedSpots(spots []spot, moved []int32) []spot {
	kept := make([]spot, 0, len(spots))
	for _, s := range spots {
		if place := moved[s.place()]; place >= 0 {
			kept = append(kept, s.at(int(place)))
		}
	}
	return kept
}

func mergeSpots(a, b []spot) []spot {
	if len(b) == 0 {
		return a
	}
	merged := make([]spot, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}
