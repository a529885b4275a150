package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var userTests = map[string]func(o *accountsFixture){
	"a user is made at first sight": testEnsureUser,
	"users who cannot be made":      testEnsureUserRefused,
	"users of the longest names":    testLongestNames,
}

var recordRaceTests = map[string]func(o *accountsFixture){
	"one user for callers at once":           testEnsureUserTogether,
	"one of two edits gets a name":           testNameTogether,
	"edits at once lose nothing":             testEditsTogether,
	"a link and the end of its target":       testLinkBesideDelete,
	"a roster is of the version that it has": testRosterBesideEdits,
}

func testEnsureUser(o *accountsFixture) {
	o.must(o.put(customer("one")))
	first := person(1, "one")
	made, err := o.EnsureUser(o.Context(), first, false)
	o.must(err)
	if diff := cmp.Diff(first, made, equalRecords); diff != "" || made.Version == 0 || made == first {
		o.Error("made (-want +got):\n", diff)
	}
	again := &account.User{ID: person(9, "").ID, AccountID: "one", ExternalID: "ext 1", GivenName: "Other", Email: "b@school.example"}
	for _, profile := range []bool{false, true, false} {
		want := made
		if profile {
			want = withProfile(*made, again)
		}
		found, err := o.EnsureUser(o.Context(), again, profile)
		o.must(err)
		if diff := cmp.Diff(want, found, equalRecords); diff != "" {
			o.Errorf("profile %t (-want +got):\n%s", profile, diff)
		}
		if diff := cmp.Diff(found, o.record(made.Key())); diff != "" {
			o.Errorf("profile %t, stored (-want +got):\n%s", profile, diff)
		}
		made = found
	}
	if entries := o.auditEntries(store.AuditQuery{Key: account.EntityKey{Kind: account.KindUser}}); len(entries) > 0 {
		o.Errorf("the audit log has entries: %v", entries)
	}
}

func withProfile(stored account.User, profile *account.User) *account.User {
	stored.Email, stored.EmailVerified = profile.Email, profile.EmailVerified
	stored.GivenName, stored.FamilyName = profile.GivenName, profile.FamilyName
	return &stored
}

func testEnsureUserRefused(o *accountsFixture) {
	o.must(o.put(customer("one"), person(1, "one")))
	before := o.everything()
	taken, faulty := person(2, "one"), person(3, "one")
	taken.Subject, faulty.ID = "sub 1", "odd"
	double := person(4, "one")
	double.ID = person(1, "").ID
	for name, step := range map[string]struct {
		user *account.User
		code fault.Code
	}{
		"another's name":   {taken, fault.Conflict},
		"another's ID":     {double, fault.Conflict},
		"no such account":  {person(5, "gone"), fault.NotFound},
		"faults":           {faulty, fault.Invalid},
		"nothing to go by": {&account.User{ID: person(6, "").ID, AccountID: "one"}, fault.Invalid},
	} {
		found, err := o.EnsureUser(o.Context(), step.user, true)
		o.wantError(name, err, step.code)
		if found != nil {
			o.Errorf("%s: got %v", name, found)
		}
	}
	if diff := cmp.Diff(before, o.everything()); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
}

// testLongestNames checks that a user can be found by the identity provider's name for the user, regardless of its
// length.
func testLongestNames(o *accountsFixture) {
	o.must(o.put(customer("one")))
	user := person(1, "one")
	user.Issuer = "https://id.example/" + strings.Repeat("ä", account.MaxURLLength-19)
	user.Subject = strings.Repeat("ü", 255)
	user.ExternalID, user.Username, user.PasswordHash = "", "", ""
	for range 2 {
		if found, err := o.EnsureUser(o.Context(), user, true); err != nil || found.ID != user.ID {
			o.Errorf("got %v (%v)", found, err)
		}
	}
	o.wantName(user.Names()[0], user.Key())
}

func testEnsureUserTogether(o *accountsFixture) {
	o.must(o.put(customer("one")))
	others := []store.Accounts{o.Accounts, o.openAnother()}
	version := o.version()
	for round := range 5 {
		var (
			mu  sync.Mutex
			ids = map[string]bool{}
		)
		together(12, func(i int) {
			user := &account.User{ID: fmt.Sprintf("%024x", round*100+i), AccountID: "one", ExternalID: fmt.Sprint("pupil ", round), GivenName: "Ada"}
			found, err := others[i%2].EnsureUser(o.Context(), user, i%3 == 0)
			if err != nil {
				o.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[found.ID] = true
		})
		if len(ids) != 1 {
			o.Errorf("the callers got %d users", len(ids))
		}
	}
	if users, err := o.Entities(o.Context(), account.KindUser, "one", "", 100); err != nil || len(users) != 5 {
		o.Errorf("there are %d users (%v)", len(users), err)
	}
	if o.version() != version {
		o.Error("the roster's version has grown")
	}
}

func testNameTogether(o *accountsFixture) {
	others := []store.Accounts{o.Accounts, o.openAnother()}
	for round := range 5 {
		var won, lost atomic.Int32
		together(6, func(i int) {
			switch err := putRecords(o.Context(), others[i%2], contentPackage(fmt.Sprint("p", round, ".", i), fmt.Sprint("Name ", round))); fault.CodeOf(err) {
			case "":
				won.Add(1)
			case fault.Conflict:
				lost.Add(1)
			default:
				o.Error(err)
			}
		})
		if won.Load() != 1 || lost.Load() != 5 {
			o.Errorf("%d got the name, %d were refused", won.Load(), lost.Load())
		}
	}
}

// testEditsTogether checks that edits that read and write one record are serialized, and that each has a version and an
// entry of its own.
func testEditsTogether(o *accountsFixture) {
	o.must(o.put(customer("one")))
	others := []store.Accounts{o.Accounts, o.openAnother()}
	const editors, edits = 6, 4
	together(editors, func(i int) {
		for range edits {
			err := others[i%2].Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
				record, err := tx.Entity(ctx, customer("one").Key())
				if err != nil {
					return err
				}
				record.(*account.Account).RequestsPerMonth++
				return tx.Put(ctx, record)
			})
			if err != nil {
				o.Error(err)
			}
		}
	})
	if got := o.record(customer("one").Key()).(*account.Account).RequestsPerMonth; got != customer("").RequestsPerMonth+editors*edits {
		o.Errorf("there were %d edits, it counts to %d", editors*edits, got)
	}
	if entries := o.auditEntries(store.AuditQuery{}); len(entries) != 1+editors*edits {
		o.Errorf("the audit log has %d entries", len(entries))
	}
}

// testLinkBesideDelete checks that an account is never deleted while a user of it is being created.
func testLinkBesideDelete(o *accountsFixture) {
	other := o.openAnother()
	for round := range 10 {
		id := fmt.Sprint("account", round)
		o.must(o.put(customer(id)))
		var made, deleted error
		together(2, func(i int) {
			if i == 0 {
				deleted = o.drop(account.KindAccount, id)
			} else {
				_, made = other.EnsureUser(o.Context(), person(round, id), false)
			}
		})
		if (made == nil) == (deleted == nil) {
			o.Errorf("the user: %v, the account's end: %v", made, deleted)
		}
	}
}

// testRosterBesideEdits checks that the content of a Roster is never older than its version.
func testRosterBesideEdits(o *accountsFixture) {
	o.must(o.put(customer("one")))
	other := o.openAnother()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for n := range 30 {
			changed := customer("one")
			changed.RequestsPerMonth = int64(100 + n)
			if err := putRecords(o.Context(), other, changed); err != nil {
				o.Error(err)
			}
		}
	}()
	met := map[int64]int64{}
	for over := false; !over; {
		select {
		case <-finished:
			over = true
		default:
		}
		records, version, err := o.Roster(o.Context())
		o.must(err)
		for _, record := range records {
			if one, ok := record.(*account.Account); ok {
				if before, ok := met[version.Records]; ok && before != one.RequestsPerMonth {
					o.Errorf("version %d is of %d and of %d", version.Records, before, one.RequestsPerMonth)
				}
				met[version.Records] = one.RequestsPerMonth
			}
		}
	}
}
