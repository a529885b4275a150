package storetest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var auditTests = map[string]func(o *accountsFixture){
	"audit entries have both bodies":  testAudit,
	"the audit log is read in pages":  testAuditPages,
	"the audit log holds no secret":   testAuditSecrets,
	"notes are added once":            testNotes,
	"Logged includes deleted records": testLogged,
	"the audit log forgets a record":  testRedactAudit,
	"usage is summed":                 testUsage,
}

func (o *accountsFixture) auditEntries(query store.AuditQuery) []account.AuditEntry {
	o.Helper()
	entries, err := o.Audit(o.Context(), query, 0, 1000)
	o.must(err)
	return entries
}

func testAudit(o *accountsFixture) {
	made, changed := customer("one"), customer("one")
	changed.Name = "Changed"
	o.must(o.put(made))
	o.must(o.put(customer("one")))
	o.must(o.put(changed))
	o.must(o.drop(account.KindAccount, "one"))
	entries := o.auditEntries(store.AuditQuery{})
	bodies := [][2]account.Entity{{changed.Redacted(), nil}, {made.Redacted(), changed.Redacted()}, {nil, made.Redacted()}}
	if len(entries) != len(bodies) {
		o.Fatalf("there are %d entries", len(entries))
	}
	for i, entry := range entries {
		if entry.Actor != me || entry.Key != made.Key() || entry.Owner != "one" || entry.At.IsZero() {
			o.Errorf("%d: %+v", i, entry)
		}
		for j, body := range [][]byte{entry.Before, entry.After} {
			var want []byte
			if bodies[i][j] != nil {
				want, _ = json.Marshal(bodies[i][j])
			}
			if !bytes.Equal(body, want) || (body == nil) != (want == nil) {
				o.Errorf("%d: got %s, want %s", i, body, want)
			}
		}
	}
	if entries[1].At != changed.UpdatedAt {
		o.Errorf("the change is of %v, its entry of %v", changed.UpdatedAt, entries[1].At)
	}
}

func testRedactAudit(o *accountsFixture) {
	changed := person(1, "one")
	changed.GivenName = "Changed"
	o.must(o.put(customer("one")))
	o.must(o.put(person(1, "one"), person(2, "one")))
	o.must(o.put(changed))
	o.must(o.drop(account.KindUser, changed.ID))
	for _, want := range []int64{3, 0} {
		if got, err := o.RedactAudit(o.Context(), changed.Key()); err != nil || got != want {
			o.Errorf("%d entries are redacted, not %d: %v", got, want, err)
		}
	}
	if got, err := o.RedactAudit(o.Context(), account.EntityKey{Kind: account.KindAccount, ID: changed.ID}); err != nil || got != 0 {
		o.Errorf("%d entries of an unknown record are redacted: %v", got, err)
	}
	entries := o.auditEntries(store.AuditQuery{})
	if len(entries) != 5 {
		o.Fatalf("there are %d entries", len(entries))
	}
	for _, entry := range entries {
		if redacted := entry.Before == nil && entry.After == nil; redacted != (entry.Key == changed.Key()) || entry.Actor != me || entry.At.IsZero() {
			o.Errorf("%+v", entry)
		}
	}
}

func testAuditPages(o *accountsFixture) {
	o.must(o.put(customer("one"), customer("two")))
	o.must(o.put(secretClient("a", "one"), secretClient("b", "two"), person(1, "one")))
	o.must(o.drop(account.KindClient, "a"))
	o.must(o.put(secretClient("a", "one"), contentPackage("p", "p")))
	kind := func(kind account.Kind, id string) account.EntityKey { return account.EntityKey{Kind: kind, ID: id} }
	for _, step := range []struct {
		query store.AuditQuery
		want  []string
	}{
		{store.AuditQuery{}, []string{"p", "a", "a", person(1, "").ID, "b", "a", "two", "one"}},
		{store.AuditQuery{Owner: "one"}, []string{"a", "a", person(1, "").ID, "a", "one"}},
		{store.AuditQuery{Key: kind(account.KindClient, "")}, []string{"a", "a", "b", "a"}},
		{store.AuditQuery{Key: kind(account.KindClient, "b")}, []string{"b"}},
		{store.AuditQuery{Key: kind(account.KindClient, ""), Owner: "one"}, []string{"a", "a", "a"}},
		{store.AuditQuery{Key: kind(account.KindClient, "a"), Owner: "one"}, []string{"a", "a", "a"}},
		{store.AuditQuery{Key: kind(account.KindClient, "a"), Owner: "two"}, nil},
		{store.AuditQuery{Owner: "none"}, nil},
		{store.AuditQuery{Actor: me.User}, []string{"p", "a", "a", person(1, "").ID, "b", "a", "two", "one"}},
		{store.AuditQuery{Actor: me.Client, Above: 1 << 40}, nil},
		{store.AuditQuery{Actor: "none"}, nil},
	} {
		for _, size := range []int{1, 3, 100} {
			var got []string
			for below := int64(0); ; {
				page, err := o.Audit(o.Context(), step.query, below, size)
				o.must(err)
				if len(page) == 0 {
					break
				}
				for _, entry := range page {
					if below > 0 && entry.Number >= below {
						o.Errorf("%+v: %d comes after %d", step.query, entry.Number, below)
					}
					below = entry.Number
					got = append(got, entry.Key.ID)
				}
			}
			if !slices.Equal(got, step.want) {
				o.Errorf("%+v by %d: %v, want %v", step.query, size, got, step.want)
			}
		}
	}
}

// EditSecrets adds, changes and removes records with every kind of secret. It returns these secrets in the forms in
// which a body could contain them. The audit log must contain none of them.
func EditSecrets(ctx context.Context, registry store.Registry) (secrets [][]byte, err error) {
	client, renamed, other := secretClient("c", "one"), customer("one"), secretClient("c", "one")
	renamed.Name, other.Name = "Renamed", "Renamed"
	if err := putRecords(ctx, registry, customer("one"), client, person(1, "one")); err != nil {
		return nil, err
	}
	err = registry.Edit(ctx, me, func(ctx context.Context, tx store.RegistryTx) error {
		if err := errors.Join(tx.Put(ctx, renamed), tx.Put(ctx, other)); err != nil {
			return err
		}
		return errors.Join(tx.Delete(ctx, client.Key()), tx.Delete(ctx, person(1, "").Key()), tx.Delete(ctx, renamed.Key()))
	})
	sum := client.Secrets[0].Hash
	return [][]byte{
		[]byte(providerSecret), []byte("argon2id"), []byte("aGFzaC00NzEx"), sum,
		[]byte(base64.StdEncoding.EncodeToString(sum)), []byte(base64.RawURLEncoding.EncodeToString(sum)), []byte(hex.EncodeToString(sum)),
	}, err
}

// testAuditSecrets checks that no body in the audit log contains a checksum, a hash or a provider's secret.
func testAuditSecrets(o *accountsFixture) {
	secrets, err := EditSecrets(o.Context(), o.Accounts)
	o.must(err)
	entries := o.auditEntries(store.AuditQuery{})
	if len(entries) != 8 {
		o.Errorf("the audit log has %d entries", len(entries))
	}
	for _, entry := range entries {
		for _, secret := range secrets {
			if bytes.Contains(entry.Before, secret) || bytes.Contains(entry.After, secret) {
				o.Errorf("%v: %s, %s holds %q", entry.Key, entry.Before, entry.After, secret)
			}
		}
	}
}

// testLogged checks that an edit can determine whether a record ever existed, including records that the edit itself
// changed.
func testLogged(o *accountsFixture) {
	o.must(o.put(customer("here"), customer("gone")))
	o.must(o.drop(account.KindAccount, "gone"))
	err := o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		if err := tx.Put(ctx, customer("new")); err != nil {
			return err
		}
		for key, want := range map[account.EntityKey]bool{
			customer("here").Key(): true, customer("gone").Key(): true, customer("new").Key(): true,
			customer("never").Key(): false, {Kind: account.KindClient, ID: "gone"}: false, {}: false,
		} {
			if logged, err := tx.Logged(ctx, key); logged != want || err != nil {
				o.Errorf("%v: %t, %v", key, logged, err)
			}
		}
		return errPlanned
	})
	if !errors.Is(err, errPlanned) {
		o.Errorf("the edit: %v", err)
	}
	o.must(o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		logged, err := tx.Logged(ctx, customer("new").Key())
		if logged {
			o.Error("an edit that was not committed is logged")
		}
		return err
	}))
}

// testNotes checks that concurrent attempts to add the same note, in several processes, add it once.
func testNotes(o *accountsFixture) {
	o.must(o.put(customer("one"), customer("two")))
	others := []store.Accounts{o.Accounts, o.openAnother()}
	var failed atomic.Int32
	together(8, func(i int) {
		if err := others[i%2].Note(o.Context(), me, customer("one").Key(), []byte(`{"n":1}`)); err != nil {
			failed.Add(1)
			o.Error(err)
		}
	})
	o.must(o.Note(o.Context(), me, customer("one").Key(), []byte(`{"n":2}`)))
	o.must(o.Note(o.Context(), me, customer("two").Key(), []byte(`{"n":1}`)))
	o.wantError("of nothing", o.Note(o.Context(), me, customer("gone").Key(), []byte(`{}`)), fault.NotFound)
	for id, want := range map[string][]string{"one": {`{"n":2}`, `{"n":1}`}, "two": {`{"n":1}`}} {
		var got []string
		for _, entry := range o.auditEntries(store.AuditQuery{Key: customer(id).Key()}) {
			if entry.Before == nil && entry.Owner == id && entry.Actor == me && len(entry.After) < 10 {
				got = append(got, string(entry.After))
			}
		}
		if !slices.Equal(got, want) {
			o.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func testUsage(o *accountsFixture) {
	others := []store.Accounts{o.Accounts, o.openAnother()}
	together(8, func(i int) {
		counts := map[string]int64{"a": 1, "b": 10, fmt.Sprint("own ", i): 5}
		sums, err := others[i%2].AddUsage(o.Context(), "2026-11", counts)
		if err != nil || len(sums) != 3 || sums["a"] < 1 || sums["a"] > 8 || sums["b"] != 10*sums["a"] || sums[fmt.Sprint("own ", i)] != 5 {
			o.Errorf("got %v (%v)", sums, err)
		}
	})
	if sums, err := o.AddUsage(o.Context(), "2026-12", map[string]int64{"a": 7}); err != nil || len(sums) != 1 || sums["a"] != 7 {
		o.Errorf("got %v (%v)", sums, err)
	}
	if sums, err := o.AddUsage(o.Context(), "2026-11", nil); err != nil || len(sums) != 0 {
		o.Errorf("got %v (%v)", sums, err)
	}
	for month, want := range map[string][3]int64{"2026-11": {10, 8, 80}, "2026-12": {1, 7, 0}, "2027-01": {}} {
		counts, err := o.Usage(o.Context(), month)
		if got := [3]int64{int64(len(counts)), counts["a"], counts["b"]}; err != nil || got != want {
			o.Errorf("%s: got %v (%v), want %v", month, counts, err, want)
		}
	}
}
