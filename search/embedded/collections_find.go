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

// Find is that of search.CollectionIndex.
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

// collectionQuestion is a query at work.
type collectionQuestion struct {
	*search.CollectionQuery
	part   string   // what must stand in folded titles; "": nothing
	phrase []string // what must stand as a phrase; none: nothing
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

// consider takes what is at a place, if it is still there and what was asked for.
func (q *collectionQuestion) consider(part collectionPart, place int, inTitle bool) {
	if !part.live.has(place) {
		return
	}
	entry := &part.entries[place]
	if q.Admits(&entry.document) && strings.Contains(entry.folded, q.part) {
		q.best.add(entry, inTitle)
	}
}

// candidates are places among which all are that the query admits, each once, by the filter that leaves the
// fewest of them.
func (q *collectionQuestion) candidates(part collectionPart) iter.Seq[int] {
	switch {
	case q.IDs != nil:
		return part.placesOf(q.IDs).all
	case q.Owner != nil && *q.Owner != "":
		return eachPlace(part.byOwner[*q.Owner])
	case q.Audience.All:
		return part.live.all
	}
	set, lists := newBitset(len(part.entries)), [][]int32{part.service, part.byAccount[q.Audience.Account]}
	if q.Audience.Only != nil {
		set, lists = part.placesOf(q.Audience.Only), nil
	}
	if q.Audience.User != "" {
		lists = append(lists, part.byOwner[q.Audience.User])
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

func eachPlace(places []int32) iter.Seq[int] {
	return func(yield func(place int) bool) {
		for _, place := range places {
			if !yield(int(place)) {
				return
			}
		}
	}
}

// withPhrase walks the places whose title or description has a phrase, ascending, and whether the title has
// it.
func (p *collectionPiece) withPhrase(phrase []string) iter.Seq2[int, bool] {
	lists := make([][]spot, len(phrase))
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
			if s.place() == last || s.position() < rarest || !standAt(lists, s-spot(rarest)) {
				continue
			}
			last = s.place() // titles come before descriptions
			if !yield(last, s.inTitle()) {
				return
			}
		}
	}
}

// standAt reports whether the words of which these are the spots stand one behind the other from a spot on.
func standAt(lists [][]spot, first spot) bool {
	for i, spots := range lists {
		if _, found := slices.BinarySearch(spots, first+spot(i)); !found {
			return false
		}
	}
	return true
}

// bestCollections counts what is found, and keeps the first of it.
type bestCollections struct {
	order []collection.Order
	most  int // how many are kept
	total int
	found []foundCollection
	full  bool // the first of found, so many as are kept, are in order, and what comes behind them is of no use
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

// settle brings what is kept into order.
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
