package rest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// graph sends a GraphQL query of one field, decodes the field into value, and returns the codes of the errors.
func (w *world) graph(t *testing.T, as, query string, value any) (codes []string) {
	t.Helper()
	body := must(json.Marshal(map[string]string{"query": query}))
	got := w.send(t, apiRequest{as: as, method: http.MethodPost, path: "/graphql", body: string(body), header: map[string]string{"Content-Type": "application/json"}})
	var answer struct {
		Data   map[string]json.RawMessage
		Errors []struct{ Extensions struct{ Code string } }
	}
	check(json.Unmarshal(got.body, &answer))
	for _, problem := range answer.Errors {
		codes = append(codes, problem.Extensions.Code)
	}
	for _, data := range answer.Data {
		if value != nil {
			check(json.Unmarshal(data, value))
		}
	}
	return codes
}

// TestOperatorsSetSunsets proves that the operator sets, moves and clears sunset dates, for all clients and for one. Each
// change takes effect in the next answer and is in the audit log.
func TestOperatorsSetSunsets(t *testing.T) {
	w, _ := newDeprecating(t, options{})
	const page, key = "/v1/videos?size=1&age_range=5-7", `key: "` + ageRangeKey + `"`
	reported := func(step, ofAll, ofTeacher string) {
		t.Helper()
		check(w.auth.Refresh(t.Context()))
		checkReported(t, step+", customer", w.get(t, customer, page).Header, []string{ageRangeKey}, ofAll)
		checkReported(t, step+", teacher", w.get(t, teacher, page).Header, []string{ageRangeKey}, ofTeacher)
	}
	decide := func(mutation string, want ...string) {
		t.Helper()
		if codes := w.graph(t, operator, "mutation { "+mutation+" { version } }", nil); !slices.Equal(codes, want) {
			t.Errorf("%s: %v, want %v", mutation, codes, want)
		}
	}
	decide(`setDeprecationSunset(`+key+`, sunset: "2027-09-30", client: "teacher")`, "INVALID") // there is no general date to postpone
	decide(`clearDeprecationSunset(`+key+`)`, "NOT_FOUND")
	decide(`setDeprecationSunset(`+key+`, sunset: "2026-11-22")`, "INVALID") // before the announcement
	decide(`setDeprecationSunset(key: "video-search.nothing", sunset: "2027-06-30")`, "NOT_FOUND")
	decide(`setDeprecationSunset(` + key + `, sunset: "2027-05-31", version: 0)`)
	reported("set", "2027-05-31", "2027-05-31")
	decide(`setDeprecationSunset(`+key+`, sunset: "2027-06-30", version: 0)`, "CONFLICT")
	decide(`setDeprecationSunset(` + key + `, sunset: "2027-06-30")`)
	reported("moved", dropped, dropped)
	decide(`setDeprecationSunset(`+key+`, sunset: "2027-06-30", client: "teacher")`, "INVALID") // the same as the general date
	decide(`setDeprecationSunset(`+key+`, sunset: "2027-09-30", client: "nobody")`, "NOT_FOUND")
	decide(`setDeprecationSunset(` + key + `, sunset: "2027-09-30", client: "teacher")`)
	reported("postponed", dropped, postponed)
	decide(`clearDeprecationSunset(`+key+`, client: "customer")`, "NOT_FOUND")
	decide(`clearDeprecationSunset(` + key + `, client: "teacher")`)
	reported("no longer", dropped, dropped)
	decide(`clearDeprecationSunset(` + key + `)`)
	reported("cleared", "", "")

	entries := must(w.accounts.Audit(t.Context(), store.AuditQuery{Key: account.EntityKey{Kind: account.KindDeprecation, ID: ageRangeKey}}, 0, 100))
	var sunsets []string
	for _, entry := range entries {
		if entry.Actor.Client != operator {
			t.Errorf("the trail says that it was %q", entry.Actor.Client)
		}
		var after struct{ Sunset string }
		if entry.After != nil {
			check(json.Unmarshal(entry.After, &after))
		}
		sunsets = append(sunsets, after.Sunset)
	}
	if diff := cmp.Diff([]string{"", dropped, dropped, dropped, "2027-05-31"}, sunsets); diff != "" {
		t.Errorf("the trail (-want +got):\n%s", diff)
	}
	for _, field := range []string{
		`query { deprecations { key } }`, `query { deprecationNotices { key } }`,
		`mutation { setDeprecationSunset(` + key + `, sunset: "2027-06-30") { key } }`, `mutation { clearDeprecationSunset(` + key + `) { key } }`,
	} {
		if codes := w.graph(t, customer, field, nil); !slices.Equal(codes, []string{"FORBIDDEN"}) {
			t.Errorf("a customer asks %s: %v", field, codes)
		}
	}
}

// shownUse is a deprecated use as the operator sees it.
type shownUse struct {
	Client, Account *string
	LastUsedAt      string
	Count           int
}

// TestOperatorSeesUses proves that the operator sees which client used which item and when, page by page and for one
// client.
func TestOperatorSeesUses(t *testing.T) {
	w, written := newDeprecating(t, options{})
	for _, as := range []string{teacher, customer, pupil} {
		w.get(t, as, "/v1/videos?age_range=5-7")
	}
	written()
	uses := func(arguments string) (found []shownUse, more bool, cursor string) {
		t.Helper()
		var list []struct {
			Key  string
			Uses struct {
				Nodes    []shownUse
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
			}
		}
		query := `{ deprecations { key uses` + arguments + ` { nodes { client account lastUsedAt count } pageInfo { hasNextPage endCursor } } } }`
		if codes := w.graph(t, operator, query, &list); codes != nil {
			t.Fatalf("%s: %v", arguments, codes)
		}
		for _, one := range list {
			if one.Key == ageRangeKey {
				found, more, cursor = one.Uses.Nodes, one.Uses.PageInfo.HasNextPage, one.Uses.PageInfo.EndCursor
			} else if len(one.Uses.Nodes) > 0 {
				t.Errorf("%s was used: %+v", one.Key, one.Uses.Nodes)
			}
		}
		return found, more, cursor
	}
	at := "2026-03-04T05:06:07.000000Z"
	of := func(client string, count int) shownUse {
		return shownUse{Client: &client, Account: &client, LastUsedAt: at, Count: count}
	}
	all, _, _ := uses("")
	if diff := cmp.Diff([]shownUse{of(customer, 2), of(teacher, 1)}, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	first, more, cursor := uses("(first: 1)")
	if diff := cmp.Diff(all[:1], first); diff != "" || !more {
		t.Errorf("the first page, more: %t (-want +got):\n%s", more, diff)
	}
	second, more, _ := uses(`(first: 1, after: ` + string(must(json.Marshal(cursor))) + `)`)
	if diff := cmp.Diff(all[1:], second); diff != "" || more {
		t.Errorf("the second page, more: %t (-want +got):\n%s", more, diff)
	}
	own, _, _ := uses(`(client: "teacher")`)
	if diff := cmp.Diff(all[1:], own); diff != "" {
		t.Errorf("of one client (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{`(first: 0)`, `(first: 201)`, `(after: "x")`} {
		if codes := w.graph(t, operator, `{ deprecations { uses`+wrong+` { nodes { count } } } }`, nil); !slices.Contains(codes, "INVALID") {
			t.Errorf("%s: %v", wrong, codes)
		}
	}
}

// TestDeprecationNotices proves that each client that uses an item gets a notice, with its name, on the day of a decision and
// again a week before its own sunset date. Clients that never used the item and deleted clients get none.
func TestDeprecationNotices(t *testing.T) {
	w, written := newDeprecating(t, options{})
	for _, as := range []string{teacher, customer, stranger} {
		w.get(t, as, "/v1/videos?age_range=5-7")
	}
	w.get(t, seaside, "/v1/videos?age_range_min=5")
	written()
	key := `key: "` + ageRangeKey + `"`
	for _, mutation := range []string{
		`setDeprecationSunset(` + key + `, sunset: "2027-06-30") { key }`,
		`setDeprecationSunset(` + key + `, sunset: "2027-09-30", client: "teacher") { key }`,
		`deleteClient(id: "stranger")`,
	} {
		if codes := w.graph(t, operator, "mutation { "+mutation+" }", nil); codes != nil {
			t.Fatalf("%s: %v", mutation, codes)
		}
	}
	reported := func(arguments string) (list []string) {
		t.Helper()
		var notices []struct{ Reason, Key, Client, ClientName, Account, AccountName, Sunset, LastUsedAt, Instead string }
		query := `{ deprecationNotices` + arguments + ` { reason key client clientName account accountName sunset lastUsedAt instead } }`
		if codes := w.graph(t, operator, query, &notices); codes != nil {
			t.Fatalf("%s: %v", arguments, codes)
		}
		for _, one := range notices {
			if one.Key != ageRangeKey || one.Account != one.Client || one.AccountName == "" || !strings.HasPrefix(one.LastUsedAt, "2026-03-04T05:06:07") || one.Instead == "" {
				t.Errorf("%+v", one)
			}
			list = append(list, one.Reason+" "+one.Client+" "+one.Sunset)
		}
		return list
	}
	for arguments, want := range map[string][]string{
		``:                   {"ANNOUNCEMENT customer 2027-06-30", "ANNOUNCEMENT teacher 2027-09-30"},
		`(at: "2026-03-04")`: {"ANNOUNCEMENT customer 2027-06-30", "ANNOUNCEMENT teacher 2027-09-30"},
		`(at: "2026-03-05")`: nil,
		`(at: "2027-06-23")`: nil, // no client has used it for 90 days
	} {
		if diff := cmp.Diff(want, reported(arguments)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", arguments, diff)
		}
	}
}
