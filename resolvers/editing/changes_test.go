package editing_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// madeChange is a change that a test made.
type madeChange struct {
	at         time.Time
	actor      string
	kind, name string
}

// TestChanges walks both audit logs with every combination of filters and with pages of several sizes, and compares the
// changes with those that were made.
func TestChanges(t *testing.T) {
	now := resolverstest.Now()
	clock := sqlite.WithClock(func() time.Time { return now })
	c, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"), clock)
	resolverstest.Must(t, err)
	t.Cleanup(func() { resolverstest.Must(t, c.Close()) })
	accounts, err := sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db"), clock)
	resolverstest.Must(t, err)
	t.Cleanup(func() { resolverstest.Must(t, accounts.Close()) })
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t, func(e *endpoint.Config) {
		e.Schema = resolverstest.NewSchema(t, func(config *resolvers.Config) { config.Catalogue, config.Registry = c, accounts })
	})}
	random := rand.New(rand.NewPCG(1, 2))
	var all []madeChange
	for i := range 60 {
		now = now.Add(time.Minute)
		one := madeChange{now, []string{"ada", "bob", "cli"}[random.IntN(3)], "", fmt.Sprintf("r%02d", i)}
		actor := account.Actor{Client: "console", User: one.actor}
		if one.actor == "cli" {
			actor = account.Actor{Client: "cli"}
		}
		if random.IntN(2) == 0 {
			one.kind = []string{"TAG", "VIDEO"}[random.IntN(2)]
			entry := store.CatalogueAuditEntry{Actor: actor, Kind: catalogue.Kind(strings.ToLower(one.kind)), ID: catalogue.ID(one.name), After: []byte("{}")}
			err = c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error { return tx.Note(ctx, []store.CatalogueAuditEntry{entry}) })
		} else {
			one.kind = "tier"
			err = accounts.Edit(t.Context(), actor, func(ctx context.Context, tx store.RegistryTx) error {
				return tx.Put(ctx, &account.Tier{ID: one.name, Name: one.name})
			})
		}
		resolverstest.Must(t, err)
		all = append([]madeChange{one}, all...)
	}
	const query = `query($filter: ChangeFilter, $first: Int!, $before: String) { it: changes(filter: $filter, first: $first, before: $before) { nodes { id } pageInfo { hasNextPage endCursor } } }`
	walk := func(filter map[string]any, size int) (names []string) {
		for before, pages := any(nil), 0; ; pages++ {
			if pages > 100 {
				t.Fatalf("%v by %d: the walk does not end", filter, size)
			}
			page := resolverstest.At(t, a.Do(t, query, resolverstest.Object("filter", filter, "first", size, "before", before)), "it")
			for _, node := range resolverstest.At(t, page, "nodes").([]any) {
				names = append(names, resolverstest.At(t, node, "id").(string))
			}
			if resolverstest.At(t, page, "pageInfo", "hasNextPage") == false {
				return names
			}
			before = resolverstest.At(t, page, "pageInfo", "endCursor")
		}
	}
	begin := resolverstest.Now()
	for _, actor := range []string{"", "ada", "cli", "nobody"} {
		for _, kind := range []string{"", "TAG", "tier"} {
			for _, span := range [][2]time.Duration{{}, {10 * time.Minute, 0}, {0, 40 * time.Minute}, {10 * time.Minute, 11 * time.Minute}, {5 * time.Minute, 45*time.Minute + time.Second}, {0, time.Second}} {
				filter := map[string]any{}
				if actor != "" {
					filter["actor"] = actor
				}
				switch kind {
				case "TAG":
					filter["catalogueKind"] = kind
				case "tier":
					filter["recordKind"] = kind
				}
				if span[0] > 0 {
					filter["from"] = begin.Add(span[0]).Format(time.RFC3339Nano)
				}
				if span[1] > 0 {
					filter["to"] = begin.Add(span[1]).Format(time.RFC3339Nano)
				}
				var want []string
				for _, one := range all {
					after := one.at.Sub(begin)
					if (actor == "" || one.actor == actor) && (kind == "" || one.kind == kind) && after >= span[0] && (span[1] == 0 || after < span[1]) {
						want = append(want, one.name)
					}
				}
				for _, size := range []int{1, 7, 200} {
					if got := walk(filter, size); !slices.Equal(got, want) {
						t.Fatalf("%v in pages of %d: got %v, want %v", filter, size, got, want)
					}
				}
			}
		}
	}
	a.WantError(t, fault.Invalid, `"x"`, query, resolverstest.Object("first", 1, "before", "x"))
	a.WantError(t, fault.Invalid, "201", query, resolverstest.Object("first", 201))
	kinds := func(role account.StaffRole) string {
		caller := &account.Caller{ClientID: "c", Permissions: role.Permissions(), StaffRole: role}
		return string(resolverstest.Read(t, resolverstest.Post(t, a.Handler, caller, resolverstest.RequestBody(`{ changes(first: 200) { nodes { recordKind } } }`, nil))).Data)
	}
	if editor, support := kinds(account.Editor), kinds(account.Support); strings.Contains(editor, "tier") || !strings.Contains(support, "tier") {
		t.Errorf("an editor sees %s, support sees %s", editor, support)
	}
}
