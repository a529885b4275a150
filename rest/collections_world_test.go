package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// Two schools, whose clients have every customer permission except viewing any collection. The academy sees the videos
// of one channel only. The users learner and classmate belong to the school, guest to the academy, and owner to the
// operator.
const (
	school  = "school"
	academy = "academy"

	learner     = "learner"
	learnerID   = "4f4e4d4c4b4a494847464544"
	classmate   = "classmate"
	classmateID = "6f6e6d6c6b6a696867666564"
	guest       = "guest"
	guestID     = "8f8e8d8c8b8a898887868584"
	owner       = "owner"
	ownerID     = "7f7e7d7c7b7a797877767574"
)

// actors maps each user to the client that calls on the user's behalf.
var actors = map[string]string{pupil: customer, learner: school, classmate: school, guest: academy, owner: operator}

// collectionUsers returns the accounts and users that have collections.
func collectionUsers() []account.Entity {
	permissions := slices.DeleteFunc(account.TierPermissions(), func(permission account.Permission) bool { return permission == account.ViewAnyCollection })
	records := slices.Concat(authtest.Customer(school, secret, permissions), authtest.Customer(academy, secret, permissions))
	records[4].(*account.Account).ContentPackage = seaside
	return append(records,
		&account.User{ID: learnerID, AccountID: school, ExternalID: learner, GivenName: "Ada", FamilyName: "Lovelace", Email: "ada@school.example"},
		&account.User{ID: classmateID, AccountID: school, ExternalID: classmate, GivenName: "Grace", FamilyName: "Hopper", Email: "grace@school.example"},
		&account.User{ID: guestID, AccountID: academy, ExternalID: guest, GivenName: "Gus", FamilyName: "Guest", Email: "gus@academy.example"},
		&account.User{ID: ownerID, AccountID: operator, ExternalID: owner, GivenName: "Edith", FamilyName: "Editor"},
	)
}

// openCollections opens the collections of a world, and stores those of seedCollections.
func (w *world) openCollections(ctx context.Context, directory string) {
	kept := must(sqlite.OpenCollections(ctx, filepath.Join(directory, "collections.db"), sqlite.WithClock(w.clock.now)))
	w.closers = append(w.closers, kept.Close)
	w.collectionIndex = embedded.OpenCollections(analyzer)
	w.closers = append(w.closers, w.collectionIndex.Close)
	w.collections = &indexedCollections{keptCollections: kept, index: w.collectionIndex}
	for _, seed := range seedCollections() {
		must(w.collections.Create(ctx, seed))
	}
	check(w.collections.Save(ctx, learnerID, collectionOf("tides"), true))
	check(w.collections.Save(ctx, learnerID, collectionOf("shared"), true))
	check(w.collections.Save(ctx, classmateID, collectionOf("mine"), true))
}

// indexedCollections updates the index with each write. In production a follower does this a little later.
type indexedCollections struct {
	keptCollections
	index search.CollectionIndex
	// meanwhile, unless nil, runs once before the next write of a user.
	meanwhile func()
}

func (c *indexedCollections) beforeWrite() {
	if do := c.meanwhile; do != nil {
		c.meanwhile = nil
		do()
	}
}

// keptCollections is store.Collections under a name that none of its methods has.
type keptCollections interface{ store.Collections }

func (c *indexedCollections) Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error) {
	c.beforeWrite()
	stored, err := c.keptCollections.Create(ctx, created)
	return stored, c.put(ctx, stored, err)
}

func (c *indexedCollections) Change(ctx context.Context, id catalogue.ID, fn func(*collection.Collection) error) (*collection.Collection, error) {
	c.beforeWrite()
	stored, err := c.keptCollections.Change(ctx, id, fn)
	return stored, c.put(ctx, stored, err)
}

func (c *indexedCollections) Save(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	c.beforeWrite()
	return c.keptCollections.Save(ctx, user, id, saved)
}

func (c *indexedCollections) put(ctx context.Context, stored *collection.Collection, err error) error {
	if err != nil {
		return err
	}
	return c.apply(ctx, search.CollectionBatch{Put: []search.CollectionDocument{search.DocumentOf(stored)}})
}

func (c *indexedCollections) apply(ctx context.Context, batch search.CollectionBatch) (err error) {
	if batch.Position, err = c.Head(ctx); err != nil {
		return err
	}
	return c.index.Apply(ctx, batch)
}

func (c *indexedCollections) Delete(ctx context.Context, id catalogue.ID, check func(*collection.Collection) error) error {
	if err := c.keptCollections.Delete(ctx, id, check); err != nil {
		return err
	}
	return c.apply(ctx, search.CollectionBatch{Delete: []catalogue.ID{id}})
}

// collectionOf returns the ID of a seed collection.
func collectionOf(name string) catalogue.ID { return catalogue.DeriveID("collection", "test", name) }

func pathOfCollection(name string) string { return "/v1/collections/" + string(collectionOf(name)) }

// seedCollections returns the collections of every world: a discoverable and a hidden one of the operator, those of two
// users of one account, and one of a user of another account.
func seedCollections() []*collection.Collection {
	seed := func(name, account, owner, ownerName, title string, change func(*collection.Collection)) *collection.Collection {
		c := &collection.Collection{
			ID: collectionOf(name), Account: account, Owner: owner, OwnerName: ownerName, Title: title,
			Anyone: collection.ViewOnly, Service: account == operator,
		}
		change(c)
		return c
	}
	videos := func(c *collection.Collection, references ...string) {
		for _, id := range idsOf(references...) {
			c.Add(collection.Asset{VideoID: id})
		}
	}
	return []*collection.Collection{
		seed("tides", operator, "", "Operator", "Tides & currents", func(c *collection.Collection) {
			videos(c, "floating", "secretVideo", "boats", "expired")
			c.Description, c.Discoverable, c.Promoted = "How the sea moves \"videos\":[", true, true
			c.PromotedFor = []account.Product{"CLASSROOM"}
			c.SubjectIDs, c.AgeRange = idsOf("physics"), catalogue.AgeRange{Min: new(7), Max: new(11)}
			c.Attachments = []catalogue.Attachment{{ID: "plan", Type: "LESSON_PLAN", Link: "https://files.example/plan.pdf?a=1&b=2"}}
			c.SubCollections = []catalogue.ID{collectionOf("draft"), collectionOf("mine")}
			c.Assets[0].Comments = []collection.Comment{
				{ID: collectionOf("comment"), UserID: guestID, Name: "Gus", Email: "gus@academy.example", Text: "Too long for us", At: begin},
			}
		}),
		seed("draft", operator, ownerID, "Operator", "Volcanoes, a draft", func(c *collection.Collection) { videos(c, "battle", "floating") }),
		seed("mine", school, learnerID, "Ada Lovelace", "My project", func(c *collection.Collection) {
			videos(c, "boats", "floating")
			c.Assets[0].Note, c.Assets[0].Segment = "From the harbour on", &collection.Segment{Start: 1500, End: 30_000}
			c.Assets[0].Comments = []collection.Comment{
				{ID: collectionOf("remark"), UserID: classmateID, Name: "Grace", Email: "grace@school.example", Text: "Nice boats", At: begin},
			}
		}),
		seed("shared", school, classmateID, "Grace Hopper", "Machines that float", func(c *collection.Collection) {
			videos(c, "floating")
			c.Discoverable, c.Anyone = true, collection.Edit
		}),
		seed("hers", school, classmateID, "Grace Hopper", "What nobody needs to see", func(*collection.Collection) {}),
		seed("elsewhere", academy, guestID, "Gus Guest", "Tides of another school", func(c *collection.Collection) {
			videos(c, "boats", "floating")
			c.Discoverable = true
		}),
	}
}

// Requests on collections.

var (
	jsonType = map[string]string{"Content-Type": "application/json"}
	formType = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
)

// sendJSON sends a JSON body.
func (w *world) sendJSON(t testing.TB, as, method, path, body string) *answer {
	t.Helper()
	return w.send(t, apiRequest{as: as, method: method, path: path, body: body, header: jsonType})
}

// wantNoContent expects 204.
func (w *world) wantNoContent(t testing.TB, as, method, path, body string) {
	t.Helper()
	got := w.send(t, apiRequest{as: as, method: method, path: path, body: body, header: map[string]string{"Content-Type": contentTypeOf(body)}})
	if got.StatusCode != http.StatusNoContent || len(got.body) != 0 {
		t.Fatalf("%s %s as %s: got %d %s", method, path, as, got.StatusCode, got.body)
	}
}

// contentTypeOf returns the content type that clients send: that of a form if there is no body.
func contentTypeOf(body string) string {
	if body == "" {
		return formType["Content-Type"]
	}
	return jsonType["Content-Type"]
}

// create creates a collection and returns its path.
func (w *world) create(t testing.TB, as, body string) string {
	t.Helper()
	got := w.sendJSON(t, as, "POST", "/v1/collections", body)
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("%s: got %d %s", body, got.StatusCode, got.body)
	}
	location := got.Header.Get("Location")
	if id := got.json(t)["id"]; location != base+"/v1/collections/"+id.(string) {
		t.Errorf("%v lies at %s", id, location)
	}
	return strings.TrimPrefix(location, base)
}

// linkNames returns the addresses of a document's links by relation.
func linkNames(document map[string]any) map[string]string {
	links := map[string]string{}
	for rel, link := range document["_links"].(map[string]any) {
		links[rel] = link.(map[string]any)["href"].(string)
	}
	return links
}

// idsIn returns the IDs of a list of resources, in their order.
func idsIn(t testing.TB, list any) (ids []string) {
	t.Helper()
	for _, element := range list.([]any) {
		ids = append(ids, element.(map[string]any)["id"].(string))
	}
	return ids
}

// listed returns the IDs of the collections of a list.
func (w *world) listed(t testing.TB, as, path string) []string {
	t.Helper()
	return idsIn(t, w.ok(t, as, path)["_embedded"].(map[string]any)["collections"])
}

func videoIDs(references ...string) (ids []string) {
	for _, id := range idsOf(references...) {
		ids = append(ids, string(id))
	}
	return ids
}

func collectionIDs(names ...string) (ids []string) {
	for _, name := range names {
		ids = append(ids, string(collectionOf(name)))
	}
	return ids
}

// jsonOf returns a value as JSON.
func jsonOf(value any) string { return string(must(json.Marshal(value))) }

// advance advances the world's clock.
func (w *world) advance(by time.Duration) { w.clock.set(w.clock.now().Add(by)) }
