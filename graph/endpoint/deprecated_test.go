package endpoint_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// TestDeprecatedFieldsMatchTheTable proves that the schema marks exactly the fields of the deprecation table.
func TestDeprecatedFieldsMatchTheTable(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	var marked, want []string
	byValue := map[string]bool{}
	for _, item := range deprecation.Items() {
		for _, place := range item.Fields {
			if item.ByValue {
				byValue[place] = true
			}
			want = append(want, place)
		}
	}
	isMarked := func(directives ast.DirectiveList) bool { return directives.ForName("deprecated") != nil }
	for name, kind := range schema.Types {
		if strings.HasPrefix(name, "__") {
			continue
		}
		for _, field := range kind.Fields {
			place := name + "." + field.Name
			if isMarked(field.Directives) || byValue[place] {
				marked = append(marked, place)
			}
			if isMarked(field.Directives) && byValue[place] {
				t.Errorf("%s is marked as a whole", place)
			}
			for _, argument := range field.Arguments {
				if isMarked(argument.Directives) {
					marked = append(marked, place+"("+argument.Name+")")
				}
			}
		}
		for _, value := range kind.EnumValues {
			if isMarked(value.Directives) {
				marked = append(marked, placeOf(name, value.Name))
			}
		}
	}
	slices.Sort(marked)
	slices.Sort(want)
	if diff := cmp.Diff(want, marked); diff != "" {
		t.Errorf("(-table +schema):\n%s", diff)
	}
}

func placeOf(kind, name string) string { return kind + "." + name }

// TestDeprecatedFieldsOfQueries proves that every deprecated field or input of a query counts as use, wherever it is.
// Fields excluded by directives, null values and channel IDs do not count.
func TestDeprecatedFieldsOfQueries(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	const ages = `{ searchVideos(filter: { ages: [{ from: 5, to: 7 }] }) { total } }`
	channel := `"` + string(resolverstest.Open) + `"`
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a field":               {resolverstest.RequestBody(`{ video(id: "x") { ageRange { label } } }`, nil), []string{"video.age_range"}},
		"under another name":    {resolverstest.RequestBody(`{ video(id: "x") { title: additionalDescription } }`, nil), []string{"video.additional_description"}},
		"in a fragment":         {resolverstest.RequestBody(`{ video(id: "x") { ...F } } fragment F on Video { ...G } fragment G on Video { channel { contentTypes } }`, nil), []string{"channel.content_types"}},
		"inline":                {resolverstest.RequestBody(`{ video(id: "x") { ... on Video { ageRange { min } } } }`, nil), []string{"video.age_range"}},
		"left out":              {resolverstest.RequestBody(`query($no: Boolean!) { video(id: "x") { title ageRange @include(if: $no) { min } additionalDescription @skip(if: true) } }`, map[string]any{"no": false}), nil},
		"not left out":          {resolverstest.RequestBody(`query($yes: Boolean!) { video(id: "x") { title ageRange @include(if: $yes) { min } } }`, map[string]any{"yes": true}), []string{"video.age_range"}},
		"an input":              {resolverstest.RequestBody(ages, nil), []string{"video-search.age_range"}},
		"a variable":            {resolverstest.RequestBody(`query($f: VideoFilter) { searchVideos(filter: $f) { total } }`, map[string]any{"f": map[string]any{"ageMin": 5, "ageMax": nil, "channels": nil}}), []string{"video-search.age_range_min"}},
		"a variable within":     {resolverstest.RequestBody(`query($a: Int) { searchVideos(filter: { ageMax: $a }) { total } }`, map[string]any{"a": 7}), []string{"video-search.age_range_max"}},
		"a variable that is no": {resolverstest.RequestBody(`query($a: Int) { searchVideos(filter: { ageMax: $a }) { total } }`, nil), nil},
		"facets":                {resolverstest.RequestBody(`{ searchVideos(facets: { ages: { from: 5, to: 7 } }) { total } }`, nil), []string{"video-search.age_range_facets"}},
		"a channel by its id":   {resolverstest.RequestBody(`{ searchVideos(filter: { channels: [`+channel+`] }) { total } }`, nil), nil},
		"a channel by its name": {resolverstest.RequestBody(`{ searchVideos(filter: { channels: [`+channel+`, "Open Lab"] }) { total } }`, nil), []string{"video-search.channel_name"}},
		"one channel by name":   {resolverstest.RequestBody(`query($c: [String!]) { searchVideos(filter: { channels: $c }) { total } }`, map[string]any{"c": "Open Lab"}), []string{"video-search.channel_name"}},
		"nothing":               {resolverstest.RequestBody(`{ video(id: "x") { title } }`, nil), nil},
		"a query that is none":  {resolverstest.RequestBody(`{ video(id: "x") { ageRange } }`, nil), nil},
		"a field that fails":    {resolverstest.RequestBody(`{ searchVideos(size: 0, filter: { ageMin: 1 }) { total } }`, nil), []string{"video-search.age_range_min"}},
	} {
		call := &deprecation.Call{}
		r := resolverstest.NewRequest(c.body, resolverstest.Customer)
		resolverstest.Serve(handler, r.WithContext(context.WithValue(r.Context(), deprecation.CallKey{}, call)))
		header := http.Header{}
		call.Announce(header, func() string { return "" })
		var want []string
		for _, key := range c.want {
			want = append(want, "<"+deprecation.ItemOf(key).Documentation+`>; rel="deprecation"; type="text/html"`)
		}
		if diff := cmp.Diff(want, header["Link"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
