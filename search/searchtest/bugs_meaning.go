package searchtest

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func wrongMeaning() []Bug {
	return []Bug{
		onQuery("meaning ignored", func(q *search.Query) { q.Meaning = nil }),
		onQuery("near videos pass every filter", func(q *search.Query) {
			if q.Meaning != nil {
				q.Filter = search.Filter{}
			}
		}),
		onQuery("near videos shown to every caller", func(q *search.Query) {
			if q.Meaning != nil {
				q.Access = catalogue.Access{PrivateChannels: true}
			}
		}),
		onQuery("every similarity is enough", func(q *search.Query) {
			if q.Meaning != nil {
				q.Meaning = &search.Meaning{Vector: q.Meaning.Vector, Least: -1}
			}
		}),
		onDocument("only the first passage has a meaning", func(d *search.Document) { d.Vectors = d.Vectors[:min(1, len(d.Vectors))] }),
		{"facets without near videos", func(b *buggy) {
			b.result = b.facetsOf(func(q *search.Query) {
				if !q.Text.Blank() {
					q.Meaning = nil
				}
			})
		}},
		{"near videos left out of the total", func(b *buggy) {
			b.result = func(q search.Query, r *search.Result) {
				if q.Meaning != nil {
					r.Total -= len(b.nearest(q))
				}
			}
		}},
	}
}
