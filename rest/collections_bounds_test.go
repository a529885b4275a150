package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// publish stores a collection of the operator with these videos and sub-collections. Searches find it if it has
// sub-collections.
func (w *world) publish(t testing.TB, name string, videos, parts []catalogue.ID) catalogue.ID {
	t.Helper()
	c := &collection.Collection{
		ID: collectionOf(name), Account: operator, Service: true, OwnerName: "Operator", Title: "Bulk " + name,
		Anyone: collection.ViewOnly, Discoverable: len(parts) > 0, SubCollections: parts,
	}
	for _, id := range videos {
		c.Assets = append(c.Assets, collection.Asset{VideoID: id})
	}
	must(w.collections.Create(t.Context(), c))
	return c.ID
}

// fullCollection returns as many video IDs as a collection may have. Only the first video exists.
func fullCollection(first string) []catalogue.ID {
	videos := []catalogue.ID{idOf(first)}
	for i := 1; i < collection.MaxAssets; i++ {
		videos = append(videos, catalogue.DeriveID("video", "test", fmt.Sprint("gone ", i)))
	}
	return videos
}

// withVideos counts the sub-collections in a document that show videos.
func withVideos(document map[string]any) (n int) {
	for _, part := range document["subCollections"].([]any) {
		if part := part.(map[string]any); len(part["videos"].([]any)) > 0 && len(part["assets"].([]any)) > 0 {
			n++
		}
	}
	return n
}

// TestLargestCollection proves that a collection of the maximum size is shown in full by its ID, that lists show it
// with as many sub-collections as the limit allows, and that saving it succeeds.
func TestLargestCollection(t *testing.T) {
	w := newWorld(t, options{})
	var parts []catalogue.ID
	for i := range collection.MaxParts {
		parts = append(parts, w.publish(t, fmt.Sprint("part ", i), fullCollection("boats"), nil))
	}
	w.publish(t, "largest", fullCollection("floating"), parts)
	for _, as := range []string{owner, learner} {
		whole := w.ok(t, as, pathOfCollection("largest"))
		if len(whole["videos"].([]any)) != 1 || withVideos(whole) != collection.MaxParts {
			t.Errorf("by id %s sees %d videos, %d sub-collections with videos", as, len(whole["videos"].([]any)), withVideos(whole))
		}
		w.ok(t, as, pathOfCollection("largest")+"?projection=details")
	}
	if got := w.sendJSON(t, learner, "PATCH", pathOfCollection("largest")+"?bookmarked=true", ""); got.StatusCode != 200 {
		t.Errorf("saving is answered with %d %s", got.StatusCode, got.body)
	}
	w.publish(t, "other", fullCollection("floating"), parts)
	for _, path := range []string{
		"/v1/collections", "/v1/collections?query=bulk&projection=details", "/v1/users/" + learnerID + "/collections?bookmarked=true",
	} {
		list := w.ok(t, learner, path)["_embedded"].(map[string]any)["collections"].([]any)
		shown, full := 0, 0
		for _, one := range list {
			one := one.(map[string]any)
			if strings.HasPrefix(one["title"].(string), "Bulk") {
				shown += len(one["subCollections"].([]any))
				full += withVideos(one)
			}
			if one["title"] != collection.DefaultTitle && len(one["videos"].([]any)) == 0 {
				t.Errorf("%s shows %s without its videos", path, one["title"])
			}
		}
		if shown < collection.MaxParts || full < collection.MaxParts-10 || full > collection.MaxParts {
			t.Errorf("%s shows %d sub-collections, %d of them with videos", path, shown, full)
		}
	}
	data, code := w.graphQL(t, learner, `query($id: String!) { hal: collection(id: $id) { videos { id } subCollections { title videos { id } assets { video { id } } } } }`,
		map[string]any{"id": collectionOf("largest")})
	if code != "" || len(data.(map[string]any)["videos"].([]any)) != 1 || len(data.(map[string]any)["subCollections"].([]any)) != collection.MaxParts {
		t.Errorf("over GraphQL it is %q %v", code, data)
	}
}

// TestManySubCollections proves that a page of ordinary size shows every sub-collection with its videos.
func TestManySubCollections(t *testing.T) {
	w := newWorld(t, options{})
	const units = 21
	for unit := range units {
		var parts []catalogue.ID
		for i := range collection.MaxParts {
			parts = append(parts, w.publish(t, fmt.Sprint(unit, " ", i), idsOf("boats"), nil))
		}
		w.publish(t, fmt.Sprint("unit ", unit), nil, parts)
	}
	list := w.ok(t, learner, "/v1/collections?query=unit&size=30")["_embedded"].(map[string]any)["collections"].([]any)
	if len(list) != units {
		t.Fatalf("%d collections are found", len(list))
	}
	for _, one := range list {
		if n := withVideos(one.(map[string]any)); n != collection.MaxParts {
			t.Errorf("%s shows %d sub-collections", one.(map[string]any)["title"], n)
		}
	}
}

// TestDetailsOfManyVideos proves that the details link works for the largest collection. An answer shows the first
// 5,000 videos in full and the others as in a list.
func TestDetailsOfManyVideos(t *testing.T) {
	w := newWorld(t, options{})
	const perPart, perAnswer = 950, 5_000
	var videos []catalogue.ID
	var items []catalogue.Item
	for i := range perPart {
		reference := fmt.Sprint("bulk ", i)
		videos, items = append(videos, idOf(reference)), append(items, videoOf(reference, "Bulk", "harbour"))
	}
	w.put(items...)
	var parts []catalogue.ID
	for i := range 6 {
		parts = append(parts, w.publish(t, fmt.Sprint("part ", i), videos, nil))
	}
	w.publish(t, "parent", idsOf("floating"), parts)
	for _, path := range []string{pathOfCollection("parent"), "/v1/collections?query=parent"} {
		page := w.ok(t, learner, path)
		if strings.Contains(path, "query") {
			path = strings.TrimPrefix(linkNames(page)["details"], base)
		} else {
			path += "?projection=details"
		}
		body := string(w.get(t, learner, path).body)
		whole, all := strings.Count(body, `"releasedOn":`), strings.Count(body, `"logInteraction":`)
		if whole != perAnswer || all != 2+6*2*perPart {
			t.Errorf("%s shows %d videos, %d of them whole", path, all, whole)
		}
	}
}

// TestDiscussionIsBounded proves that the comments of a collection are limited in number and in total text, over all
// its videos.
func TestDiscussionIsBounded(t *testing.T) {
	w := newWorld(t, options{})
	for _, discussed := range []struct {
		name           string
		comments, text int
		want           string
	}{
		{"many", 2_000, 1, "comments: has 2001 elements, at most 2000 are allowed"},
		{"long", (1 << 20) / 4_096, 4_096, "comments: have 1048577 bytes of text together, at most 1048576 are allowed"},
	} {
		made := &collection.Collection{
			ID: collectionOf(discussed.name), Account: school, Owner: learnerID, Title: "Much discussed", Anyone: collection.ViewOnly,
		}
		for _, id := range append(idsOf("floating", "boats"), fullCollection("minimal")[:4]...) {
			made.Assets = append(made.Assets, collection.Asset{VideoID: id})
		}
		for i := range discussed.comments - 1 {
			asset := &made.Assets[1+i%5]
			asset.Comments = append(asset.Comments, collection.Comment{
				ID: catalogue.DeriveID("comment", discussed.name, fmt.Sprint(i)), UserID: learnerID, Text: strings.Repeat("x", discussed.text), At: begin,
			})
		}
		must(w.collections.Create(t.Context(), made))
		say := func(length int) *answer {
			body := jsonOf(map[string]any{"comment": map[string]any{"videoId": idOf("floating"), "text": strings.Repeat("y", length)}})
			return w.sendJSON(t, learner, "POST", pathOfCollection(discussed.name)+"/comments", body)
		}
		if got := say(discussed.text); got.StatusCode != http.StatusOK {
			t.Errorf("%s: the last comment is answered with %d %.300s", discussed.name, got.StatusCode, got.body)
		}
		if got := say(1); got.StatusCode != http.StatusBadRequest || !strings.Contains(string(got.body), discussed.want) {
			t.Errorf("%s: one more is answered with %d %.300s, want %s", discussed.name, got.StatusCode, got.body, discussed.want)
		}
	}
}
