package analysis

import (
	"fmt"
	"testing"
)

// docs/performance.md lists the measured figures.

func manyGroups(n int) [][]string {
	groups := make([][]string, n)
	for i := range groups {
		groups[i] = []string{fmt.Sprintf("word%d", i), fmt.Sprintf("other%d", i), fmt.Sprintf("several words %d", i)}
	}
	return groups
}

func BenchmarkThesaurus(b *testing.B) {
	a := New(Synonyms{})
	groups := manyGroups(5000)
	for b.Loop() {
		a.Thesaurus(groups)
	}
}

func BenchmarkSynonymGroups(b *testing.B) {
	t := New(Synonyms{}).Thesaurus(manyGroups(5000))
	for _, query := range []string{"the water cycle", "what is word17"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.SynonymGroups(query)
			}
		})
	}
}

func BenchmarkQueryWithSynonyms(b *testing.B) {
	a := New(Synonyms{})
	met := a.Thesaurus(manyGroups(5000)).SynonymGroups("what is word17")
	for name, synonymGroups := range map[string][][]string{"without": nil, "with a group": met} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.QueryWithSynonyms("what is word17", synonymGroups)
			}
		})
	}
}
