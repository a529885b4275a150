package rest_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// pagesOf lists requests whose answers contain the document of floating().
var pagesOf = []string{"/v1/videos?query=float", "/v1/videos?include_channel_facets=true", "/v1/feed/videos", "/v1/feed/videos?size=1"}

// fieldIn returns a field of floating() from a page or from its own document, or "" if there is none.
func fieldIn(document map[string]any, field string) string {
	if document["id"] == string(idOf("floating")) {
		return document[field].(string)
	}
	embedded, _ := document["_embedded"].(map[string]any)
	videos, _ := embedded["videos"].([]any)
	for _, video := range videos {
		if found := fieldIn(video.(map[string]any), field); found != "" {
			return found
		}
	}
	return ""
}

// TestChangesShowAtOnce proves that a change is visible at once by ID and in the feed, and in searches as soon as the
// index follows.
func TestChangesShowAtOnce(t *testing.T) {
	w := newWorld(t, options{})
	for round := range 3 {
		title := "Title " + string(rune('A'+round)) + " that floats"
		changed := floating()
		changed.Title = title
		w.clock.set(begin.Add(time.Duration(round) * time.Second))
		w.put(changed)
		for _, path := range []string{pathOf("floating"), "/v1/feed/videos", "/v1/feed/videos?size=1"} {
			for _, as := range []string{customer, operator} {
				document := w.ok(t, as, path)
				if got := fieldIn(document, "title"); got != title {
					t.Errorf("%s as %s shows %q, not %q", path, as, got, title)
				}
				if got, want := fieldIn(document, "updatedAt"), w.clock.now().Format("2006-01-02T15:04:05.000000Z"); got != want {
					t.Errorf("%s was updated at %s, not %s", path, got, want)
				}
			}
		}
		w.awaitSearch(t)
		for _, path := range pagesOf {
			if got := fieldIn(w.ok(t, customer, path), "title"); got != title {
				t.Errorf("%s shows %q, not %q", path, got, title)
			}
		}
	}
}

// TestWhatVideosShowOfOthersFollows proves that a renamed channel has its new name in every document of its videos.
func TestWhatVideosShowOfOthersFollows(t *testing.T) {
	w := newWorld(t, options{})
	paths := append([]string{pathOf("floating")}, pagesOf...)
	for _, path := range paths {
		if got := fieldIn(w.ok(t, customer, path), "createdBy"); got != "Open Lab" {
			t.Fatalf("%s was made by %q", path, got)
		}
	}
	i := slices.IndexFunc(referenceData(), func(item catalogue.Item) bool { return item.Head().Reference == "lab" })
	lab := referenceData()[i].(*catalogue.Channel)
	lab.Name = "Renamed Lab"
	w.put(lab)
	for _, path := range paths {
		eventually(t, path+" shows the new name", func() bool {
			return fieldIn(w.ok(t, customer, path), "createdBy") == "Renamed Lab"
		})
	}
	if got := referencesOf(t, w.ok(t, customer, "/v1/videos?query=%22renamed%20lab%22")); len(got) != 0 {
		t.Errorf("a channel's name is no phrase of a text: %v", got)
	}
}

func eventually(t testing.TB, what string, happens func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !happens(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never happens that %s", what)
		}
	}
}

// TestDocumentsAreKept proves that a rendered document is never rendered again, for any caller.
func TestDocumentsAreKept(t *testing.T) {
	w := newWorld(t, options{})
	for _, as := range []string{operator, customer, viewer, stranger} {
		w.ok(t, as, pathOf("floating"))
	}
	if n := w.documents.put.Load(); n != 1 {
		t.Errorf("one video was rendered %d times", n)
	}
	w.ok(t, operator, "/v1/feed/videos")
	w.ok(t, operator, "/v1/videos")
	rendered := w.documents.put.Load()
	if want := int64(len(visible()) + 1); rendered != want {
		t.Errorf("%d videos were rendered, there are %d", rendered, want)
	}
	w.clock.set(begin.Add(2 * time.Hour))
	for _, as := range []string{customer, viewer} {
		w.ok(t, as, "/v1/feed/videos")
		w.ok(t, as, "/v1/videos")
		w.ok(t, as, "/v1/videos?query=water&sort_by=RELEASE_DATE")
	}
	if n := w.documents.put.Load(); n != rendered {
		t.Errorf("%d videos were rendered again for others, or an hour later", n-rendered)
	}
}

// TestDocumentsHoldNothingOfACaller proves that a caller gets the same answers from documents that another caller's
// requests rendered.
func TestDocumentsHoldNothingOfACaller(t *testing.T) {
	paths := append([]string{pathOf("floating"), pathOf("boats"), "/v1/videos?size=2"}, pagesOf...)
	callers := []string{customer, operator, viewer, teacher}
	alone := map[string][]byte{}
	for _, as := range callers {
		w := newWorld(t, options{})
		for _, path := range paths {
			alone[as+path] = w.get(t, as, path).body
		}
	}
	for _, first := range callers {
		w := newWorld(t, options{})
		for _, path := range paths {
			w.get(t, first, path)
		}
		for _, as := range callers {
			for _, path := range paths {
				if got := w.get(t, as, path); !bytes.Equal(got.body, alone[as+path]) {
					t.Errorf("after %s, %s reads %s differently:\n%s\n%s", first, as, path, got.body, alone[as+path])
				}
			}
		}
	}
}

// laggingCatalogue passes the result of Videos to hook while hook is set.
type laggingCatalogue struct {
	store.Catalogue
	hook *atomic.Pointer[func(videos []*catalogue.Video) error]
}

func (l laggingCatalogue) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	videos, err := l.Catalogue.Videos(ctx, ids)
	if hook := l.hook.Load(); hook != nil && err == nil {
		err = (*hook)(videos)
	}
	return videos, err
}

// newLaggingWorld returns a world and a function that sets the hook of its store; nil removes the hook.
func newLaggingWorld(t testing.TB) (*world, func(hook func(videos []*catalogue.Video) error)) {
	t.Helper()
	var current atomic.Pointer[func(videos []*catalogue.Video) error]
	w := newWorld(t, options{catalogue: func(c store.Catalogue) store.Catalogue { return laggingCatalogue{c, &current} }})
	return w, func(hook func(videos []*catalogue.Video) error) {
		if hook == nil {
			current.Store(nil)
			return
		}
		current.Store(&hook)
	}
}

// TestOldContentIsNeverKeptAsNew proves that an old version, which a lagging reader returns instead of the requested
// one, is shown but not cached as the new version.
func TestOldContentIsNeverKeptAsNew(t *testing.T) {
	for _, path := range []string{pathOf("floating"), "/v1/feed/videos"} {
		w, hook := newLaggingWorld(t)
		old := must(w.catalogue.Videos(t.Context(), []catalogue.ID{idOf("floating")}))[0]
		changed := floating()
		changed.Title = "New"
		w.put(changed)
		w.awaitSearch(t)
		hook(func(videos []*catalogue.Video) error {
			for _, video := range videos {
				if video.ID == old.ID {
					*video = *old
				}
			}
			return nil
		})
		if got := fieldIn(w.ok(t, customer, path), "title"); got != old.Title {
			t.Fatalf("%s: the reader does not lag: %s", path, got)
		}
		hook(nil)
		if got := fieldIn(w.ok(t, customer, path), "title"); got != "New" {
			t.Errorf("%s: the old version was kept as the new one: %s", path, got)
		}
	}
}

// TestOneBadVideoBreaksNoPage proves that a page leaves out a video that cannot be read and shows it again once it
// can.
func TestOneBadVideoBreaksNoPage(t *testing.T) {
	for _, path := range []string{"/v1/videos?sort_by=RELEASE_DATE", "/v1/feed/videos"} {
		w, hook := newLaggingWorld(t)
		hook(func(videos []*catalogue.Video) error {
			if slices.ContainsFunc(videos, func(v *catalogue.Video) bool { return v.ID == idOf("boats") }) {
				return errors.New("a torn row")
			}
			return nil
		})
		partial := w.get(t, customer, path)
		without := slices.DeleteFunc(visible(), func(r string) bool { return r == "boats" })
		got := referencesOf(t, partial.json(t))
		slices.Sort(got)
		if !slices.Equal(got, slices.Sorted(slices.Values(without))) {
			t.Errorf("%s: %v", path, got)
		}
		hook(nil)
		whole := w.send(t, apiRequest{as: customer, path: path, header: map[string]string{"If-None-Match": partial.Header.Get("Etag")}})
		if whole.StatusCode != 200 || !slices.Contains(referencesOf(t, whole.json(t)), "boats") {
			t.Errorf("%s: what was missing is still missing: %d %s", path, whole.StatusCode, whole.body)
		}
	}
}

// TestCacheOutageChangesNoAnswer proves that answers without a cache are the same as with one.
func TestCacheOutageChangesNoAnswer(t *testing.T) {
	w := newWorld(t, options{config: nil})
	w.documents.Cache, w.pages.Cache = awayCache{}, awayCache{}
	for _, path := range append([]string{pathOf("floating")}, pagesOf...) {
		got, want := w.get(t, customer, path), shared().get(t, customer, path)
		if !bytes.Equal(got.body, want.body) {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got.body, want.body)
		}
	}
}

type awayCache struct{}

var errAway = errors.New("the cache is away")

func (awayCache) Get(context.Context, []cache.Ask, []cache.Entry) error { return errAway }
func (awayCache) Put(context.Context, []cache.Item) error               { return errAway }
func (awayCache) Close() error                                          { return nil }
