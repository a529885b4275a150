package rest_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// calls counts the calls to engines, by engine and method.
type calls struct {
	mutex sync.Mutex
	made  map[string]int
}

func (c *calls) add(method string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.made[method]++
}

// drain returns the calls since the last taken.
func (c *calls) drain() map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	made := c.made
	c.made = map[string]int{}
	return made
}

// countedCatalogue counts the calls to a catalogue's store, except for those of log followers.
type countedCatalogue struct {
	store.Catalogue
	calls *calls
}

func (c countedCatalogue) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	c.calls.add("catalogue.Videos")
	return c.Catalogue.Videos(ctx, ids)
}

func (c countedCatalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	c.calls.add("catalogue.States")
	return c.Catalogue.States(ctx, ids)
}

func (c countedCatalogue) Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error) {
	c.calls.add("catalogue.Transcripts")
	return c.Catalogue.Transcripts(ctx, ids)
}

func (c countedCatalogue) Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error) {
	c.calls.add("catalogue.Aliases")
	return c.Catalogue.Aliases(ctx, legacy)
}

func (c countedCatalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	c.calls.add("catalogue.Directory")
	return c.Catalogue.Directory(ctx, atLeast)
}

func (c countedCatalogue) OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error) {
	c.calls.add("catalogue.Records " + string(kind))
	return c.Catalogue.OwnedItems(ctx, kind, ids)
}

func (c countedCatalogue) OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error) {
	c.calls.add("catalogue.RecordsOf " + string(kind))
	return c.Catalogue.OwnedItemsOf(ctx, kind, owners)
}

func (c countedCatalogue) OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error) {
	c.calls.add("catalogue.RecordsSince " + string(kind))
	return c.Catalogue.OwnedItemsSince(ctx, kind, after, limit)
}

func (c countedCatalogue) CountOwnedItems(ctx context.Context, kind catalogue.Kind) (int, store.Position, error) {
	c.calls.add("catalogue.CountRecords " + string(kind))
	return c.Catalogue.CountOwnedItems(ctx, kind)
}

func (c countedCatalogue) Feed(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	c.calls.add("catalogue.Feed")
	return c.Catalogue.Feed(ctx, query)
}

func (c countedCatalogue) Removals(ctx context.Context, query store.RemovalQuery) (store.RemovalPage, error) {
	c.calls.add("catalogue.Removals")
	return c.Catalogue.Removals(ctx, query)
}

// countedIndex counts the calls to the video index.
type countedIndex struct {
	search.Index
	calls *calls
}

func (c countedIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	c.calls.add("index.Search")
	return c.Index.Search(ctx, query)
}

func (c countedIndex) Matches(
	ctx context.Context, text search.Text, steps []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	c.calls.add("index.Matches")
	return c.Index.Matches(ctx, text, steps, access, today, enough)
}

func (c countedIndex) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	c.calls.add("index.Finds")
	return c.Index.Finds(ctx, texts, access, today)
}

func (c countedIndex) Phrases(ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int) ([]search.Phrase, error) {
	c.calls.add("index.Phrases")
	return c.Index.Phrases(ctx, text, access, today, limit)
}

// countedCollections counts the calls to the store of collections, and countedFinder those to their index.
type countedCollections struct {
	keptCollections
	calls *calls
}

func (c countedCollections) Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error) {
	c.calls.add("collections.Collections")
	return c.keptCollections.Collections(ctx, ids)
}

// WithParts counts as Collections: one call returns the collections and their parts.
func (c countedCollections) WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error) {
	c.calls.add("collections.Collections")
	return c.keptCollections.WithParts(ctx, ids, most)
}

func (c countedCollections) UserCollections(ctx context.Context, user string) (store.UserCollections, error) {
	c.calls.add("collections.UserCollections")
	return c.keptCollections.UserCollections(ctx, user)
}

func (c countedCollections) Saved(ctx context.Context, user string, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	c.calls.add("collections.Saved")
	return c.keptCollections.Saved(ctx, user, ids)
}

type countedFinder struct {
	search.CollectionIndex
	calls *calls
}

func (c countedFinder) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	c.calls.add("collections' index.Find")
	return c.CollectionIndex.Find(ctx, query)
}

// sharedPhrases is a list of phrases that accounts share. Every typed text matches all of them.
type sharedPhrases []string

func (sharedPhrases) Searched(*account.Account, string, bool, int)   {}
func (sharedPhrases) Clicked(_ *account.Account, _ string, _ string) {}

func (s sharedPhrases) Shared() (shared []store.SharedSearch) {
	for _, phrase := range s {
		shared = append(shared, store.SharedSearch{Text: catalogue.FoldName(phrase), Spelling: phrase, Accounts: 3})
	}
	return shared
}

// emptyCache counts the calls to a cache that never has an entry.
type emptyCache struct {
	cache.Cache
	name  string
	calls *calls
}

func (c emptyCache) Get(context.Context, []cache.Ask, []cache.Entry) error {
	c.calls.add(c.name + ".Get")
	return nil
}

func (c emptyCache) Put(context.Context, []cache.Item) error {
	c.calls.add(c.name + ".Put")
	return nil
}

// listed maps each route that answers with a list to a request for many items. Every other GET route shows one item.
var listed = map[string]string{
	"/v1/videos/metadata":              "/v1/videos/metadata",
	"/v1/videos":                       "/v1/videos?query=water+boats&include_channel_facets=true",
	"/v1/videos/{id}/similar":          pathOf("floating") + "/similar",
	"/v1/feed/videos":                  "/v1/feed/videos",
	"/v1/feed/removed-videos":          "/v1/feed/removed-videos",
	"/v1/suggestions":                  "/v1/suggestions?query=s",
	"/v1/highlights":                   "/v1/highlights?query=water&threshold=0",
	"/v1/alignments/providers":         "/v1/alignments/providers",
	"/v1/alignments/themes":            "/v1/alignments/themes",
	"/v1/alignments/{provider}/themes": "/v1/alignments/openscience/themes",
	"/v1/curriculum/ngss/codes":        "/v1/curriculum/ngss/codes",
	"/v1/curriculum/ngss/grades":       "/v1/curriculum/ngss/grades",
	"/v1/video-types":                  "/v1/video-types",
	"/v1/subjects":                     "/v1/subjects?visibility=all",
	"/v1/disciplines":                  "/v1/disciplines?visibility=all",
	"/v1/channels":                     "/v1/channels?projection=details",
	"/v1/education-levels":             "/v1/education-levels",
	"/v1/tags":                         "/v1/tags",
	"/v1/content-warnings":             "/v1/content-warnings",
	"/v1/contract-legal-restrictions":  "/v1/contract-legal-restrictions",
	"/v1/content-categories":           "/v1/content-categories",
	"/v1/countries":                    "/v1/countries",
	"/v1/countries/{id}/states":        "/v1/countries/USA/states",
	"/v1/schools":                      "/v1/schools?countryCode=USA&state=CA&query=lincoln",
	"/v1/districts":                    "/v1/districts?countryCode=USA&state=CA&query=unified",
	"/v1/collections":                  "/v1/collections?ignore_discoverable=true&projection=details",
	"/v1/users/{id}/collections":       "/v1/users/" + learnerID + "/collections?projection=details",
}

// oneThing lists the GET routes that show one item.
var oneThing = []string{
	"/v1/videos/{id}", "/v1/", "/v1", "/v1/admin", "/v1/videos/{id}/transcript", "/v1/videos/{id}/captions",
	"/v1/videos/{videoId}/learning-outcomes", "/v1/videos/{videoId}/assessment-questions", "/v1/videos/{videoId}/cefr-level",
	"/v1/highlights/{highlightId}", "/v1/alignments/providers/{providerId}", "/v1/alignments/{provider}/themes/{id}", "/v1/subjects/{id}",
	"/v1/disciplines/{id}", "/v1/channels/{id}", "/v1/tags/{id}", "/v1/content-warnings/{id}", "/v1/users/_self", "/v1/users/{id}",
	"/v1/users/{id}/active", "/v1/countries/{id}", "/v1/collections/{id}",
}

// short lists the routes of which the world has at most one item. Their items come from the directory and from
// internal/places, which keep all of them in memory.
var short = []string{"/v1/contract-legal-restrictions", "/v1/schools", "/v1/districts"}

// TestListsAskEnginesOnce proves that a list with empty caches calls no engine method twice, and none of them once for
// each item.
func TestListsAskEnginesOnce(t *testing.T) {
	made := &calls{made: map[string]int{}}
	o := options{
		catalogue: func(c store.Catalogue) store.Catalogue { return countedCatalogue{c, made} },
		index:     func(i search.Index) search.Index { return countedIndex{i, made} },
		asked:     sharedPhrases{"stars", "the sea", "sun and moon", "storms", "seasons"},
		config: func(c *wiring) {
			c.Documents, c.Pages = emptyCache{c.Documents, "documents", made}, emptyCache{c.Pages, "pages", made}
		},
	}
	w := newWorld(t, o)
	w.collections = countedCollections{w.collections, made}
	w.collectionIndex = countedFinder{w.collectionIndex, made}
	w.handler = w.wire(t.Context(), o)
	w.token(t, operator)
	w.token(t, learner)
	w.ok(t, operator, "/v1/schools?countryCode=USA&state=CA&query=lincoln") // schools are read once for all requests
	unknown := maps.Clone(listed)
	for _, route := range rest.Routes() {
		if route.Method != http.MethodGet || slices.Contains(oneThing, route.Path) {
			continue
		}
		delete(unknown, route.Path)
		t.Run(route.Path, func(t *testing.T) {
			path := listed[route.Path]
			caller := operator
			if strings.Contains(path, learnerID) {
				caller = learner
			}
			if path == "" {
				t.Fatal("nobody says whether it is a list")
			}
			w.catalogue.InvalidateAll()
			made.drain()
			document := w.get(t, caller, path)
			counted := made.drain()
			if n := longestList(document.json(t)); document.StatusCode != http.StatusOK || n < 2 && !slices.Contains(short, route.Path) {
				t.Errorf("%s: %d, it lists %d things", path, document.StatusCode, n)
			}
			if asks := route.Path == "/v1/suggestions"; asks != (counted["index.Finds"] == 1) {
				t.Errorf("which of several texts are found is asked %d times", counted["index.Finds"])
			}
			if route.Path == "/v1/videos/{id}/similar" {
				counted["catalogue.Videos"]-- // the video itself is read before the list
			}
			for method, n := range counted {
				if n > 1 {
					t.Errorf("%s is called %d times", method, n)
				}
			}
		})
	}
	if len(unknown) > 0 {
		t.Errorf("there are no routes %v", slices.Sorted(maps.Keys(unknown)))
	}
}

// longestList returns the length of the longest list in a document.
func longestList(document map[string]any) (most int) {
	for _, member := range document {
		switch member := member.(type) {
		case []any:
			most = max(most, len(member))
		case map[string]any:
			most = max(most, longestList(member))
		}
	}
	return most
}
