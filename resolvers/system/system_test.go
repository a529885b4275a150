package system_test

import (
	"context"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/resolvers/system"
)

const query = `{ system { version status videos parts { name engine status detail remedy lag } signingKeys { id } } }`

// TestSystem verifies what operators see of the parts, that the worst of them decides, and that customers see nothing.
func TestSystem(t *testing.T) {
	lag := int64(7)
	parts := []system.Part{{Name: "search", Engine: "typesense", Status: "up", Lag: &lag}, {Name: "store", Engine: "sqlite", Status: "up"}}
	schema := resolverstest.NewSchema(t, func(c *resolvers.Config) {
		c.Version, c.Parts = "v1", func(context.Context) []system.Part { return parts }
	})
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.Schema = schema })
	asked := func() string {
		return resolverstest.Post(t, handler, resolverstest.Operator, resolverstest.Ask(query, nil)).Body.String()
	}
	want := `{"data":{"system":{"version":"v1","status":"UP","videos":4,"parts":[{"name":"search","engine":"typesense","status":"UP","detail":null,"remedy":null,"lag":7},` +
		`{"name":"store","engine":"sqlite","status":"UP","detail":null,"remedy":null,"lag":null}],"signingKeys":[]}}}`
	if got := strings.TrimSpace(asked()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	parts[0].Status, parts[0].Detail, parts[0].Remedy = "degraded", "it does not answer", "start it"
	if got := asked(); !strings.Contains(got, `"status":"DEGRADED","videos"`) || !strings.Contains(got, `"detail":"it does not answer","remedy":"start it"`) {
		t.Errorf("with a degraded part: %s", got)
	}
	parts[1].Status = "down"
	if got := asked(); !strings.Contains(got, `"status":"DOWN","videos"`) {
		t.Errorf("with a part that is down: %s", got)
	}
	if got := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.Ask(query, nil)).Body.String(); !strings.Contains(got, "OPERATE is required") {
		t.Errorf("a customer gets %s", got)
	}
	unknown := resolverstest.NewEndpoint(t)
	if got := resolverstest.Post(t, unknown, resolverstest.Operator, resolverstest.Ask(query, nil)).Body.String(); !strings.Contains(got, "UNAVAILABLE") {
		t.Errorf("where nothing is known: %s", got)
	}
}
