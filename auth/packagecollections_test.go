package auth_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

// The store of collections provides everything that the service needs.
var _ auth.Collections = store.Collections(nil)

// fakeCollections is a store of collections whose calls can be made to fail, and that counts the reads.
type fakeCollections struct {
	mu                 sync.Mutex
	head               int64
	packageCollections map[catalogue.ID][]catalogue.ID
	failure            error
	reads              int
}

func (s *fakeCollections) hold(id catalogue.ID, videos ...catalogue.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head++
	s.packageCollections = maps.Clone(s.packageCollections)
	if s.packageCollections == nil {
		s.packageCollections = map[catalogue.ID][]catalogue.ID{}
	}
	s.packageCollections[id] = videos
}

func (s *fakeCollections) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

func (s *fakeCollections) Head(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head, s.failure
}

func (s *fakeCollections) Collections(_ context.Context, ids []catalogue.ID) (found []*collection.Collection, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	for _, id := range ids {
		if videos, there := s.packageCollections[id]; there {
			c := &collection.Collection{ID: id}
			for _, video := range videos {
				c.Assets = append(c.Assets, collection.Asset{VideoID: video})
			}
			found = append(found, c)
		}
	}
	return found, s.failure
}

func hexID(n int) catalogue.ID { return catalogue.ID(fmt.Sprintf("%024x", n)) }

// startWithCollections returns a fixture whose customer library has a package that names two collections. The second
// collection does not exist.
func startWithCollections(t *testing.T, collections *fakeCollections) *fixture {
	t.Helper()
	stored := newAccounts(t)
	records := append(authtest.Customer("reader", secret, nil), &account.ContentPackage{ID: "shelf", Name: "Shelf", Rules: []catalogue.AccessRule{
		{Type: catalogue.IncludedCollections, Values: []string{string(hexID(1)), string(hexID(2))}},
	}})
	reader := authtest.Account("reader", "reader")
	reader.ContentPackage = "shelf"
	if err := authtest.Put(t.Context(), stored, append(records, reader)...); err != nil {
		t.Fatal(err)
	}
	return startWith(t, stored, &clock{now: begin}, func(c *auth.Config) { c.Collections = collections })
}

// opened returns the numbers, up to 9, of the videos that a token gives access to.
func (f *fixture) opened(t *testing.T, token string) (open []int) {
	t.Helper()
	if err := f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	caller, err := f.authenticate(token)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		if caller.Access.Rules.Passes(hexID(n), &catalogue.Traits{}) {
			open = append(open, n)
		}
	}
	return open
}

// TestCollectionsOfPackages checks that a caller has access to the current contents of the collections in its package,
// even with a token that it used before.
func TestCollectionsOfPackages(t *testing.T) {
	collections := &fakeCollections{}
	collections.hold(hexID(1), hexID(5), hexID(3))
	f := startWithCollections(t, collections)
	token := f.login(t, "reader").Access
	wants := func(when string, want ...int) {
		t.Helper()
		if got := f.opened(t, token); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: open are %v, want %v", when, got, want)
		}
	}
	wants("at first", 3, 5)
	collections.hold(hexID(1), hexID(5))
	wants("after one was taken out", 5)
	collections.hold(hexID(2), hexID(7))
	wants("after the other came to be", 5, 7)
	collections.hold(hexID(9), hexID(8))
	wants("after another changed", 5, 7)

	before := collections.reads
	wants("again", 5, 7)
	if collections.reads != before {
		t.Error("collections are read again though nothing has changed")
	}
}

// TestCollectionsAway checks that the last known contents of collections count while the store of collections fails,
// and that changes of accounts still take effect.
func TestCollectionsAway(t *testing.T) {
	collections := &fakeCollections{}
	collections.hold(hexID(1), hexID(5))
	f := startWithCollections(t, collections)
	token := f.login(t, "reader").Access
	if got := f.opened(t, token); fmt.Sprint(got) != "[5]" {
		t.Fatalf("open are %v", got)
	}
	collections.hold(hexID(1), hexID(6))
	collections.fail(errors.New("collections are away"))
	if err := authtest.Put(t.Context(), f.accounts, authtest.Customer("later", secret, nil)...); err != nil {
		t.Fatal(err)
	}
	if got := f.opened(t, token); fmt.Sprint(got) != "[5]" {
		t.Errorf("while they are away, open are %v, want what they held", got)
	}
	if f.Roster().Clients["later"] == nil {
		t.Error("accounts are not followed while collections are away")
	}
	if log := f.log.String(); strings.Count(log, "collections of content packages cannot be read") != 1 {
		t.Errorf("the log does not mention it once: %s", log)
	}
	collections.fail(nil)
	if got := f.opened(t, token); fmt.Sprint(got) != "[6]" {
		t.Errorf("back again, open are %v", got)
	}
}

// TestNoPackageNamesCollections checks that the service does not read collections if no package names one.
func TestNoPackageNamesCollections(t *testing.T) {
	collections := &fakeCollections{failure: errors.New("nobody may ask")}
	f := startWith(t, newAccounts(t), &clock{now: begin}, func(c *auth.Config) { c.Collections = collections })
	if err := f.Refresh(t.Context()); err != nil || strings.Contains(f.log.String(), "collections") {
		t.Errorf("got %v, log: %s", err, f.log.String())
	}
}
