package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
)

const manyCollections = 100_000

// benchCollection returns collection n of many: the collections belong to 2,000 users in 200 accounts, and one in
// twenty belongs to the operator.
func benchCollection(n int, version int64) search.CollectionDocument {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	text := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "word%d ", int(random.ExpFloat64()*800))
		}
		return b.String()
	}
	user := random.IntN(2000)
	return search.CollectionDocument{
		Ref:     catalogue.Ref{ID: catalogue.ID(fmt.Sprintf("%024x", n)), Version: version},
		Account: fmt.Sprint("account-", user%200), Owner: fmt.Sprint("user-", user), Service: n%20 == 0,
		Title: text(4), Description: text(30),
		Discoverable: n%3 > 0, Promoted: n%50 == 0, Default: n%40 == 1,
		UpdatedAt: time.UnixMicro(1_700_000_000_000_000 + int64(random.IntN(1_000_000_000))),
	}
}

func benchCollections(b *testing.B) *embedded.CollectionIndex {
	b.Helper()
	index := embedded.OpenCollections(nil)
	err := index.Rebuild(b.Context(), 1, func(yield func(search.CollectionDocument, error) bool) {
		for n := range manyCollections {
			if !yield(benchCollection(n, 1), nil) {
				return
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return index
}

func BenchmarkFindCollections(b *testing.B) {
	index := benchCollections(b)
	caller := search.CollectionAudience{Account: "account-7", User: "user-7"}
	yes := true
	for name, query := range map[string]search.CollectionQuery{
		"own account":          {Audience: caller},
		"own account by title": {Audience: caller, Order: []collection.Order{collection.ByTitle}},
		"promoted":             {Audience: caller, Promoted: &yes},
		"word":                 {Audience: caller, Text: "word12"},
		"phrase":               {Audience: caller, Text: "word3 word12"},
		"partial title":        {Audience: caller, Text: "ord12", PartialTitle: true},
		"all":                  {Audience: search.CollectionAudience{All: true}},
		"all by title":         {Audience: search.CollectionAudience{All: true}, Order: []collection.Order{collection.ByTitle}},
		"all partial title":    {Audience: search.CollectionAudience{All: true}, Text: "ord12", PartialTitle: true},
	} {
		query.Size = 30
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := index.Find(b.Context(), query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkApplyCollection(b *testing.B) {
	index := benchCollections(b)
	version, longest := int64(1), time.Duration(0)
	for b.Loop() {
		version++
		put := benchCollection(int(version*7919)%manyCollections, version)
		began := time.Now()
		if err := index.Apply(b.Context(), search.CollectionBatch{Put: []search.CollectionDocument{put}, Position: version}); err != nil {
			b.Fatal(err)
		}
		longest = max(longest, time.Since(began))
	}
	b.ReportMetric(float64(longest.Milliseconds()), "ms/longest")
}
