package accounts_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

func TestPagesOfRecords(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		a.AddAccount(t, id)
	}
	var met []string
	for after, more := any(nil), true; more; {
		page := resolverstest.At(t, a.Do(t, `query($after: String) { it: accounts(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`, map[string]any{"after": after}), "it")
		for _, node := range resolverstest.At(t, page, "nodes").([]any) {
			met = append(met, resolverstest.At(t, node, "id").(string))
		}
		after, more = resolverstest.At(t, page, "pageInfo", "endCursor"), resolverstest.At(t, page, "pageInfo", "hasNextPage").(bool)
	}
	if got := strings.Join(met, ""); got != "abcde" {
		t.Errorf("the pages hold %s", got)
	}
	var numbers []json.Number
	for before, more := any(nil), true; more; {
		page := resolverstest.At(t, a.Do(t, `query($before: String) { it: auditLog(kind: account, first: 2, before: $before) { nodes { number } pageInfo { hasNextPage endCursor } } }`, map[string]any{"before": before}), "it")
		for _, node := range resolverstest.At(t, page, "nodes").([]any) {
			numbers = append(numbers, resolverstest.At(t, node, "number").(json.Number))
		}
		before, more = resolverstest.At(t, page, "pageInfo", "endCursor"), resolverstest.At(t, page, "pageInfo", "hasNextPage").(bool)
	}
	if len(numbers) != 5 || len(slices.Compact(slices.Clone(numbers))) != 5 {
		t.Errorf("the pages of the audit log hold %v", numbers)
	}
	for _, field := range strings.Fields("accounts clients users tiers contentPackages auditLog") {
		for _, size := range []string{"0", "-1", "201"} {
			a.WantError(t, fault.Invalid, size, `{ `+field+`(first: `+size+`) { nodes { id } } }`, nil)
		}
		resolverstest.WantRejection(t, resolverstest.Post(t, a.Handler, resolverstest.Staff, resolverstest.RequestBody(`{ `+field+`(first: 200) { nodes { `+resolverstest.ManyAliases(300)+` } } }`, nil)), http.StatusBadRequest, "COMPLEXITY_LIMIT")
	}
	a.WantError(t, fault.Invalid, "nonsense", `{ auditLog(before: "nonsense") { nodes { id } } }`, nil)
	a.WantError(t, fault.Invalid, "needs a kind", `{ auditLog(id: "a") { nodes { id } } }`, nil)
}

// TestEveryChangeIsAudited proves that each mutation adds one entry for each record that it changes, with the caller.
// Secrets appear in no audit log, answer or log, except for the one answer that shows a secret.
func TestEveryChangeIsAudited(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	user := a.AddUser(t, map[string]any{"username": "ada", "password": "correct horse"})
	a.AddClient(t, "lms", nil)
	first := a.Client(t, "lms").Secrets[0]
	secrets := []string{"correct horse", "battery staple", "provider-secret", resolverstest.ShownHash, hex.EncodeToString(first.Hash), base64.StdEncoding.EncodeToString(first.Hash), base64.RawURLEncoding.EncodeToString(first.Hash)}
	last := func() account.AuditEntry {
		entries, err := a.Accounts.Audit(t.Context(), store.AuditQuery{}, 0, 1)
		resolverstest.Must(t, err)
		return entries[0]
	}
	for _, step := range []struct {
		mutation      string
		kind          account.Kind
		before, after string // what the bodies contain; "" for none
	}{
		{`createAccount(input: {id: "other", name: "Other", tier: "basic", identityProviders: [{alias: "main", name: "x", issuer: "https://id.example", clientId: "x", clientSecret: "provider-secret"}]}) { id }`, account.KindAccount, "", `"name":"Other"`},
		{`updateAccount(id: "other", input: {name: "Another"}) { id }`, account.KindAccount, `"name":"Other"`, `"name":"Another"`},
		{`deleteAccount(id: "other")`, account.KindAccount, `"name":"Another"`, ""},
		{`createClient(input: {id: "app", account: "school", name: "App"}) { client { id } }`, account.KindClient, "", `"name":"App"`},
		{`updateClient(id: "app", input: {disabled: true}) { id }`, account.KindClient, `"name":"App"`, `"disabled":true`},
		{`addClientSecret(client: "app") { client { id } }`, account.KindClient, `"secrets":[{`, `},{`},
		{`removeClientSecret(client: "lms", secret: "SECRET") { id }`, account.KindClient, `},{`, `"secrets":[{`},
		{`deleteClient(id: "app")`, account.KindClient, `"name":"App"`, ""},
		{`createUser(input: {account: "school", username: "eve", password: "battery staple"}) { id }`, account.KindUser, "", `"username":"eve"`},
		{`updateUser(id: "USER", input: {givenName: "Ada"}) { id }`, account.KindUser, `"username":"ada"`, `"givenName":"Ada"`},
		{`setUserPassword(id: "USER", password: null) { id }`, account.KindUser, `"passwordHash":"`, `"username":"ada"`},
		{`deleteUser(id: "USER")`, account.KindUser, `"givenName":"Ada"`, ""},
		{`putTier(input: {id: "gold", name: "Gold", roles: []}) { id }`, account.KindTier, "", `"name":"Gold"`},
		{`putTier(input: {id: "gold", name: "Gold", roles: [VIEW_TAGS]}) { id }`, account.KindTier, `"roles":[]`, `"VIEW_TAGS"`},
		{`deleteTier(id: "gold")`, account.KindTier, `"VIEW_TAGS"`, ""},
		{`createContentPackage(input: {id: "news", name: "News", rules: []}) { id }`, account.KindContentPackage, "", `"name":"News"`},
		{`updateContentPackage(id: "news", input: {name: "Old"}) { id }`, account.KindContentPackage, `"name":"News"`, `"name":"Old"`},
		{`deleteContentPackage(id: "news")`, account.KindContentPackage, `"name":"Old"`, ""},
		{`setTokenPolicy(notBefore: "2026-01-01T00:00:00Z") { version }`, account.KindPolicy, "", `"notBefore":"2026-01-01T00:00:00Z"`},
	} {
		if strings.Contains(step.mutation, "SECRET") {
			a.Do(t, `mutation { addClientSecret(client: "lms") { client { id } } }`, nil)
		}
		before := last().Number
		a.Do(t, "mutation { "+strings.NewReplacer("USER", user, "SECRET", first.ID).Replace(step.mutation)+" }", nil)
		entry := last()
		if entry.Number == before || entry.Actor != (account.Actor{Client: "console", User: "ada"}) || entry.Key.Kind != step.kind || !entry.At.Equal(a.Now) {
			t.Errorf("%s: the last entry is %+v", step.mutation, entry)
		}
		for side, body := range map[string][]byte{step.before: entry.Before, step.after: entry.After} {
			if (side == "") != (body == nil) || !bytes.Contains(body, []byte(side)) {
				t.Errorf("%s: the audit log has %s -> %s", step.mutation, entry.Before, entry.After)
			}
		}
	}
	log := a.Do(t, `{ it: auditLog(first: 200) { nodes { number at client user kind id account before after } } }`, nil)
	if n := len(resolverstest.At(t, log, "it", "nodes").([]any)); n < 20 {
		t.Errorf("the audit log has %d entries", n)
	}
	resolverstest.WantAt(t, a.Do(t, `{ it: auditLog(kind: user, id: "`+user+`", first: 1) { nodes { client user kind account after } } }`, nil),
		`[{"account":"school","after":null,"client":"console","kind":"user","user":"ada"}]`, "it", "nodes")

	a.WantError(t, fault.Invalid, "", `mutation { createUser(input: {account: "nowhere", username: "x", password: "correct horse"}) { id } }`, nil)
	everything := strings.Join(a.Answers, "\n") + a.Logs.String()
	for _, one := range secrets {
		if strings.Contains(everything, one) {
			t.Errorf("%q is reported", one)
		}
	}
}

// TestExpiredAccessIsAudited proves that the audit log has one entry for each user and day.
func TestExpiredAccessIsAudited(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	expired := func(client, user string) *account.Caller {
		return &account.Caller{ClientID: client, User: user, Account: &account.Account{ID: "school"}, Permissions: account.PermissionsOf(account.ReportExpiry)}
	}
	report := func(caller *account.Caller) resolverstest.ParsedAnswer {
		return resolverstest.Read(t, resolverstest.Post(t, a.Handler, caller, resolverstest.RequestBody(`mutation { reportAccessExpired }`, nil)))
	}
	notes := func() (n int) {
		entries, err := a.Accounts.Audit(t.Context(), store.AuditQuery{Key: a.Account(t).Key()}, 0, 100)
		resolverstest.Must(t, err)
		for _, entry := range entries {
			if strings.Contains(string(entry.After), "accessExpiredReported") && entry.Before == nil {
				n++
			}
		}
		return n
	}
	for i, step := range []struct {
		client, user string
		later        time.Duration
		want         int
	}{
		{"lms", "", 0, 1}, {"lms", "", time.Hour, 1}, {"lms", "ada", 0, 2}, {"other", "ada", 0, 2}, {"lms", "eve", 0, 3}, {"lms", "ada", 24 * time.Hour, 4},
	} {
		a.Now = a.Now.Add(step.later)
		if answer := report(expired(step.client, step.user)); string(answer.Data) != `{"reportAccessExpired":true}` {
			t.Errorf("step %d: %+v", i, answer)
		}
		if got := notes(); got != step.want {
			t.Errorf("step %d: there are %d notes, want %d", i, got, step.want)
		}
	}
	for _, caller := range []*account.Caller{resolverstest.Customer, resolverstest.Operator} {
		if answer := report(caller); len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != "FORBIDDEN" {
			t.Errorf("%s: %+v", caller.ClientID, answer)
		}
	}
}
