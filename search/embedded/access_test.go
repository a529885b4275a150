package embedded

import (
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func rulesWithout(t *testing.T, channel string) catalogue.Access {
	t.Helper()
	access, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.ExcludedChannels, Values: []string{channel}}})
	if err != nil {
		t.Fatal(err)
	}
	return access
}

// TestRulesAreCompiledOnce checks that callers with equal rules share one compiled set, and that a batch compiles the
// rules only for its documents.
func TestRulesAreCompiledOnce(t *testing.T) {
	index, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const public, hidden = "000000000000000000000001", "000000000000000000000002"
	document := func(n int, channel catalogue.ID) (d search.Document) {
		d.ID, d.Version, d.Channel, d.Title = catalogue.ID(fmt.Sprintf("%024x", n)), int64(n), channel, "Video"
		return d
	}
	apply := func(documents ...search.Document) {
		t.Helper()
		if err := index.Apply(t.Context(), search.Batch{Put: documents, Position: 1}); err != nil {
			t.Fatal(err)
		}
	}
	apply(document(1, public), document(2, hidden), document(3, public))
	of := func(access catalogue.Access, today catalogue.Date) []bitset {
		return index.view.Load().visibleParts(access, today)
	}
	before := of(rulesWithout(t, hidden), 1)
	if again := of(rulesWithout(t, hidden), 1); &again[0][0] != &before[0][0] {
		t.Error("equal rules were compiled twice")
	}
	for name, other := range map[string][]bitset{
		"other rules": of(rulesWithout(t, public), 1), "no rules": of(catalogue.Access{}, 1),
		"another day": of(rulesWithout(t, hidden), 2),
	} {
		if &other[0][0] == &before[0][0] {
			t.Errorf("%s share a set", name)
		}
	}
	apply(document(4, public), document(5, hidden))
	after := of(rulesWithout(t, hidden), 1)
	if len(after) != 2 || &after[0][0] != &before[0][0] || after[0].count()+after[1].count() != 3 {
		t.Errorf("after a batch: %v, before it %v", after, before)
	}
	apply(document(6, public), document(3, hidden))
	if err := index.Apply(t.Context(), search.Batch{Delete: []catalogue.ID{document(1, "").ID}, Position: 2}); err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, set := range of(rulesWithout(t, hidden), 1) {
		left += set.count()
	}
	if left != 2 || before[0].count() != 2 { // Videos 4 and 6 are left, as 3 has moved. The view before keeps its own sets.
		t.Errorf("%d videos are left, %d in the view before", left, before[0].count())
	}
	for n := range 3 * maxVisibilities {
		of(catalogue.Access{}, catalogue.Date(n))
	}
	if n := len(index.view.Load().parts[0].seen.values); n > maxVisibilities {
		t.Errorf("%d sets are remembered", n)
	}
}
