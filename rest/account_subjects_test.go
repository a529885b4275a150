package rest_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestDeletedSubjectsLeaveAccounts proves that a deleted subject disappears from accounts and users.
func TestDeletedSubjectsLeaveAccounts(t *testing.T) {
	w := newWorld(t, options{})
	w.put(&catalogue.Subject{Meta: metaOf("glaciers"), Name: "Glaciers"})
	subjects := func(query string) []any {
		t.Helper()
		data, code := w.graphQL(t, operator, query, nil)
		if code != "" {
			t.Fatal(query, code)
		}
		account := data.(map[string]any)
		if nodes, isPage := account["nodes"].([]any); isPage {
			account = nodes[0].(map[string]any)
		}
		return account["subjects"].([]any)
	}
	both := jsonOf(idsOf("glaciers", "physics"))
	const created = `mutation { hal: createAccount(input: { id: "aaa", name: "A school", operator: true, subjects: `
	if got := subjects(created + both + ` }) { subjects } }`); jsonOf(got) != both {
		t.Errorf("the account is made with %v", got)
	}
	subjects(`mutation { hal: updateAccount(id: "aaa", input: { subjects: ` + both + ` }) { subjects } }`)
	if _, code := w.graphQL(t, operator, `mutation { hal: deleteSubject(id: "`+string(idOf("glaciers"))+`") }`, nil); code != "" {
		t.Fatal(code)
	}
	left := jsonOf(idsOf("physics"))
	for _, query := range []string{
		`{ hal: account(id: "aaa") { subjects } }`, `{ hal: accounts(first: 1) { nodes { subjects } } }`,
		`mutation { hal: updateAccount(id: "aaa", input: { name: "The school" }) { subjects } }`,
	} {
		if got := subjects(query); jsonOf(got) != left {
			t.Errorf("%s shows %v", query, got)
		}
	}
}
