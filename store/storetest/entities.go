package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage/billing"
)

var recordTests = map[string]func(o *accountsFixture){
	"records of every kind round trip":   testRecords,
	"records are listed in pages":        testRecordPages,
	"the roster is one moment":           testRoster,
	"a roster has every kind for it":     testRosterKinds,
	"a record is versioned":              testRecordVersions,
	"names are found and given up":       testNames,
	"the built-in tiers are put in once": testSeeds,
	"an invalid limit lists nothing":     testLimits,
	"several records at once":            testSeveralRecords,
}

// put puts records in one edit.
func (o *accountsFixture) put(records ...account.Entity) error {
	return putRecords(o.Context(), o.Accounts, records...)
}

func putRecords(ctx context.Context, to store.Registry, records ...account.Entity) error {
	return to.Edit(ctx, me, func(ctx context.Context, tx store.RegistryTx) error {
		for _, record := range records {
			if err := tx.Put(ctx, record); err != nil {
				return err
			}
		}
		return nil
	})
}

// drop deletes a record in an edit of its own.
func (o *accountsFixture) drop(kind account.Kind, id string) error {
	return o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Delete(ctx, account.EntityKey{Kind: kind, ID: id})
	})
}

// record returns a record, or nil if it does not exist.
func (o *accountsFixture) record(key account.EntityKey) account.Entity {
	o.Helper()
	record, err := o.Entity(o.Context(), key)
	o.must(err)
	return record
}

// everything returns all records, including users, by kind and ID.
func (o *accountsFixture) everything() (all []account.Entity) {
	o.Helper()
	for _, kind := range account.Kinds() {
		records, err := o.Entities(o.Context(), kind, "", "", 1000)
		o.must(err)
		all = append(all, records...)
	}
	return all
}

func testRecords(o *accountsFixture) {
	limited := customer("limited")
	limited.ContentPackage = "p"
	roleless := secretClient("roleless", "one")
	roleless.Roles = []account.Permission{}
	logo := logoOf("limited")
	limited.Logo = logo.Info()
	paying := customer("paying")
	paying.PricePlan, paying.BillingAddress, paying.BillingEmail = "plan", "1 High Street\nRiverside", "bills@school.example"
	records := []account.Entity{
		&account.Policy{NotBefore: noon}, &account.Tier{ID: "own", Name: "Own", Roles: []account.Permission{account.ViewVideos}, Features: map[string]bool{"A": true, "B": false}},
		contentPackage("p", "Päckchen"), customer("one"), logo, limited, &account.Account{
			ID: "operator", Name: "Operator", Operator: true, Type: account.Demo, Status: account.Suspended, Environment: account.Sandbox,
		},
		secretClient("c", "one"), roleless, &account.Client{ID: "public", AccountID: "limited"},
		person(1, "one"), &account.StaffMember{ID: person(1, "one").ID, AccountID: "one", Role: account.Editor}, factorOf(person(1, "one")), &account.User{ID: fmt.Sprintf("%024x", 2), AccountID: "limited"},
		pricePlan("plan"), paying, invoiceOf("paying", 10), &account.InvoiceNumbers{Year: 2026, Last: 7},
		&account.RoyaltyTerms{ID: fmt.Sprintf("%024x", 3), Royalty: billing.Royalty{Basis: billing.Share, Percent: pricePlan("").MonthlyFee}},
	}
	o.must(o.put(records...))
	for _, want := range records {
		if diff := cmp.Diff(want, o.record(want.Key())); diff != "" {
			o.Errorf("%v (-want +got):\n%s", want.Key(), diff)
		}
		head := want.Head()
		if head.Version == 0 || head.CreatedAt.IsZero() || head.CreatedAt != head.UpdatedAt || head.CreatedAt.Location() != time.UTC {
			o.Errorf("%v has the head %+v", want.Key(), head)
		}
	}
	roster, _, err := o.Roster(o.Context())
	o.must(err)
	for _, one := range roster {
		if kind := one.Key().Kind; !kind.InRoster() {
			o.Errorf("the roster has the %s %s", kind, one.Key().ID)
		}
	}
	if err := o.drop(account.KindLogo, logo.ID); fault.CodeOf(err) != fault.Conflict {
		o.Errorf("dropping the logo of an account: %v", err)
	}
	if err := o.drop(account.KindPricePlan, "plan"); fault.CodeOf(err) != fault.Conflict {
		o.Errorf("dropping the price plan of an account: %v", err)
	}
	twice := invoiceOf("one", 10)
	twice.Number = "2026-0010"
	if err := o.put(twice); fault.CodeOf(err) != fault.Conflict {
		o.Errorf("a number that another invoice has: %v", err)
	}
	entries, err := o.Audit(o.Context(), store.AuditQuery{Key: logo.Key()}, 0, 10)
	if o.must(err); len(entries) != 1 || entries[0].Owner != "limited" || len(entries[0].After) > 500 {
		o.Errorf("the audit entries of a logo are %v", entries)
	}
	if got := o.record(account.EntityKey{Kind: account.KindClient, ID: "one"}); got != nil {
		o.Errorf("there is a client with the ID of an account: %v", got)
	}
	if got := o.record(account.EntityKey{Kind: "odd\x00", ID: "\xff"}); got != nil {
		o.Errorf("there is %v", got)
	}
	o.record(customer("one").Key()).(*account.Account).AllowedOrigins[0] = "spoilt"
	if diff := cmp.Diff(records[3], o.record(customer("one").Key())); diff != "" {
		o.Error("a returned record is shared (-want +got):\n", diff)
	}
}

func testRecordPages(o *accountsFixture) {
	o.must(o.put(customer("one"), customer("two")))
	var want []string
	for n := range 7 {
		owner := []string{"one", "two"}[n%2]
		o.must(o.put(person(n, owner)))
		want = append(want, person(n, owner).ID)
	}
	for owner, want := range map[string][]string{"": want, "one": {want[0], want[2], want[4], want[6]}, "two": {want[1], want[3], want[5]}, "none": nil} {
		for size := 1; size < 9; size++ {
			var got []string
			after := ""
			for {
				page, err := o.Entities(o.Context(), account.KindUser, owner, after, size)
				o.must(err)
				if len(page) > size {
					o.Errorf("a page of %d has %d", size, len(page))
				}
				for _, record := range page {
					got = append(got, record.Key().ID)
				}
				if len(page) == 0 {
					break
				}
				after = got[len(got)-1]
			}
			if !slices.Equal(got, want) {
				o.Errorf("of %q by %d: %v, want %v", owner, size, got, want)
			}
		}
	}
}

func testRoster(o *accountsFixture) {
	o.must(o.put(customer("one"), secretClient("c", "one"), contentPackage("p", "p"), &account.Policy{NotBefore: noon}, person(1, "one")))
	records, version, err := o.Roster(o.Context())
	o.must(err)
	if version != o.version() {
		o.Errorf("version %+v, want %+v", version, o.version())
	}
	var got []string
	for _, record := range records {
		got = append(got, string(record.Key().Kind)+" "+record.Key().ID)
		if diff := cmp.Diff(o.record(record.Key()), record); diff != "" {
			o.Errorf("%v (-want +got):\n%s", record.Key(), diff)
		}
	}
	slices.Sort(got)
	want := []string{"account one", "client c", "contentPackage p", "policy tokens", "tier basic", "tier plus", "tier premium"}
	if !slices.Equal(got, want) {
		o.Errorf("got %v, want %v", got, want)
	}
}

// testRosterKinds checks that the roster holds the kinds of Kind.InRoster, and that its version increases only with them.
func testRosterKinds(o *accountsFixture) {
	o.must(o.put(customer("one"), person(1, "one")))
	for _, record := range []account.Entity{
		&account.Policy{NotBefore: noon}, &account.Tier{ID: "own", Name: "Own"}, contentPackage("p", "p"), customer("two"), secretClient("c", "one"),
		&account.StaffMember{ID: person(1, "one").ID, AccountID: "one", Role: account.Editor}, &account.Deprecation{ID: "key", Sunset: 20000, SetOn: 19000},
		person(2, "one"), logoOf("one"), pricePlan("plan"), invoiceOf("one", 9), &account.InvoiceNumbers{Last: 1}, &account.RoyaltyTerms{ID: fmt.Sprintf("%024x", 3), Royalty: billing.Royalty{Basis: billing.Share}},
	} {
		before := o.version()
		o.must(o.put(record))
		roster, _, err := o.Roster(o.Context())
		o.must(err)
		key := record.Key()
		held := slices.ContainsFunc(roster, func(one account.Entity) bool { return one.Key() == key })
		if in := key.Kind.InRoster(); held != in || (o.version() != before) != in {
			o.Errorf("%s is in the roster: %t; the version changed: %t", key.Kind, held, o.version() != before)
		}
	}
}

func testRecordVersions(o *accountsFixture) {
	o.must(o.put(customer("one"), customer("two")))
	first := *o.record(customer("one").Key()).Head()
	o.must(o.put(customer("one")))
	same := customer("one")
	o.must(o.put(same))
	if *same.Head() != first || *o.record(same.Key()).Head() != first {
		o.Errorf("an equal record went from %+v to %+v", first, *same.Head())
	}
	changed := customer("one")
	changed.Name = "Changed"
	o.must(o.put(changed))
	second := *o.record(changed.Key()).Head()
	if second != *changed.Head() || second.Version <= o.record(customer("two").Key()).Head().Version ||
		second.CreatedAt != first.CreatedAt || second.UpdatedAt.Before(first.UpdatedAt) {
		o.Errorf("a change took the record from %+v to %+v, and set %+v", first, second, *changed.Head())
	}
	o.must(o.drop(account.KindAccount, "one"))
	again := customer("one")
	o.must(o.put(again))
	if again.Version <= second.Version+1 {
		o.Errorf("a record that was created again has version %d, after %d and a deletion", again.Version, second.Version)
	}
}

func testNames(o *accountsFixture) {
	o.must(o.put(customer("one"), customer("two"), contentPackage("p", "First"), person(1, "one"), person(2, "two")))
	name := func(name string) string { return account.NameOf("contentPackage", name) }
	for name, want := range map[string]account.EntityKey{
		name("first"): contentPackage("p", "").Key(), name("First"): {}, name("second"): {}, "": {}, "\x00\xff": {},
		account.ExternalUserName("one", "ext 1"):                        person(1, "").Key(),
		account.ExternalUserName("two", "ext 1"):                        {},
		account.LocalUserName("two", "uSER2"):                           person(2, "").Key(),
		account.FederatedUserName("one", "https://id.example", "sub 1"): person(1, "").Key(),
	} {
		o.wantName(name, want)
	}
	o.must(o.put(contentPackage("p", "Second")))
	o.wantName(name("first"), account.EntityKey{})
	o.wantName(name("second"), contentPackage("p", "").Key())
	o.must(o.put(contentPackage("q", "First")))
	o.wantName(name("first"), contentPackage("q", "").Key())
	o.must(o.drop(account.KindContentPackage, "q"))
	o.wantName(name("first"), account.EntityKey{})
	o.must(o.put(contentPackage("p", "First")))
}

// wantName checks that a name belongs to the record want, or to no record if want is zero.
func (o *accountsFixture) wantName(name string, want account.EntityKey) {
	o.Helper()
	record, err := o.Named(o.Context(), name)
	o.must(err)
	var got account.EntityKey
	if record != nil {
		got = record.Key()
	}
	if got != want {
		o.Errorf("%q is of %v, want %v", name, got, want)
	}
}

// testSeeds checks that processes that start together agree on the seeds, and that the operator's changes to the tiers
// persist.
func testSeeds(o *accountsFixture) {
	want := make([]account.Entity, 0, 3)
	for _, tier := range account.BuiltInTiers() {
		want = append(want, tier)
	}
	if diff := cmp.Diff(want, o.everything(), equalRecords); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
	changed := account.BuiltInTiers()[0]
	changed.Name = "Changed"
	o.must(o.put(changed))
	o.must(o.drop(account.KindTier, "premium"))
	left := o.everything()
	o.must(o.Close())
	together(4, func(int) { o.openAnother() })
	o.Accounts = o.openAnother()
	if diff := cmp.Diff(left, o.everything()); diff != "" {
		o.Error("after starts (-want +got):\n", diff)
	}
}

func testLimits(o *accountsFixture) {
	o.must(o.put(customer("one")))
	for _, limit := range []int{0, -1} {
		records, err := o.Entities(o.Context(), account.KindTier, "", "", limit)
		entries, errAudit := o.Audit(o.Context(), store.AuditQuery{}, 0, limit)
		if err != nil || errAudit != nil || len(records)+len(entries) > 0 {
			o.Errorf("%d: %d records (%v), %d entries (%v)", limit, len(records), err, len(entries), errAudit)
		}
	}
}

func testSeveralRecords(o *accountsFixture) {
	o.must(o.put(customer("one"), customer("two"), customer("three")))
	for n := range 6 {
		o.must(o.put(person(n, []string{"one", "two", "three"}[n%3])))
	}
	id := func(n int) string { return person(n, "").ID }
	idsOf := func(owners []string, after string, limit int) (ids []string) {
		page, err := o.EntitiesOf(o.Context(), account.KindUser, owners, after, limit)
		o.must(err)
		for _, one := range page {
			ids = append(ids, one.Key().ID)
		}
		return ids
	}
	odd := []string{"three", "one", "none", "\xff", "a\x00"}
	for _, c := range []struct{ got, want []string }{
		{idsOf(odd, "", 10), []string{id(0), id(2), id(3), id(5)}}, {idsOf(odd, id(2), 1), []string{id(3)}}, {idsOf(nil, "", 10), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			o.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	found, err := o.EntitiesByID(o.Context(), account.KindUser, []string{id(4), id(1), id(9), "\xff", id(1)})
	o.must(err)
	if diff := cmp.Diff(map[string]account.Entity{id(1): o.record(account.EntityKey{Kind: account.KindUser, ID: id(1)}), id(4): o.record(account.EntityKey{Kind: account.KindUser, ID: id(4)})}, found); diff != "" {
		o.Error("by ID (-want +got):\n", diff)
	}

	// A transaction sees its own changes of what it has read, and shares no record with the store.
	o.must(o.Edit(o.Context(), account.Actor{Client: "c"}, func(ctx context.Context, tx store.RegistryTx) error {
		read := func(n int) account.Entity {
			one, err := tx.Entity(ctx, account.EntityKey{Kind: account.KindUser, ID: id(n)})
			o.must(err)
			return one
		}
		seen, err := tx.EntitiesByID(ctx, account.KindUser, []string{id(1), id(2), id(9)})
		if o.must(err); len(seen) != 2 || seen[id(9)] != nil {
			o.Errorf("the transaction sees %v", seen)
		}
		seen[id(1)].(*account.User).GivenName = "spoilt"
		if read(1).(*account.User).GivenName == "spoilt" || read(9) != nil {
			o.Error("a transaction shares its records")
		}
		changed := read(1).(*account.User)
		changed.GivenName = "Changed"
		o.must(tx.Put(ctx, changed))
		o.must(tx.Put(ctx, person(9, "one")))
		o.must(tx.Delete(ctx, account.EntityKey{Kind: account.KindUser, ID: id(2)}))
		if read(1).(*account.User).GivenName != "Changed" || read(9) == nil || read(2) != nil {
			o.Error("a transaction does not see its changes")
		}
		seen, err = tx.EntitiesByID(ctx, account.KindUser, []string{id(1), id(2), id(9)})
		if o.must(err); len(seen) != 2 || seen[id(1)].(*account.User).GivenName != "Changed" || seen[id(9)] == nil {
			o.Errorf("the transaction then sees %v", seen)
		}
		return nil
	}))
}
