package embedded

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
)

// Find implements search.CollectionReader.
func (x *CollectionIndex) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	q := collectionQuestion{CollectionQuery: &query, best: bestCollections{order: query.Order, most: query.Offset + query.Size}}
	if query.PartialTitle {
		q.part = x.analyzer.Fold(query.Text)
	} else {
		q.phrase = x.analyzer.StemPhrase(query.Text)
	}
	for _, part := range x.view.Load().parts {
		if err := ctx.Err(); err != nil {
			return nil, unavailable("the search index was interrupted", err)
		}
		q.askPart(part)
	}
	if err := ctx.Err(); err != nil {
		return nil, unavailable("the search index was interrupted", err)
	}
	return q.best.page(query.Offset), nil
}

// collectionQuestion is the state of one search.
type collectionQuestion struct {
	*search.CollectionQuery
	part   string   // text that the folded title must contain; "": any title matches
	phrase []string // the phrase that the title or description must contain; empty: no phrase
	best   bestCollections
}

func (q *collectionQuestion) askPart(part collectionPart) {
	if len(q.phrase) > 0 {
		for place, inTitle := range part.withPhrase(q.phrase) {
			q.consider(part, place, inTitle)
		}
		return
	}
	for place := range q.candidates(part) {
		q.consider(part, place, true)
	}
}

// consider adds the collection at a place to the results if the collection is live and matches the query.
func (q *collectionQuestion) consider(part collectionPart, place int, inTitle bool) {
	if !part.live.has(place) {
		return
	}
	entry := &part.entries[place]
	if q.Admits(&entry.document) && strings.Contains(entry.folded, q.part) {
		q.best.add(entry, inTitle)
	}
}

// candidates iterates over a superset of the places that the query admits, each place once. It uses the filter that
// leaves the fewest places.
func (q *collectionQuestion) candidates(part collectionPart) iter.Seq[int] {
	set, lists := newBitset(len(part.entries)), [][]int32{part.byOwner[q.Audience.User]} // "" owns no collection
	switch {
	case q.IDs != nil:
		return part.placesOf(q.IDs).all
	case q.Owner != nil && *q.Owner != "":
		lists = [][]int32{part.byOwner[*q.Owner]}
	case q.Audience.All:
		return part.live.all
	case q.Audience.Only != nil:
		set = part.placesOf(q.Audience.Only)
	default:
		lists = append(lists, part.service, part.byAccount[q.Audience.Account])
	}
	for _, places := range lists {
		for _, place := range places {
			set.add(int(place))
		}
	}
	return set.all
}

func (p *collectionPiece) placesOf(ids []catalogue.ID) bitset {
	set := newBitset(len(p.entries))
	for _, id := range ids {
		if place, known := p.places[id]; known {
			set.add(int(place))
		}
	}
	return set
}

// withPhrase iterates, in ascending order, over the places whose title or description contains a phrase, and whether
// the title contains it.
func (p *collectionPiece) withPhrase(phrase []string) iter.Seq2[int, bool] {
	lists := make([][]occurrence, len(phrase))
	rarest := 0
	for i, stem := range phrase {
		lists[i] = p.words[stem]
		if len(lists[i]) < len(lists[rarest]) {
			rarest = i
		}
	}
	return func(yield func(place int, inTitle bool) bool) {
		last := -1
		for _, s := range lists[rarest] {
			if s.place() == last || s.position() < rarest || !standAt(lists, s-occurrence(rarest)) {
				continue
			}
			last = s.place() // the occurrences of a title precede those of the description
			if !yield(last, s.inTitle()) {
				return
			}
		}
	}
}

// standAt reports whether the words of the lists occur one after the other, starting at first.
func standAt(lists [][]occurrence, first occurrence) bool {
	for i, occurrences := range lists {
		if _, found := slices.BinarySearch(occurrences, first+occurrence(i)); !found {
			return false
		}
	}
	return true
}

// bestCollections counts all matches and keeps the first of them.
type bestCollections struct {
	order []collection.Order
	most  int // the number of matches to keep
	total int
	found []foundCollection
	full  bool // the first most elements of found are in order, and matches after the last of them are useless
}

type foundCollection struct {
	ref  catalogue.Ref
	rank search.CollectionRank
}

func (b *bestCollections) add(entry *collectionEntry, inTitle bool) {
	b.total++
	if b.most == 0 {
		return
	}
	next := foundCollection{entry.document.Ref, entry.rank}
	next.rank.InTitle = inTitle
	if b.full && search.CompareRanks(b.order, &b.found[b.most-1].rank, &next.rank) < 0 {
		return
	}
	b.found = append(b.found, next)
	if len(b.found) == 2*b.most {
		b.settle()
		b.full = true
	}
}

// settle sorts the matches and discards all but the first most of them.
func (b *bestCollections) settle() {
	slices.SortFunc(b.found, func(x, y foundCollection) int { return search.CompareRanks(b.order, &x.rank, &y.rank) })
	b.found = b.found[:min(len(b.found), b.most)]
}

func (b *bestCollections) page(offset int) *search.CollectionResult {
	b.settle()
	result := &search.CollectionResult{Total: b.total}
	for _, found := range b.found[min(offset, len(b.found)):] {
		result.Refs = append(result.Refs, found.ref)
	}
	return result
}
