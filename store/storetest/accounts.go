package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// EmptyAccounts creates new, empty accounts and returns a function that opens them. Accounts that are closed and opened
// again return the stored records.
type EmptyAccounts func(t *testing.T) (open func() store.Accounts)

// Accounts runs the suite of store.Accounts.
func Accounts(t *testing.T, empty EmptyAccounts) {
	tests := map[string]func(o *accountsFixture){
		"the version grows with changes":    testVersion,
		"keys":                              testKeys,
		"keys are dropped":                  testDropKeys,
		"the first key is agreed on":        testFirstKey,
		"ended contexts, accounts":          testAccountsEnded,
		"stored accounts outlive a process": testAccountsReopen,
	}
	for _, more := range []map[string]func(o *accountsFixture){recordTests, rejectionTests, recordRaceTests, auditTests, userTests, grantTests, dropTests, codeTests, sessionTests} {
		maps.Copy(tests, more)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			o := &accountsFixture{T: t, open: empty(t)}
			o.Accounts = o.openAnother()
			test(o)
		})
	}
}

// accountsFixture is one empty store of accounts.
type accountsFixture struct {
	*testing.T
	store.Accounts
	open func() store.Accounts
}

func (o *accountsFixture) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// openAnother opens the same accounts once more, as another process does.
func (o *accountsFixture) openAnother() store.Accounts {
	other := o.open()
	o.Cleanup(func() { _ = other.Close() })
	return other
}

func (o *accountsFixture) version() account.RosterVersion {
	o.Helper()
	version, err := o.RosterVersion(o.Context())
	o.must(err)
	return version
}

// wantError checks that err has the code want.
func (o *accountsFixture) wantError(what string, err error, want fault.Code) {
	o.Helper()
	if fault.CodeOf(err) != want {
		o.Errorf("%s: got %v, want the code %s", what, err, want)
	}
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123456000, time.UTC)

func testVersion(o *accountsFixture) {
	ctx := o.Context()
	key := func(id string) store.Key { return store.Key{ID: id, Secret: []byte("s")} }
	for _, step := range []struct {
		name             string
		records, revoked bool
		change           func() error
	}{
		{"a key", true, false, func() error { return o.AddKey(ctx, "signing", key("k"), false) }},
		{"another's key", true, false, func() error { return o.AddKey(ctx, "cursor", key("k"), true) }},
		{"a dropped key", true, false, func() error { return o.DropKeys(ctx, "signing", []string{"k"}) }},
		{"an account", true, false, func() error { return o.put(customer("one")) }},
		{"the same account", false, false, func() error { return o.put(customer("one")) }},
		{"a policy", true, false, func() error { return o.put(&account.Policy{NotBefore: noon}) }},
		{"a user", false, false, func() error { return o.put(person(1, "one")) }},
		{"a user at first sight", false, false, func() error { _, err := o.EnsureUser(ctx, person(2, "one"), true); return err }},
		{"a deleted policy", true, false, func() error { return o.drop(account.KindPolicy, account.PolicyID) }},
		{"a note", false, false, func() error { return o.Note(ctx, me, customer("one").Key(), []byte(`{}`)) }},
		{"a revocation", false, true, func() error { return o.Revoke(ctx, []string{"mark"}, noon) }},
		{"no revocation", false, false, func() error { return o.Revoke(ctx, nil, noon) }},
		{"a grant", false, false, func() error { return o.PutGrant(ctx, grant("t", "f")) }},
		{"a second first key", false, false, func() error { return o.AddKey(ctx, "cursor", key("l"), true) }},
	} {
		before := o.version()
		o.must(step.change())
		after := o.version()
		if (after.Records > before.Records) != step.records || (after.Revoked > before.Revoked) != step.revoked ||
			after.Records < before.Records || after.Revoked < before.Revoked {
			o.Errorf("%s took the version from %+v to %+v", step.name, before, after)
		}
	}
}

func testKeys(o *accountsFixture) {
	key := func(id string, at time.Time) store.Key {
		return store.Key{ID: id, Secret: []byte("s" + id), CreatedAt: at}
	}
	for _, k := range []store.Key{key("b", noon), key("d", noon.Add(time.Hour)), key("a", noon.Add(-time.Microsecond))} {
		o.must(o.AddKey(o.Context(), "signing", k, false))
	}
	o.must(o.AddKey(o.Context(), "stream", key("b", noon), false))
	for purpose, want := range map[string][]store.Key{
		"signing": {key("d", noon.Add(time.Hour)), key("b", noon), key("a", noon.Add(-time.Microsecond))},
		"stream":  {key("b", noon)},
		"cursor":  nil,
	} {
		got, err := o.Keys(o.Context(), purpose)
		o.must(err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			o.Errorf("%s (-want +got):\n%s", purpose, diff)
		}
	}
	if err := o.AddKey(o.Context(), "signing", key("b", noon), false); fault.CodeOf(err) != fault.Conflict {
		o.Errorf("a second key of one ID: %v", err)
	}
}

func testDropKeys(o *accountsFixture) {
	for _, id := range []string{"a", "b", "c"} {
		o.must(o.AddKey(o.Context(), "signing", store.Key{ID: id, Secret: []byte("s"), CreatedAt: noon}, false))
		o.must(o.AddKey(o.Context(), "cursor", store.Key{ID: id, Secret: []byte("s"), CreatedAt: noon}, false))
	}
	o.must(o.DropKeys(o.Context(), "signing", []string{"a", "c", "unknown"}))
	for purpose, want := range map[string]int{"signing": 1, "cursor": 3} {
		if keys, err := o.Keys(o.Context(), purpose); err != nil || len(keys) != want {
			o.Errorf("%s: %d keys are left (%v), want %d", purpose, len(keys), err, want)
		}
	}
	o.must(o.AddKey(o.Context(), "signing", store.Key{ID: "a", Secret: []byte("s"), CreatedAt: noon}, false))
}

// testFirstKey checks that one key prevails if several processes start together and each adds a first key.
func testFirstKey(o *accountsFixture) {
	together(8, func(i int) {
		if err := o.AddKey(o.Context(), "cursor", store.Key{ID: fmt.Sprint(i), Secret: []byte{byte(i)}, CreatedAt: noon}, true); err != nil {
			o.Error(err)
		}
	})
	keys, err := o.Keys(o.Context(), "cursor")
	if err != nil || len(keys) != 1 || keys[0].ID != fmt.Sprint(keys[0].Secret[0]) {
		o.Errorf("got %v (%v)", keys, err)
	}
	o.must(o.AddKey(o.Context(), "cursor", store.Key{ID: "next", Secret: []byte("s"), CreatedAt: noon.Add(time.Hour)}, false))
	if keys, err := o.Keys(o.Context(), "cursor"); err != nil || len(keys) != 2 || keys[0].ID != "next" {
		o.Errorf("after a second: %v (%v)", keys, err)
	}
}

func testAccountsEnded(o *accountsFixture) {
	ended, cancel := context.WithCancel(o.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Roster":        func() error { _, _, err := o.Roster(ended); return err },
		"RosterVersion": func() error { _, err := o.RosterVersion(ended); return err },
		"Records":       func() error { _, err := o.Entities(ended, account.KindTier, "", "", 1); return err },
		"Record":        func() error { _, err := o.Entity(ended, customer("a").Key()); return err },
		"Named":         func() error { _, err := o.Named(ended, "a"); return err },
		"Edit": func() error {
			return o.Edit(ended, me, func(context.Context, store.RegistryTx) error { return nil })
		},
		"Audit":      func() error { _, err := o.Audit(ended, store.AuditQuery{}, 0, 1); return err },
		"Note":       func() error { return o.Note(ended, me, customer("a").Key(), []byte(`{}`)) },
		"EnsureUser": func() error { _, err := o.EnsureUser(ended, person(1, "a"), false); return err },
		"AddUsage":   func() error { _, err := o.AddUsage(ended, "2026-11", map[string]int64{"a": 1}); return err },
		"Usage":      func() error { _, err := o.Usage(ended, "2026-11"); return err },
		"PutCode":    func() error { return o.PutCode(ended, code("c", "f")) },
		"RedeemCode": func() error {
			_, err := o.RedeemCode(ended, hashOf("code c"), noon, grant("1", ""), anyCode)
			return err
		},
		"PutGrant": func() error { return o.PutGrant(ended, grant("1", "f")) },
		"Grant":    func() error { _, err := o.Grant(ended, hashOf("1"), noon); return err },
		"RotateGrant": func() error {
			_, _, err := o.RotateGrant(ended, hashOf("1"), "client", grant("2", ""), noon, noon)
			return err
		},
		"DropGrants":   func() error { return o.DropGrants(ended, account.GrantFilter{Family: "f"}) },
		"PutSession":   func() error { return o.PutSession(ended, browser("b", "u")) },
		"Session":      func() error { _, err := o.Session(ended, hashOf("b"), noon); return err },
		"DropSessions": func() error { return o.DropSessions(ended, "b", "") },
		"Revoke":       func() error { return o.Revoke(ended, []string{"a"}, noon) },
		"Revoked":      func() error { _, err := o.Revoked(ended, noon); return err },
		"Sweep":        func() error { return o.Sweep(ended, noon) },
		"Keys":         func() error { _, err := o.Keys(ended, "signing"); return err },
		"AddKey":       func() error { return o.AddKey(ended, "signing", store.Key{ID: "k", Secret: []byte("s")}, false) },
		"DropKeys":     func() error { return o.DropKeys(ended, "signing", []string{"k"}) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			o.Errorf("%s: got %v", name, err)
		}
	}
}

func testAccountsReopen(o *accountsFixture) {
	o.must(o.put(customer("one"), secretClient("c", "one"), person(1, "one")))
	o.must(o.AddKey(o.Context(), "signing", store.Key{ID: "k", Secret: []byte("s"), CreatedAt: noon}, false))
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	o.must(o.PutCode(o.Context(), code("c", "family")))
	o.must(o.PutSession(o.Context(), browser("b", "user")))
	o.must(o.Revoke(o.Context(), []string{"mark"}, noon.Add(time.Hour)))
	before, version := o.everything(), o.version()
	o.must(o.Close())
	if _, err := o.RosterVersion(o.Context()); err == nil {
		o.Error("closed accounts can be read")
	}
	o.Accounts = o.openAnother()
	if diff := cmp.Diff(before, o.everything(), equalRecords); diff != "" || o.version() != version {
		o.Errorf("version %+v instead of %+v; records (-want +got):\n%s", o.version(), version, diff)
	}
	if keys, err := o.Keys(o.Context(), "signing"); err != nil || len(keys) != 1 {
		o.Errorf("%d keys (%v)", len(keys), err)
	}
	if marks, err := o.Revoked(o.Context(), noon); err != nil || len(marks) != 1 {
		o.Errorf("%d marks (%v)", len(marks), err)
	}
	if found, err := o.Session(o.Context(), hashOf("b"), noon); err != nil || found == nil {
		o.Errorf("the session is %v (%v)", found, err)
	}
	if _, err := o.redeem("c", "2"); err != nil {
		o.Error(err)
	}
	if _, err := o.rotate("1", "3", noon); err != nil {
		o.Error(err)
	}
}
