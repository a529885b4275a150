package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// chain stores n videos named prefix followed by a, b, and so on. Each is retired into the next, except for the last,
// to which the function last is applied.
func (w *world) chain(prefix string, n int, last func(*catalogue.Video)) (names []string) {
	for i := n - 1; i >= 0; i-- {
		names = append([]string{prefix + string(rune('a'+i))}, names...)
		v := videoOf(names[0], "One of a chain", "lab")
		if i < n-1 {
			v.Retired, v.RetiredInto = true, new(idOf(names[1]))
		} else {
			last(v)
		}
		w.put(v)
	}
	return names
}

// TestReplacementsAreNotDeleted proves that a replacement cannot be deleted while a retired video refers to it.
func TestReplacementsAreNotDeleted(t *testing.T) {
	w := newWorld(t, options{})
	remove := func(reference string) []string {
		t.Helper()
		return w.graph(t, operator, `mutation { hal: deleteVideo(id: "`+string(idOf(reference))+`") }`, nil)
	}
	if codes := remove("floating"); !slices.Equal(codes, []string{"CONFLICT"}) {
		t.Errorf("a twin is deleted: %q", codes)
	}
	if got := w.get(t, customer, pathOf("duplicate")); got.StatusCode != http.StatusPermanentRedirect {
		t.Errorf("the duplicate leads nowhere: %d", got.StatusCode)
	}
	for _, reference := range []string{"duplicate", "floating"} {
		if codes := remove(reference); codes != nil {
			t.Errorf("%s is not deleted: %s", reference, codes)
		}
	}
}

// TestReplacementsAreShown proves that no video can be retired into one that no caller sees.
func TestReplacementsAreShown(t *testing.T) {
	w := newWorld(t, options{})
	retire := func(into string) []string {
		t.Helper()
		return w.graph(t, operator, `mutation { hal: retireVideo(id: "`+string(idOf("boats"))+`", into: "`+string(idOf(into))+`") { id } }`, nil)
	}
	for _, into := range []string{"expired", "retired", "duplicate", "boats", "nothing"} {
		if codes := retire(into); !slices.Equal(codes, []string{"INVALID"}) {
			t.Errorf("into %s it is retired: %q", into, codes)
		}
		if got := w.get(t, customer, pathOf("boats")); got.StatusCode != http.StatusOK {
			t.Errorf("after %s it answers %d", into, got.StatusCode)
		}
	}
	if codes := retire("floating"); codes != nil {
		t.Errorf("it is not retired: %q", codes)
	}
}

// TestReplacementsOfReplacements proves that a request for any retired video of a chain is redirected to the last one, if the caller
// sees it.
func TestReplacementsOfReplacements(t *testing.T) {
	w := newWorld(t, options{})
	leads := func(as, from, to string) {
		t.Helper()
		got := w.get(t, as, pathOf(from))
		if got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != base+pathOf(to) {
			t.Errorf("%s as %s: got %d to %s, want %s", from, as, got.StatusCode, got.Header.Get("Location"), pathOf(to))
		}
	}
	open := w.chain("open", catalogue.MaxReplacements+1, func(*catalogue.Video) {})
	for _, from := range open[:len(open)-1] {
		leads(customer, from, open[len(open)-1])
	}
	hidden := w.chain("hidden", 3, func(v *catalogue.Video) { v.ChannelID = idOf("private") })
	leads(operator, hidden[0], hidden[2])
	wantRejection(t, w.get(t, customer, pathOf(hidden[0])), http.StatusNotFound, string(idOf(hidden[0])))

	for name, chain := range map[string][]string{
		"longer than is followed":       w.chain("long", catalogue.MaxReplacements+2, func(*catalogue.Video) {}),
		"that ends with a retired one":  w.chain("ended", 3, func(v *catalogue.Video) { v.Retired = true }),
		"that ends with an expired one": w.chain("expired", 3, func(v *catalogue.Video) { v.AvailableUntil = new(day("2026-03-03")) }),
		"in a circle":                   w.chain("round", 3, func(v *catalogue.Video) { v.Retired, v.RetiredInto = true, new(idOf("rounda")) }),
		"into nothing":                  w.chain("void", 2, func(v *catalogue.Video) { v.Retired, v.RetiredInto = true, new(idOf("nothing")) }),
	} {
		got := w.get(t, customer, pathOf(chain[0]))
		if got.StatusCode != http.StatusNotFound || !strings.Contains(string(got.body), string(idOf(chain[0]))) {
			t.Errorf("a chain %s: got %d %s", name, got.StatusCode, got.body)
		}
	}
}
