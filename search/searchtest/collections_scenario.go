package searchtest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
)

// collectionScenario is a set of random collections and the queries to run on them.
type collectionScenario struct {
	written[search.CollectionDocument]
	// queries run after the rebuild and after each batch.
	queries []search.CollectionQuery
}

var (
	accountPool = []string{"account-1", "account-2", "Account 2"}
	// "" is a caller without a user.
	userPool = []string{"", "user-1", "user-2", "USER-2"}
	// titlePool contains words of titles. Some share a prefix, and some are the stems of others.
	titlePool = []string{"water", "waters", "Watch", "later", "the", "x-ray", "xray", "ray", "Café", "日本語", "US", "states", "united"}
)

func collectionID(n int) catalogue.ID { return catalogue.ID(fmt.Sprintf("c%023x", n)) }

func drawCollectionScenario(t *rapid.T) collectionScenario {
	d := drawer{t: t}
	s := collectionScenario{written: drawWritten(d, d.collection, collectionID)}
	for range rapid.IntRange(1, 8).Draw(t, "queries") {
		s.queries = append(s.queries, d.collectionQuery())
	}
	return s
}

func (d drawer) collection(n int, version int64) search.CollectionDocument {
	doc := search.CollectionDocument{
		Ref:           catalogue.Ref{ID: collectionID(n), Version: version},
		Account:       drawOne(d, "account", accountPool),
		Owner:         drawOne(d, "owner", userPool),
		Service:       d.rarely("service"),
		Title:         d.words("title", 4),
		Description:   d.words("description", 6),
		Subjects:      drawSeveral(d, "subjects", subjectPool, 3),
		Ages:          d.ages(),
		ResourceTypes: drawSeveral(d, "resources", catalogue.AttachmentTypes(), 2),
		Discoverable:  !d.rarely("hidden"),
		Promoted:      d.yes("promoted"),
		PromotedFor:   drawSeveral(d, "promoted for", account.Products(), 2),
		UpdatedAt:     drawOne(d, "updated", instantPool),
		Default:       d.rarely("default"),
	}
	if d.rarely("odd") {
		doc.Title += " " + drawOne(d, "odd title", oddStrings)
	}
	return doc
}

// words draws up to most words from a small pool.
func (d drawer) words(label string, most int) string {
	text := ""
	for i, word := range drawSeveral(d, label, titlePool, most) {
		if i > 0 {
			text += drawOne(d, "between", []string{" ", " ", " ", ", ", "-"})
		}
		text += word
	}
	return text
}

func (d drawer) collectionQuery() search.CollectionQuery {
	q := search.CollectionQuery{
		Text:         drawOne(d, "text", []string{"", d.words("phrase", 3), d.words("phrase", 3)}),
		PartialTitle: d.rarely("partial title"),
		Audience:     search.CollectionAudience{All: d.yes("all"), Account: drawOne(d, "account", accountPool), User: drawOne(d, "user", userPool)},
		Order:        rapid.SliceOfNDistinct(rapid.SampledFrom(collection.Orders()), 0, 3, rapid.ID[collection.Order]).Draw(d.t, "order"),
		Offset:       d.upTo("offset", 6),
		Size:         d.upTo("size", 12),
	}
	if q.PartialTitle && q.Text != "" {
		runes := []rune(q.Text)
		from := d.upTo("from", len(runes)-1)
		q.Text = string(runes[from : from+1+d.upTo("length", len(runes)-from-1)])
	}
	if d.rarely("only") {
		q.Audience.Only = d.onlyCollections()
	}
	for range d.upTo("filters", 2) {
		drawOne(d, "filter", collectionFilters)(d, &q)
	}
	return q
}

// onlyCollections draws a sorted list, because the list of an audience is sorted.
func (d drawer) onlyCollections() []catalogue.ID {
	ids := list(d, []catalogue.ID{collectionID(1), collectionID(2), collectionID(4), collectionID(6), collectionID(90)})
	slices.Sort(ids)
	return ids
}

var collectionFilters = []func(d drawer, q *search.CollectionQuery){
	func(d drawer, q *search.CollectionQuery) {
		q.IDs = list(d, []catalogue.ID{collectionID(1), collectionID(2), collectionID(3), collectionID(5), collectionID(90), "odd\x00"})
	},
	func(d drawer, q *search.CollectionQuery) { q.Discoverable = new(d.yes("discoverable")) },
	func(d drawer, q *search.CollectionQuery) { q.Promoted = new(d.yes("promoted")) },
	func(d drawer, q *search.CollectionQuery) { q.PromotedFor = list(d, account.Products()) },
	func(d drawer, q *search.CollectionQuery) { q.Owner = pick(d, userPool) },
	func(d drawer, q *search.CollectionQuery) { q.Subjects = list(d, subjectPool) },
	func(d drawer, q *search.CollectionQuery) { q.Ages = list(d, bracketPool) },
	func(d drawer, q *search.CollectionQuery) { q.AgeMin = pick(d, agePool) },
	func(d drawer, q *search.CollectionQuery) { q.AgeMax = pick(d, agePool) },
	func(d drawer, q *search.CollectionQuery) { q.AgeMin, q.AgeMax = pick(d, agePool), pick(d, agePool) },
	func(d drawer, q *search.CollectionQuery) { q.ResourceTypes = list(d, catalogue.AttachmentTypes()) },
}
