package embedded

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// collectionPiece is an immutable set of collections. Each collection has a place, its index in entries.
type collectionPiece struct {
	entries []collectionEntry // newest UpdatedAt first, then lowest ID
	places  map[catalogue.ID]int32
	// words contains the occurrences of each stem, in ascending order.
	words map[string][]occurrence
	// The places, in ascending order, of the collections that everyone finds, that an account finds, and that a user
	// owns.
	service   []int32
	byAccount map[string][]int32
	byOwner   map[string][]int32
}

// collectionEntry is the stored form of a collection.
type collectionEntry struct {
	document search.CollectionDocument // without title and description
	rank     search.CollectionRank
	folded   string // the folded title
}

// occurrence is where a word occurs: the place of the collection, the text (title or description) and the position in the
// text. The next word of the same text has the next occurrence.
type occurrence uint64

const (
	occurrenceText  = 31 // the bit that is set in descriptions
	occurrencePlace = 32
)

func occurrenceOf(place int, description bool, position int) occurrence {
	o := occurrence(place)<<occurrencePlace | occurrence(position)
	if description {
		o |= 1 << occurrenceText
	}
	return o
}

func (o occurrence) place() int    { return int(o >> occurrencePlace) }
func (o occurrence) inTitle() bool { return o>>occurrenceText&1 == 0 }
func (o occurrence) position() int { return int(o & (1<<occurrenceText - 1)) }
func (o occurrence) at(place int) occurrence {
	return occurrence(place)<<occurrencePlace | o&(1<<occurrencePlace-1)
}

// newCollectionPiece creates a piece from documents. Their IDs must be distinct.
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
		words: map[string][]occurrence{}, byAccount: map[string][]int32{}, byOwner: map[string][]int32{},
	}
}

// add appends an entry at the next place.
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
				p.words[stem] = append(p.words[stem], occurrenceOf(place, description, position))
			}
		}
	}
}

// mergeCollections creates one piece from the live collections of two parts. No live collection may be in both.
func mergeCollections(a, b collectionPart) *collectionPiece {
	merged := emptyCollectionPiece(a.count + b.count)
	var moved [2][]int32 // by old place: the new place; -1: the collection is not live
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
	for i, part := range parts {
		for stem, occurrences := range part.words {
			if occurrences = movedOccurrences(occurrences, moved[i]); len(occurrences) > 0 {
				merged.words[stem] = mergeOccurrences(merged.words[stem], occurrences)
			}
		}
	}
	return merged
}

// movedOccurrences returns the occurrences of the remaining collections at their new places. Their order stays the same.
func movedOccurrences(occurrences []occurrence, moved []int32) []occurrence {
	kept := make([]occurrence, 0, len(occurrences))
	for _, s := range occurrences {
		if place := moved[s.place()]; place >= 0 {
			kept = append(kept, s.at(int(place)))
		}
	}
	return kept
}

func mergeOccurrences(a, b []occurrence) []occurrence {
	if len(a) == 0 {
		return b
	}
	merged := make([]occurrence, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}
