package system_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

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
		return resolverstest.Post(t, handler, resolverstest.Operator, resolverstest.RequestBody(query, nil)).Body.String()
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
	if got := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(query, nil)).Body.String(); !strings.Contains(got, "OPERATE is required") {
		t.Errorf("a customer gets %s", got)
	}
	unknown := resolverstest.NewEndpoint(t)
	if got := resolverstest.Post(t, unknown, resolverstest.Operator, resolverstest.RequestBody(query, nil)).Body.String(); !strings.Contains(got, "UNAVAILABLE") {
		t.Errorf("where nothing is known: %s", got)
	}
}

// TestRotateSigningKeys verifies that engineers rotate keys, that old keys stay unless they are withdrawn, and that the
// audit log records each rotation.
func TestRotateSigningKeys(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	rotate := func(withdraw bool) (ids []string) {
		t.Helper()
		a.Now = a.Now.Add(time.Hour)
		answer := a.Do(t, `mutation($withdraw: Boolean!) { it: rotateSigningKeys(withdraw: $withdraw) { id } }`, map[string]any{"withdraw": withdraw})
		for _, key := range answer["it"].([]any) {
			ids = append(ids, key.(map[string]any)["id"].(string))
		}
		return ids
	}
	first, second := rotate(false), rotate(false)
	if len(first) != 1 || len(second) != 2 || second[1] != first[0] {
		t.Errorf("the keys are %q, then %q; the old one should stay behind the new one", first, second)
	}
	if third := rotate(true); len(third) != 1 || slices.Contains(second, third[0]) {
		t.Errorf("after the old keys are withdrawn, the keys are %q", third)
	}
	logged := a.Do(t, `{ it: auditLog(kind: policy) { nodes { at } } }`, nil)
	if entries := logged["it"].(map[string]any)["nodes"].([]any); len(entries) != 3 {
		t.Errorf("the audit log has %d entries about 3 rotations", len(entries))
	}
}
