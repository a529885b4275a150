package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// EmptyAccounts makes the home of new, empty accounts and returns what opens it. Accounts that were
// closed are opened again, and see then what was stored.
type EmptyAccounts func(t *testing.T) (open func() store.Accounts)

// Accounts runs the suite of store.Accounts.
func Accounts(t *testing.T, empty EmptyAccounts) {
	for name, test := range map[string]func(o *office){
		"clients":                           testClients,
		"the version grows with changes":    testVersion,
		"keys":                              testKeys,
		"the first key is agreed on":        testFirstKey,
		"a token rotates":                   testRotate,
		"who may not rotate":                testRotateRefused,
		"reuse revokes the family":          testReuse,
		"one of many rotations wins":        testRotateTogether,
		"reuse beside a rotation revokes":   testReuseBesideRotation,
		"expired tokens are dropped":        testDropGrants,
		"ended contexts, accounts":          testAccountsEnded,
		"stored accounts outlive a process": testAccountsReopen,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests wait for disks, not for processors
			o := &office{T: t, open: empty(t)}
			o.Accounts = o.open()
			t.Cleanup(func() { _ = o.Accounts.Close() })
			test(o)
		})
	}
}

// office is one empty store of accounts.
type office struct {
	*testing.T
	store.Accounts
	open func() store.Accounts
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) version() int64 {
	o.Helper()
	version, err := o.Version(o.Context())
	o.must(err)
	return version
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123456000, time.UTC)

func fullClient(id string) *account.LegacyClient {
	return &account.LegacyClient{
		ID: id, SecretHashes: [][32]byte{sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))},
		Rights: account.CustomerRights(), Access: catalogue.Access{PrivateChannels: true},
		Subjects: []catalogue.ID{idOf(catalogue.KindSubject, 1)}, Disabled: true, UpdatedAt: noon,
	}
}

func testClients(o *office) {
	plain := &account.LegacyClient{ID: "b", UpdatedAt: noon}
	o.must(o.PutClient(o.Context(), fullClient("c")))
	o.must(o.PutClient(o.Context(), plain))
	o.must(o.PutClient(o.Context(), fullClient("A")))
	read := func() []*account.LegacyClient {
		clients, err := o.Clients(o.Context())
		o.must(err)
		return clients
	}
	want := []*account.LegacyClient{fullClient("A"), plain, fullClient("c")}
	if diff := cmp.Diff(want, read(), cmpopts.EquateEmpty()); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
	spoilt := read()[0]
	spoilt.SecretHashes[0][0]++
	spoilt.Subjects[0] = "spoilt"
	plain.Rights, plain.Disabled = account.OperatorRights(), true
	o.must(o.PutClient(o.Context(), plain))
	if diff := cmp.Diff(want, read(), cmpopts.EquateEmpty()); diff != "" {
		o.Error("after a replacement (-want +got):\n", diff)
	}
}

func testVersion(o *office) {
	last := o.version()
	for name, change := range map[string]func() error{
		"a client":      func() error { return o.PutClient(o.Context(), fullClient("a")) },
		"another":       func() error { return o.PutClient(o.Context(), &account.LegacyClient{ID: "a", UpdatedAt: noon}) },
		"a key":         func() error { return o.AddKey(o.Context(), "signing", store.Key{ID: "k", Secret: []byte("s")}, false) },
		"another's key": func() error { return o.AddKey(o.Context(), "cursor", store.Key{ID: "k", Secret: []byte("s")}, true) },
	} {
		o.must(change())
		if now := o.version(); now <= last {
			o.Errorf("%s: the version went from %d to %d", name, last, now)
		}
		last = o.version()
	}
	o.must(o.PutGrant(o.Context(), grant("t", "f")))
	o.must(o.AddKey(o.Context(), "cursor", store.Key{ID: "l", Secret: []byte("s")}, true))
	if now := o.version(); now != last {
		o.Errorf("what is no change of clients or keys took the version from %d to %d", last, now)
	}
}

func testKeys(o *office) {
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
	if err := o.AddKey(o.Context(), "signing", key("b", noon), false); catalogue.CodeOf(err) != catalogue.Conflict {
		o.Errorf("a second key of one ID: %v", err)
	}
}

// testFirstKey: of processes that start together and each bring a first key, one prevails.
func testFirstKey(o *office) {
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

func hashOf(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// grant is what a token stands for, until an hour after noon.
func grant(token, family string) store.Grant {
	return store.Grant{
		Hash: hashOf(token), Family: family, ClientID: "client", User: "user", Scope: "profile email",
		Expires: noon.Add(time.Hour),
	}
}

func (o *office) rotate(old, next string, now time.Time) (store.Grant, error) {
	return o.RotateGrant(o.Context(), hashOf(old), "client", store.Grant{
		Hash: hashOf(next), Family: "mine", ClientID: "me", User: "me", Scope: "all", Expires: now.Add(time.Hour),
	}, now)
}

// refused wants a rotation to fail.
func (o *office) refused(old string, want error) {
	o.Helper()
	if got, err := o.rotate(old, "never-"+old, noon); !errors.Is(err, want) || got != (store.Grant{}) {
		o.Errorf("%s: got %v, %v, want %v", old, got, err, want)
	}
}

func testRotate(o *office) {
	first := grant("1", "family")
	o.must(o.PutGrant(o.Context(), first))
	got, err := o.rotate("1", "2", noon.Add(time.Minute))
	o.must(err)
	if diff := cmp.Diff(first, got); diff != "" {
		o.Error("the first (-want +got):\n", diff)
	}
	got, err = o.rotate("2", "3", noon.Add(2*time.Minute))
	o.must(err)
	want := first
	want.Hash, want.Expires = hashOf("2"), noon.Add(time.Hour+time.Minute)
	if diff := cmp.Diff(want, got); diff != "" {
		o.Error("its successor (-want +got):\n", diff)
	}
}

func testRotateRefused(o *office) {
	foreign, late := grant("foreign", "f1"), grant("late", "f2")
	foreign.ClientID, late.Expires = "another", noon
	o.must(o.PutGrant(o.Context(), foreign))
	o.must(o.PutGrant(o.Context(), late))
	for _, token := range []string{"unknown", "foreign", "late"} {
		o.refused(token, store.ErrGrantUnknown)
		o.refused("never-"+token, store.ErrGrantUnknown)
	}
	if _, err := o.rotate("late", "in time", noon.Add(-time.Microsecond)); err != nil {
		o.Errorf("a microsecond before its end: %v", err)
	}
	if _, err := o.RotateGrant(o.Context(), hashOf("foreign"), "another", grant("x", ""), noon); err != nil {
		o.Errorf("the other client's own: %v", err)
	}
}

func testReuse(o *office) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	o.must(o.PutGrant(o.Context(), grant("other", "another family")))
	for _, step := range [][2]string{{"1", "2"}, {"2", "3"}} {
		_, err := o.rotate(step[0], step[1], noon)
		o.must(err)
	}
	o.refused("1", store.ErrGrantReused)
	for _, token := range []string{"1", "2", "3"} {
		o.refused(token, store.ErrGrantUnknown)
	}
	if _, err := o.rotate("other", "other 2", noon); err != nil {
		o.Errorf("the other family: %v", err)
	}
}

// testRotateTogether: of rotations of one token at once, one succeeds, the next is its reuse, and
// what the first was given is worth nothing any more.
func testRotateTogether(o *office) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	var won, reused, unknown atomic.Int32
	together(6, func(i int) {
		switch _, err := o.rotate("1", fmt.Sprint("next ", i), noon); {
		case err == nil:
			won.Add(1)
		case errors.Is(err, store.ErrGrantReused):
			reused.Add(1)
		case errors.Is(err, store.ErrGrantUnknown):
			unknown.Add(1)
		default:
			o.Error(err)
		}
	})
	if won.Load() != 1 || reused.Load() != 1 || unknown.Load() != 4 {
		o.Errorf("%d won, %d were reuse, %d unknown", won.Load(), reused.Load(), unknown.Load())
	}
	for i := range 6 {
		o.refused(fmt.Sprint("next ", i), store.ErrGrantUnknown)
	}
}

// testReuseBesideRotation: reuse that is noticed while the family's newest token is being replaced revokes
// the replacement too.
func testReuseBesideRotation(o *office) {
	for round := range 10 {
		token := func(n int) string { return fmt.Sprint(round, ".", n) }
		o.must(o.PutGrant(o.Context(), grant(token(1), fmt.Sprint("family ", round))))
		_, err := o.rotate(token(1), token(2), noon)
		o.must(err)
		together(2, func(i int) {
			if i == 0 {
				o.refused(token(1), store.ErrGrantReused)
			} else if _, err := o.rotate(token(2), token(3), noon); err != nil && !errors.Is(err, store.ErrGrantUnknown) {
				o.Error(err)
			}
		})
		o.refused(token(2), store.ErrGrantUnknown)
		o.refused(token(3), store.ErrGrantUnknown)
	}
}

func testDropGrants(o *office) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	_, err := o.rotate("1", "2", noon.Add(time.Minute))
	o.must(err)
	o.must(o.DropGrants(o.Context(), noon.Add(time.Hour)))
	o.refused("1", store.ErrGrantReused) // it expires at that very instant, so it is still known
	o.must(o.PutGrant(o.Context(), grant("3", "family 2")))
	_, err = o.rotate("3", "4", noon.Add(time.Minute))
	o.must(err)
	o.must(o.DropGrants(o.Context(), noon.Add(time.Hour+time.Microsecond)))
	o.refused("3", store.ErrGrantUnknown)
	if _, err := o.rotate("4", "5", noon.Add(time.Hour)); err != nil {
		o.Errorf("its successor, which lives longer: %v", err)
	}
}

func testAccountsEnded(o *office) {
	ended, cancel := context.WithCancel(o.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Clients":     func() error { _, err := o.Clients(ended); return err },
		"PutClient":   func() error { return o.PutClient(ended, fullClient("a")) },
		"Version":     func() error { _, err := o.Version(ended); return err },
		"Keys":        func() error { _, err := o.Keys(ended, "signing"); return err },
		"AddKey":      func() error { return o.AddKey(ended, "signing", store.Key{ID: "k", Secret: []byte("s")}, false) },
		"PutGrant":    func() error { return o.PutGrant(ended, grant("1", "f")) },
		"RotateGrant": func() error { _, err := o.RotateGrant(ended, hashOf("1"), "client", grant("2", ""), noon); return err },
		"DropGrants":  func() error { return o.DropGrants(ended, noon) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			o.Errorf("%s: got %v", name, err)
		}
	}
}

func testAccountsReopen(o *office) {
	o.must(o.PutClient(o.Context(), fullClient("a")))
	o.must(o.AddKey(o.Context(), "signing", store.Key{ID: "k", Secret: []byte("s"), CreatedAt: noon}, false))
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	version := o.version()
	o.must(o.Close())
	if _, err := o.Version(o.Context()); err == nil {
		o.Error("closed accounts can be read")
	}
	o.Accounts = o.open()
	clients, err := o.Clients(o.Context())
	o.must(err)
	keys, err := o.Keys(o.Context(), "signing")
	o.must(err)
	if len(clients) != 1 || len(keys) != 1 || o.version() != version {
		o.Errorf("%d clients, %d keys, version %d instead of %d", len(clients), len(keys), o.version(), version)
	}
	if _, err := o.rotate("1", "2", noon); err != nil {
		o.Error(err)
	}
}
