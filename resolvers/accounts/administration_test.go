package accounts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

// TestAdministrationIsForOperatorsOnly proves that every operator field of the schema is refused to customers and to
// callers without a token, and that the audit log does not mention these attempts.
func TestAdministrationIsForOperatorsOnly(t *testing.T) {
	schema := resolverstest.NewSchema(t).Schema()
	a := resolverstest.NewAdministration(t)
	administered := strings.Fields("accounts account clients client users user tiers tier contentPackages contentPackage tokenPolicy auditLog deprecations deprecationNotices")
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			isOperators := slices.Contains(administered, field.Name) ||
				strings.HasPrefix(field.Name, "catalogue") || root == schema.Mutation && !isCustomers(field.Name)
			if strings.HasPrefix(field.Name, "__") || !isOperators {
				continue
			}
			query := strings.ToLower(root.Name) + " { " + field.Name + resolverstest.ArgumentsOf(schema, field.Arguments) + " " + resolverstest.SelectionOf(schema, field.Type) + " }"
			for _, caller := range []*account.Caller{resolverstest.Customer, {ClientID: "expired", Permissions: account.PermissionsOf(account.ReportExpiry)}} {
				answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, caller, resolverstest.RequestBody(query, nil)))
				if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "FORBIDDEN" {
					t.Errorf("%s: a customer gets %+v", query, answer)
				}
			}
			if answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, nil, resolverstest.RequestBody(query, nil))); len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "UNAUTHENTICATED" {
				t.Errorf("%s: nobody gets %+v", query, answer)
			}
		}
	}
	if entries, err := a.Accounts.Audit(t.Context(), store.AuditQuery{}, 0, 100); err != nil || slices.ContainsFunc(entries, func(e account.AuditEntry) bool { return e.Actor.Client == "customer" }) {
		t.Errorf("the audit log mentions a customer: %v %v", entries, err)
	}
}

// isCustomers reports whether customers may also call a mutation: those for events, profiles, collections and embeds.
func isCustomers(mutation string) bool {
	return strings.HasPrefix(mutation, "record") || strings.Contains(mutation, "Collection") ||
		mutation == "reportAccessExpired" || mutation == "updateProfile" || mutation == "createEmbed"
}

func TestAdministrationWithoutARegistry(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	for _, query := range []string{
		`{ accounts { nodes { id } } }`, `{ client(id: "x") { id } }`, `{ auditLog { nodes { id } } }`, `{ tokenPolicy { version } }`,
		`{ users(account: "x", username: "y") { nodes { id } } }`,
		`mutation { deleteTier(id: "x") }`, `mutation { createAccount(input: {id: "x", name: "x"}) { id } }`,
	} {
		answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Staff, resolverstest.RequestBody(query, nil)))
		if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "UNAVAILABLE" {
			t.Errorf("%s: %+v", query, answer)
		}
	}
}

const wholeAccount = `id name operator tier products type status accessExpiresOn subjects contentPackage allowedOrigins ignoresServiceUserId
	environment passwordSignIn identityProviders { alias name issuer clientId hasClientSecret scopes domains }
	embedsTakenOver requestsPerMinute requestsPerMonth createdAt updatedAt version`
