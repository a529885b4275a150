package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/usage/billing"
)

func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return list
}

// TestEnums proves that the enums that are strings of the domain have exactly its values.
func TestEnums(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for name, want := range map[string][]string{
		"VideoType": texts(catalogue.VideoTypes()), "VideoSubtype": texts(catalogue.Subtypes()), "CefrLevel": texts(catalogue.CEFRLevels()),
		"AttachmentType": texts(catalogue.AttachmentTypes()), "MarketSegment": texts(catalogue.MarketSegments()),
		"IngestType": texts(catalogue.IngestTypes()), "DistributionMethod": texts(catalogue.DistributionMethods()),
		"EditingPermission": texts(catalogue.EditingPermissions()), "TerritoryType": texts(catalogue.TerritoryTypes()),
		"AccessRuleType": texts(catalogue.RuleTypes()), "RemovalReason": texts([]catalogue.RemovalReason{catalogue.Deleted, catalogue.Retired, catalogue.Expired}),
		"Product": texts(account.Products()), "AccountType": texts(account.Types()), "AccountStatus": texts(account.Statuses()),
		"Environment": texts(account.Environments()), "StaffRole": texts(account.StaffRoles()), "RecordKind": texts(account.Kinds()),
		"PriceUnit": texts(billing.Units()), "InvoiceState": texts(billing.States()), "InvoiceLineKind": texts(billing.LineKinds()),
		"RoyaltyBasis": texts(billing.RoyaltyBases()), "CollectionPermission": texts(collection.AllPermissions()), "CollectionOrder": texts(collection.Orders()),
	} {
		var got []string
		for _, value := range schema.Types[name].EnumValues {
			got = append(got, value.Name)
		}
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("%s (-domain +schema):\n%s", name, diff)
		}
	}
}

// TestExactEnums proves that variables have the values of enums exactly, in inputs and lists too.
func TestExactEnums(t *testing.T) {
	run := executor.New(graph.NewExecutableSchema(graph.Config{}))
	run.Use(&graph.ExactEnums{})
	const filtered, kinds = `query($f: VideoFilter) { searchVideos(filter: $f) { total } }`, `query($k: CatalogueKind!) { videoCounts(kind: $k) { id } }`
	for _, c := range []struct {
		query string
		value any
		want  string
	}{
		{filtered, nil, ""},
		{filtered, map[string]any{"types": []any{"NEWS", "STOCK"}, "source": "YOUTUBE", "text": nil}, "variable.f.text"},
		{filtered, map[string]any{"types": []any{"NEWS", "STOCK"}, "source": "YOUTUBE", "cefrLevels": nil}, ""},
		{filtered, map[string]any{"types": []any{"NEWS", "Stock"}}, "variable.f.types[1]"},
		{filtered, map[string]any{"types": "news"}, "variable.f.types[0]"},
		{filtered, map[string]any{"source": "youtube"}, "variable.f.source"},
		{kinds, "LEARNING_MATERIAL", ""},
		{kinds, "learning_material", "variable.k"},
	} {
		name := c.query[strings.Index(c.query, "$")+1:][:1]
		ctx := graphql.StartOperationTrace(context.Background())
		_, problems := run.CreateOperationContext(ctx, &graphql.RawParams{Query: c.query, Variables: map[string]any{name: c.value}})
		got := ""
		for _, problem := range problems {
			got = problem.Path.String()
		}
		if got != c.want {
			t.Errorf("%v: got %q (%v), want %q", c.value, got, problems, c.want)
		}
	}
}
