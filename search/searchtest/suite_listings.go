package searchtest

import (
	"strconv"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// listings checks the states and orders of Query.Listing, with and without a text and a filter, also after a second batch.
func (s suite) listings(t *testing.T) {
	until := func(days int) change {
		return func(d *search.Document) { d.AvailableUntil = new(today + catalogue.Date(days)) }
	}
	private, retired := func(d *search.Document) { d.Private = true }, func(d *search.Document) { d.Retired = true }
	incomplete := func(d *search.Document) { d.Incomplete = true }
	both := func(one, other change) change { return func(d *search.Document) { one(d); other(d) } }
	documents := videos(
		func(*search.Document) {}, private, retired, until(-1), until(0), both(private, until(-1)),
		both(retired, until(-1)), incomplete, both(private, incomplete), both(retired, incomplete), both(until(-1), incomplete),
	)
	titles := []string{"delta", "Echo video", "alpha", "bravo", "Álpha beta", "kilo", "lima", "mike", "november", "oscar", "papa"}
	for i := range documents {
		d := &documents[i]
		d.Title, d.Keywords, d.UpdatedAt = titles[i], []string{"seen"}, instant(time.Duration(i*7%11)*time.Hour)
		d.Subjects = subjectPool[i%2 : i%2+1]
	}
	sh := s.fill(t, documents[:6]...)
	sh.apply(search.Batch{Put: documents[6:], Position: 2})
	states := map[search.ListedState][]int{
		search.ListedAll: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, search.ListedLive: {1, 5, 8}, search.ListedRetired: {3, 7, 10},
		search.ListedPrivate: {2, 9}, search.ListedExpired: {4, 6, 11}, search.ListedIncomplete: {8, 9, 11},
	}
	for state, want := range states {
		for _, text := range []string{"", "seen", "unseen"} {
			query := words(text)
			query.Listing = &search.Listing{State: state}
			if text == "unseen" {
				sh.wantFound(query)
				continue
			}
			sh.wantFound(query, want...)
			query.Facets = &search.FacetRequest{}
			hits := 0
			for _, bucket := range sh.search(query).Facets.Subjects {
				hits += bucket.Hits
			}
			same(t, "hits in the subjects of state "+strconv.Itoa(int(state)), hits, len(want))
		}
	}
	listed := func(order search.ListedOrder, offset, size int) search.Query {
		return search.Query{Listing: &search.Listing{Order: order}, Offset: offset, Size: size}
	}
	sh.wantList(listed(search.ListedByTitle, 0, 0), 3, 5, 4, 1, 2, 6, 7, 8, 9, 10, 11)
	sh.wantList(listed(search.ListedByTitle, 2, 3), 4, 1, 2)
	sh.wantList(listed(search.ListedByUpdate, 0, 0), 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 1)
}
