package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var recordTests = map[string]func(o *office){
	"records of every kind come back":     testRecords,
	"records are listed in pages":         testRecordPages,
	"the roster is one moment":            testRoster,
	"a record is versioned":               testRecordVersions,
	"records that are refused":            testRecordsRefused,
	"names are found and given up":        testNames,
	"what others need stays":              testDeleteLinked,
	"an edit that fails changes nothing":  testEditFails,
	"the built-in tiers are put in once":  testSeeds,
	"a limit that is wrong lists nothing": testLimits,
}

// me is who edits.
var me = account.Actor{Client: "operator", User: "someone"}

var equalRecords = cmpopts.IgnoreFields(account.Meta{}, "Version", "CreatedAt", "UpdatedAt")

func customer(id string) *account.Account {
	ends := catalogue.Date(20000)
	return &account.Account{
		ID: id, Name: "Customer " + id, Tier: "plus", Type: account.Standard, Status: account.Active,
		Products: []account.Product{"LTI"}, AccessExpiresOn: &ends, Subjects: []catalogue.ID{idOf(catalogue.KindSubject, 1)},
		AllowedOrigins: []string{"https://learn.example"}, OverridesUserIDs: true, Environment: account.Live, PasswordSignIn: true,
		IdentityProviders: []account.IdentityProvider{{
			Alias: "school", Name: "School", Issuer: "https://id.example", ClientID: "us", ClientSecret: providerSecret,
			Scopes: []string{"email"}, Domains: []string{"school.example"},
		}},
		RequestsPerMinute: 5, RequestsPerMonth: 6,
	}
}

// Secrets that no trail may hold.
const (
	providerSecret = "provider-secret-4711"
	passwordHash   = "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaC00NzEx"
)

func secretClient(id, owner string) *account.Client {
	sum, ends := sha256.Sum256([]byte("secret of "+id)), noon.Add(time.Hour)
	return &account.Client{
		ID: id, AccountID: owner, Name: "Client", RequireSecret: true, RequirePKCE: true, Roles: []account.Right{account.ViewVideos},
		Secrets:      []account.Secret{{ID: "s1", Hash: sum[:], CreatedAt: noon, ExpiresAt: &ends}},
		RedirectURIs: []string{"https://learn.example/back?a=<b>"}, PostLogoutRedirectURIs: []string{"https://learn.example/"}, Disabled: true,
	}
}

func person(n int, owner string) *account.User {
	return &account.User{
		ID: fmt.Sprintf("%024x", n), AccountID: owner, ExternalID: fmt.Sprint("ext ", n), Username: fmt.Sprint("User", n),
		PasswordHash: passwordHash, Issuer: "https://id.example", Subject: fmt.Sprint("sub ", n), Email: "a@school.example",
		EmailVerified: true, GivenName: "Ada", FamilyName: "Ä & <L>", Disabled: true,
	}
}

func slice(id, name string) *account.ContentPackage {
	return &account.ContentPackage{ID: id, Name: name, Rules: []catalogue.AccessRule{}}
}

// put puts records in one edit.
func (o *office) put(records ...account.Record) error {
	return putRecords(o.Context(), o.Accounts, records...)
}

func putRecords(ctx context.Context, to store.Registry, records ...account.Record) error {
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
func (o *office) drop(kind account.Kind, id string) error {
	return o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Delete(ctx, account.RecordKey{Kind: kind, ID: id})
	})
}

// record reads a record, nil where there is none.
func (o *office) record(key account.RecordKey) account.Record {
	o.Helper()
	record, err := o.Record(o.Context(), key)
	o.must(err)
	return record
}

// everything is all records, users included, by kind and ID.
func (o *office) everything() (all []account.Record) {
	o.Helper()
	for _, kind := range account.Kinds() {
		records, err := o.Records(o.Context(), kind, "", "", 1000)
		o.must(err)
		all = append(all, records...)
	}
	return all
}

func testRecords(o *office) {
	limited := customer("limited")
	limited.ContentPackage = "p"
	roleless := secretClient("roleless", "one")
	roleless.Roles = []account.Right{}
	records := []account.Record{
		&account.Policy{NotBefore: noon}, &account.Tier{ID: "own", Name: "Own", Roles: []account.Right{account.ViewVideos}, Features: map[string]bool{"A": true, "B": false}},
		slice("p", "Päckchen"), customer("one"), limited, &account.Account{
			ID: "operator", Name: "Operator", Operator: true, Type: account.Demo, Status: account.Suspended, Environment: account.Sandbox,
		},
		secretClient("c", "one"), roleless, &account.Client{ID: "public", AccountID: "limited"},
		person(1, "one"), &account.User{ID: fmt.Sprintf("%024x", 2), AccountID: "limited"},
	}
	o.must(o.put(records...))
	for _, want := range records {
		if diff := cmp.Diff(want, o.record(want.Key())); diff != "" {
			o.Errorf("%v (-want +got):\n%s", want.Key(), diff)
		}
		head := want.Head()
		if head.Version == 0 || head.CreatedAt.IsZero() || head.CreatedAt != head.UpdatedAt || head.CreatedAt.Location() != time.UTC {
			o.Errorf("%v was told %+v", want.Key(), head)
		}
	}
	if got := o.record(account.RecordKey{Kind: account.KindClient, ID: "one"}); got != nil {
		o.Errorf("there is a client with the ID of an account: %v", got)
	}
	if got := o.record(account.RecordKey{Kind: "odd\x00", ID: "\xff"}); got != nil {
		o.Errorf("there is %v", got)
	}
	o.record(customer("one").Key()).(*account.Account).AllowedOrigins[0] = "spoilt"
	if diff := cmp.Diff(records[3], o.record(customer("one").Key())); diff != "" {
		o.Error("what was handed out is shared (-want +got):\n", diff)
	}
}

func testRecordPages(o *office) {
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
				page, err := o.Records(o.Context(), account.KindUser, owner, after, size)
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

func testRoster(o *office) {
	o.must(o.put(customer("one"), secretClient("c", "one"), slice("p", "p"), &account.Policy{NotBefore: noon}, person(1, "one")))
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

func testRecordVersions(o *office) {
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
		o.Errorf("a change took it from %+v to %+v, and told %+v", first, second, *changed.Head())
	}
	o.must(o.drop(account.KindAccount, "one"))
	again := customer("one")
	o.must(o.put(again))
	if again.Version <= second.Version+1 {
		o.Errorf("made anew it has version %d after %d and a deletion", again.Version, second.Version)
	}
}

func testRecordsRefused(o *office) {
	o.must(o.put(customer("one"), slice("p", "Name"), person(1, "one")))
	before := o.everything()
	unlinked := customer("two")
	unlinked.Tier, unlinked.ContentPackage = "gone", "gone"
	faulty := customer("three")
	faulty.Name, faulty.Status = "", "ODD"
	double := person(2, "one")
	double.Username = "USER1"
	for name, step := range map[string]struct {
		record account.Record
		code   catalogue.Code
		faults int
	}{
		"links that lead nowhere":   {unlinked, catalogue.Invalid, 2},
		"faults":                    {faulty, catalogue.Invalid, 2},
		"a client without account":  {secretClient("c", "gone"), catalogue.Invalid, 1},
		"a package's name, folded":  {slice("q", "NAME"), catalogue.Conflict, 0},
		"a user's name of the same": {double, catalogue.Conflict, 0},
	} {
		err := o.put(customer("four"), step.record)
		o.fails(name, err, step.code)
		if got := reasonsOf(err); len(got) != step.faults {
			o.Errorf("%s: the reasons are %q", name, got)
		}
	}
	o.fails("deleting nothing", o.drop(account.KindTier, "gone"), catalogue.NotFound)
	if diff := cmp.Diff(before, o.everything()); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
	double.Username = "USER2"
	o.must(o.put(double))
}

func testNames(o *office) {
	o.must(o.put(customer("one"), customer("two"), slice("p", "First"), person(1, "one"), person(2, "two")))
	name := func(name string) string { return account.NameOf("contentPackage", name) }
	for name, want := range map[string]account.RecordKey{
		name("first"): slice("p", "").Key(), name("First"): {}, name("second"): {}, "": {}, "\x00\xff": {},
		account.ExternalUserName("one", "ext 1"):                        person(1, "").Key(),
		account.ExternalUserName("two", "ext 1"):                        {},
		account.LocalUserName("two", "uSER2"):                           person(2, "").Key(),
		account.FederatedUserName("one", "https://id.example", "sub 1"): person(1, "").Key(),
	} {
		o.named(name, want)
	}
	o.must(o.put(slice("p", "Second")))
	o.named(name("first"), account.RecordKey{})
	o.named(name("second"), slice("p", "").Key())
	o.must(o.put(slice("q", "First")))
	o.named(name("first"), slice("q", "").Key())
	o.must(o.drop(account.KindContentPackage, "q"))
	o.named(name("first"), account.RecordKey{})
	o.must(o.put(slice("p", "First")))
}

// named wants a name to be of a record; zero: of none.
func (o *office) named(name string, want account.RecordKey) {
	o.Helper()
	record, err := o.Named(o.Context(), name)
	o.must(err)
	var got account.RecordKey
	if record != nil {
		got = record.Key()
	}
	if got != want {
		o.Errorf("%q is of %v, want %v", name, got, want)
	}
}

func testDeleteLinked(o *office) {
	limited := customer("one")
	limited.ContentPackage = "p"
	o.must(o.put(slice("p", "p"), limited, secretClient("c", "one"), person(1, "one")))
	for _, key := range []account.RecordKey{{Kind: account.KindTier, ID: "plus"}, {Kind: account.KindContentPackage, ID: "p"}, {Kind: account.KindAccount, ID: "one"}} {
		o.fails(fmt.Sprint(key), o.drop(key.Kind, key.ID), catalogue.Conflict)
	}
	limited = customer("one")
	limited.Tier = "basic"
	o.must(o.put(limited))
	o.must(o.drop(account.KindContentPackage, "p"))
	o.must(o.drop(account.KindTier, "plus"))
	o.must(o.drop(account.KindClient, "c"))
	o.fails("an account with a user", o.drop(account.KindAccount, "one"), catalogue.Conflict)
	o.must(o.drop(account.KindUser, person(1, "").ID))
	o.must(o.drop(account.KindAccount, "one"))
	o.must(o.drop(account.KindTier, "basic"))
}

func testEditFails(o *office) {
	before, version := o.everything(), o.version()
	var left store.RegistryTx
	err := o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		left = tx
		o.must(tx.Put(ctx, customer("one")))
		if got, err := tx.Record(ctx, customer("one").Key()); err != nil || got == nil {
			o.Errorf("the transaction sees %v (%v)", got, err)
		}
		return errPlanned
	})
	if err != errPlanned {
		o.Errorf("got %v", err)
	}
	err = o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		o.must(tx.Put(ctx, customer("one")))
		if err := tx.Delete(ctx, customer("gone").Key()); err == nil {
			o.Error("what is not there was deleted")
		}
		return nil
	})
	o.fails("a fault that is passed over", err, catalogue.NotFound)
	if err := left.Put(o.Context(), customer("late")); err == nil {
		o.Error("a transaction that is over takes records")
	}
	trail, err := o.Trail(o.Context(), store.TrailQuery{}, 0, 10)
	if diff := cmp.Diff(before, o.everything()); diff != "" || err != nil || len(trail) > 0 || o.version() != version {
		o.Errorf("version %+v after %+v, %d entries (%v); records (-want +got):\n%s", o.version(), version, len(trail), err, diff)
	}
}

// testSeeds: processes that start together agree, and what the operator makes of the tiers stays.
func testSeeds(o *office) {
	want := make([]account.Record, 0, 3)
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
	together(4, func(int) { o.another() })
	o.Accounts = o.another()
	if diff := cmp.Diff(left, o.everything()); diff != "" {
		o.Error("after starts (-want +got):\n", diff)
	}
}

func testLimits(o *office) {
	o.must(o.put(customer("one")))
	for _, limit := range []int{0, -1} {
		records, err := o.Records(o.Context(), account.KindTier, "", "", limit)
		trail, errTrail := o.Trail(o.Context(), store.TrailQuery{}, 0, limit)
		if err != nil || errTrail != nil || len(records)+len(trail) > 0 {
			o.Errorf("%d: %d records (%v), %d entries (%v)", limit, len(records), err, len(trail), errTrail)
		}
	}
}

func reasonsOf(err error) []string {
	known, ok := err.(*catalogue.Error) //nolint:errorlint // Edit returns what fn returned
	if !ok {
		return nil
	}
	return known.Reasons
}
