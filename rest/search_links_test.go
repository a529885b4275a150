package rest_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/search"
)

// TestSearchPagesLinkToEachOther proves that the links of a search lead through all its results in order, back, and to
// both ends, and keep all other parameters.
func TestSearchPagesLinkToEachOther(t *testing.T) {
	w := shared()
	const search = "/v1/videos?sort_by=RELEASE_DATE&size=2&source=SERVICE&channel=&%70age=0&query="
	var met, pages []string
	var last string
	for next := search; next != ""; {
		document := w.ok(t, operator, next)
		links := linkNames(document)
		if links["self"] != base+next {
			t.Errorf("%s calls itself %s", next, links["self"])
		}
		met = append(met, idsIn(t, document["_embedded"].(map[string]any)["videos"])...)
		pages = append(pages, next)
		last = strings.TrimPrefix(links["last"], base)
		if first := w.ok(t, operator, strings.TrimPrefix(links["first"], base)); linkNames(first)["prev"] != "" || first["page"].(map[string]any)["number"] != 0.0 {
			t.Errorf("%s: first leads to %s", next, links["first"])
		}
		if query := must(url.Parse(links["last"])).Query(); query.Get("sort_by") != "RELEASE_DATE" || query.Get("size") != "2" || !query.Has("channel") || len(query["page"]) != 1 {
			t.Errorf("%s: last leads to %s", next, links["last"])
		}
		next = strings.TrimPrefix(links["next"], base)
	}
	if all := idsIn(t, w.ok(t, operator, "/v1/videos?sort_by=RELEASE_DATE&size=500&source=SERVICE")["_embedded"].(map[string]any)["videos"]); !slices.Equal(met, all) || len(pages) < 3 {
		t.Errorf("%d pages lead through %v, want %v", len(pages), met, all)
	}
	for at := last; len(pages) > 1; pages = pages[:len(pages)-1] {
		if at != pages[len(pages)-1] {
			t.Errorf("the way back leads to %s, want %s", at, pages[len(pages)-1])
		}
		at = strings.TrimPrefix(linkNames(w.ok(t, operator, at))["prev"], base)
	}
}

// TestSearchLinksStayInTheWindow proves that next and last lead to no page beyond the first 10,000 results, which would
// be refused, and that a page behind the last one leads back to it.
func TestSearchLinksStayInTheWindow(t *testing.T) {
	w := newWorld(t, options{index: func(index search.Index) search.Index { return hugeIndex{index} }})
	for _, test := range []struct {
		size, number            int
		first, prev, next, last string
	}{
		{100, 0, "0", "", "1", "99"},
		{100, 98, "0", "97", "99", "99"},
		{100, 99, "0", "98", "", "99"},
		{300, 31, "0", "30", "32", "32"},
		{300, 32, "0", "31", "", "32"},
	} {
		links := linkNames(w.ok(t, operator, fmt.Sprintf("/v1/videos?size=%d&page=%d", test.size, test.number)))
		for relation, want := range map[string]string{"first": test.first, "prev": test.prev, "next": test.next, "last": test.last} {
			if got := must(url.Parse(links[relation])).Query().Get("page"); got != want {
				t.Errorf("page %d of size %d: %s leads to page %q, want %q", test.number, test.size, relation, got, want)
			}
		}
	}
	few := shared()
	if links := linkNames(few.ok(t, operator, "/v1/videos?size=100&page=7")); !strings.HasSuffix(links["prev"], "&page=0") || links["next"] != "" {
		t.Errorf("a page behind the last one has the links %v", links)
	}
	none := linkNames(few.ok(t, operator, "/v1/videos?query=zzzzzz"))
	if none["first"] != none["last"] || none["next"] != "" || none["prev"] != "" {
		t.Errorf("a search without results has the links %v", none)
	}
}

// TestSearchLinksAreSafe proves that links repeat any query as a valid URL in valid JSON.
func TestSearchLinksAreSafe(t *testing.T) {
	w := shared()
	for _, query := range []string{`query="<script>"`, "query=%22ice%22", "query=häuser", `query=\`, "query=a|b^c`{d}", "page=0&query=%22"} {
		links := linkNames(w.ok(t, operator, "/v1/videos?"+query))
		again := w.ok(t, operator, strings.TrimPrefix(links["last"], base))
		if asked, linked := must(url.ParseQuery(query)), must(url.Parse(links["self"])).Query(); asked.Get("query") != linked.Get("query") {
			t.Errorf("%s calls itself %s", query, links["self"])
		}
		if linkNames(again)["last"] != links["last"] {
			t.Errorf("%s: last leads to %s, which calls its last page %s", query, links["last"], linkNames(again)["last"])
		}
	}
}

// hugeIndex finds 25,000 videos more than it returns.
type hugeIndex struct{ search.Index }

func (h hugeIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	result, err := h.Index.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	huge := *result
	huge.Total += 25_000
	return &huge, nil
}
