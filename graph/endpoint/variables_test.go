package endpoint_test

import (
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// TestAnyVariables proves that variables of any shape lead to an answer or a client error, never to a server error.
func TestAnyVariables(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	const query = `query($filter: VideoFilter, $size: Int! = 3, $facets: FacetRequest, $ids: [ID!]! = [], $after: String,
			$channels: ChannelFilter, $order: ChannelOrder! = NAME_ASC, $all: Visibility! = ALL, $page: Int! = 0) {
		searchVideos(filter: $filter, size: $size, page: $page, facets: $facets) { total facetMap }
		videosById(ids: $ids) { id }
		videoFeed(first: $size, after: $after) { references }
		channels(filter: $channels, sortBy: $order) { total }
		subjects(visibility: $all) { id }
	}`
	rapid.Check(t, func(t *rapid.T) {
		variables := map[string]any{}
		for _, name := range []string{"filter", "size", "facets", "ids", "after", "channels", "order", "all", "page"} {
			if rapid.Bool().Draw(t, "with "+name) {
				variables[name] = drawValue(t, 3)
			}
		}
		r := resolverstest.NewRequest(resolverstest.RequestBody(query, variables), resolverstest.Customer)
		w := resolverstest.Serve(handler, r)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		for _, problem := range resolverstest.Read(t, w).Errors {
			if code, _ := problem.Extensions["code"].(string); code == "" || code == "INTERNAL" {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
		}
	})
}

// drawValue draws JSON that often resembles valid arguments.
func drawValue(t *rapid.T, depth int) any {
	kinds := 6
	if depth > 0 {
		kinds = 8
	}
	switch rapid.IntRange(1, kinds).Draw(t, "kind") {
	case 1:
		return nil
	case 2:
		return rapid.Bool().Draw(t, "truth")
	case 3:
		return rapid.SampledFrom([]int64{-1, 0, 1, 3, 1 << 31, 1 << 62}).Draw(t, "whole")
	case 4:
		return rapid.Float64Range(-1e300, 1e300).Draw(t, "number")
	case 5:
		return rapid.SampledFrom([]string{"", "NEWS", "ALL", "PT1M", "2024-01-01", "7", "NAME_DESC", "\x00", string(resolverstest.Floating)}).Draw(t, "word")
	case 6:
		return rapid.String().Draw(t, "text")
	case 7:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = drawValue(t, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		name := rapid.SampledFrom([]string{
			"ids", "durations", "min", "max", "ages", "from", "to", "types", "promoted", "ageMin", "releasedFrom",
			"cefrLevels", "name", "ingestTypes", "channels", "source", "__typename", "unknown",
		}).Draw(t, "field")
		object[name] = drawValue(t, depth-1)
	}
	return object
}
