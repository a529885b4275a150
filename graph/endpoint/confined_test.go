package endpoint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// TestCallersOfOneVideo proves that a caller confined to one video is refused by every root field, whatever its
// permissions, except for the few that a player needs.
func TestCallersOfOneVideo(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	confined := &account.Caller{
		ClientID: "embedding", Account: &account.Account{ID: "embedding"}, Permissions: account.PermissionsOf(account.AllPermissions()...),
		Video: "ffffffffffffffffffffffff",
	}
	open := []string{"videoReference", "videosById", "transcript", "captions", "recordPlayback", "recordPlayerInteraction"}
	schema, met := resolverstest.NewSchema(t).Schema(), 0
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") || slices.Contains(open, field.Name) {
				continue
			}
			met++
			query := strings.ToLower(root.Name) + " { " + field.Name + resolverstest.ArgumentsOf(schema, field.Arguments) + " " + resolverstest.SelectionOf(schema, field.Type) + " }"
			var code any
			for _, value := range []string{"x", "2026-01-01", "2026-01-01T00:00:00Z"} { // the endpoint parses dates and times first
				answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, confined, resolverstest.RequestBody(strings.ReplaceAll(query, `"x"`, `"`+value+`"`), nil)))
				if len(answer.Errors) > 0 {
					code = answer.Errors[0].Extensions["code"]
				}
				if code == string(fault.Forbidden) {
					break
				}
			}
			if code != string(fault.Forbidden) {
				t.Errorf("%s: %v", query, code)
			}
		}
	}
	if met < 100 {
		t.Errorf("%d fields were asked", met)
	}
}
