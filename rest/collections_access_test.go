package rest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// limitToCollection gives the academy a content package that includes a collection and the video "minimal". The academy's users
// see nothing else.
func (w *world) limitToCollection(t testing.TB, name string) {
	t.Helper()
	check(authtest.Put(t.Context(), w.accounts, &account.ContentPackage{ID: seaside, Name: "Seaside", Rules: []catalogue.AccessRule{
		{Type: catalogue.IncludedCollections, Values: []string{string(collectionOf(name))}},
		{Type: catalogue.IncludedVideos, Values: videoIDs("minimal")},
	}}))
	check(w.auth.Refresh(t.Context()))
}

// stored returns the keys of the assets of a stored collection.
func (w *world) stored(t testing.TB, path string) (keys []string) {
	t.Helper()
	id := catalogue.ID(path[strings.LastIndexByte(path, '/')+1:])
	found, err := w.collections.Collections(t.Context(), []catalogue.ID{id})
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", path, found, err)
	}
	for _, asset := range found[0].Assets {
		keys = append(keys, string(asset.VideoID)+"/"+string(asset.HighlightID))
	}
	return keys
}

func (w *world) wantHidden(t testing.TB, as string, references ...string) {
	t.Helper()
	check(w.auth.Refresh(t.Context()))
	for _, reference := range references {
		if got := w.get(t, as, pathOf(reference)); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s sees %s: %d", as, reference, got.StatusCode)
		}
	}
}

const unknownID = "ffffffffffffffffffffffff"

// TestCollectionsRevealNoHiddenVideo proves that a caller adds only visible videos and highlights to a collection. Hidden ones
// are left out like unknown ones, unless the collection already contains them, so a package that includes the
// collection never shows more.
func TestCollectionsRevealNoHiddenVideo(t *testing.T) {
	w := newWorld(t, options{})
	path, paddles := pathOfCollection("elsewhere"), string(idOf("paddles"))
	_, err := w.collections.Change(t.Context(), collectionOf("elsewhere"), func(c *collection.Collection) error {
		c.Add(collection.Asset{VideoID: idOf("secretVideo")})
		return nil
	})
	check(err)
	w.limitToCollection(t, "elsewhere")
	w.wantHidden(t, guest, "battle", "secretVideo", "expired")

	named := fmt.Sprintf(`["%s","%s",%q,"1001","9999","%s","%s","%s"]`,
		idOf("boats"), idOf("battle"), unknownID, idOf("secretVideo"), idOf("minimal"), idOf("duplicate"))
	assets := fmt.Sprintf(`[{"videoId":%q},{"videoId":%q,"note":"n","segment":{"start":1,"end":2}},{"videoId":"9999"},`+
		`{"videoId":%[3]q,"highlightId":%[4]q},{"videoId":%[2]q,"highlightId":%[4]q},{"videoId":%[3]q,"highlightId":%[5]q},`+
		`{"videoId":%[6]q,"highlightId":%[4]q},{"videoId":"1001","highlightId":%[7]q}]`,
		idOf("battle"), idOf("onYouTube"), idOf("boats"), paddles, unknownID, idOf("secretVideo"), passage)
	key := func(reference string) string { return string(idOf(reference)) + "/" }
	pieces := []string{key("boats") + paddles, key("floating") + passage}
	for _, test := range []struct {
		name, method, path, body string
		want                     []string
	}{
		{"PATCH of videos", "PATCH", path, `{"videos":` + named + `}`, []string{key("boats"), key("floating"), key("secretVideo"), key("minimal")}},
		{"PATCH of assets", "PATCH", path, `{"assets":` + assets + `}`, pieces},
		{"POST of videos", "POST", "/v1/collections", `{"title":"T","videos":` + named + `}`, []string{key("boats"), key("floating"), key("minimal")}},
		{"POST of assets", "POST", "/v1/collections", `{"title":"T","assets":` + assets + `}`, pieces},
	} {
		t.Run(test.name, func(t *testing.T) {
			written := test.path
			if test.method == "POST" {
				written = w.create(t, guest, test.body)
			} else {
				w.wantNoContent(t, guest, test.method, test.path, test.body)
			}
			if got := w.stored(t, written); !slices.Equal(got, test.want) {
				t.Errorf("the collection has %v, want %v", got, test.want)
			}
			w.wantHidden(t, guest, "battle", "secretVideo", "expired", "onYouTube")
		})
	}

	t.Run("PUT", func(t *testing.T) {
		put := func(id string) string {
			got := w.sendJSON(t, guest, "PUT", path+"/videos/"+id, "")
			wantRejection(t, got, http.StatusNotFound)
			return strings.ReplaceAll(string(got.body), id, "ID")
		}
		if hidden, unknown := put(string(idOf("battle"))), put(unknownID); strings.Contains(hidden, string(idOf("battle"))) ||
			withoutTime(hidden) != withoutTime(unknown) {
			t.Errorf("a hidden video is refused with %s, an unknown one with %s", hidden, unknown)
		}
		wantRejection(t, w.sendJSON(t, guest, "PUT", path+"/videos/"+string(idOf("boats"))+"?highlight_id="+unknownID, ""), http.StatusNotFound)
		w.wantNoContent(t, guest, "PUT", path+"/videos/"+string(idOf("duplicate")), "")
		if got := w.stored(t, path); !slices.Contains(got, key("floating")) || slices.Contains(got, key("duplicate")) {
			t.Errorf("a replaced video is added as %v", got)
		}
	})

	t.Run("GraphQL", func(t *testing.T) {
		var answer struct{ UpdateCollection struct{ ID string } }
		codes := w.graph(t, guest, fmt.Sprintf(`mutation { updateCollection(id: %q, input: {videos: %s, assets: [{videoId: %q}]}) { id } }`,
			collectionOf("elsewhere"), named, idOf("battle")), &answer)
		if got, want := w.stored(t, path), []string{key("boats"), key("floating"), key("minimal")}; len(codes) > 0 || !slices.Equal(got, want) {
			t.Errorf("the collection has %v, want %v; codes %v", got, want, codes)
		}
		w.wantHidden(t, guest, "battle", "secretVideo")
	})
}

// withoutTime returns an error body up to its timestamp.
func withoutTime(body string) string {
	before, _, _ := strings.Cut(body, `"timestamp"`)
	return before
}

// TestCustomersWidenNoPackage proves that users of another account who may edit a collection that a package includes
// only add videos that the package shows anyway. The operator adds any video.
func TestCustomersWidenNoPackage(t *testing.T) {
	w := newWorld(t, options{})
	w.limitToCollection(t, "shared") // a collection of the school, whose account has no package
	w.wantHidden(t, guest, "battle", "boats")
	path := pathOfCollection("shared")
	for _, as := range []string{classmate, learner} { // the owner, and a user with permission to edit
		for _, ask := range [][3]string{
			{"PATCH", path, fmt.Sprintf(`{"videos":[%q,%q]}`, idOf("floating"), idOf("battle"))},
			{"PATCH", path, fmt.Sprintf(`{"assets":[{"videoId":%q,"highlightId":%q}]}`, idOf("boats"), idOf("paddles"))},
			{"PUT", path + "/videos/" + string(idOf("battle")), ""},
		} {
			wantRejection(t, w.sendJSON(t, as, ask[0], ask[1], ask[2]), http.StatusForbidden, "content package")
		}
		w.wantNoContent(t, as, "PATCH", path, fmt.Sprintf(`{"videos":[%q,%q]}`, idOf("minimal"), idOf("floating")))
	}
	w.wantHidden(t, guest, "battle", "boats")
	// Neither a sub-collection of the included collection nor a copy of it shows more videos.
	w.wantNoContent(t, classmate, "PATCH", path, fmt.Sprintf(`{"subCollections":[%q]}`, collectionOf("mine")))
	w.create(t, classmate, fmt.Sprintf(`{"title":"Machines that float","videos":[%q]}`, idOf("battle")))
	w.wantHidden(t, guest, "battle", "boats")

	w.wantNoContent(t, operator, "PATCH", path, fmt.Sprintf(`{"videos":[%q]}`, idOf("battle")))
	check(w.auth.Refresh(t.Context()))
	w.ok(t, guest, pathOf("battle"))
}
