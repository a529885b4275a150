package rest_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// collectionFields are the fields that a GraphQL query selects of a collection.
const collectionFields = `id owner ownerName title description updatedAt discoverable promoted promotedFor mine createdBy
	videos { id title } assets { id { videoId highlightId } video { id } segment { start end } note comments { id userId name email text createdAt } }
	subjects { id name } ageRange { min max label } attachments { id type description links } subCollections { id title videos { id } }
	permissions { anyone } links`

// TestBothAPIsShowTheSameCollections proves that HAL and GraphQL show each caller the same collection, the same search
// page and the same collections of a user.
func TestBothAPIsShowTheSameCollections(t *testing.T) {
	w := newWorld(t, options{})
	for _, as := range []string{learner, school, operator, guest} {
		for _, name := range []string{"tides", "mine", "shared", "elsewhere"} {
			data, _ := w.graphQL(t, as, `query($id: String!) { hal: collection(id: $id) { `+collectionFields+` } }`, map[string]any{"id": collectionOf(name)})
			got := w.get(t, as, pathOfCollection(name)+"?projection=details")
			if (data == nil) != (got.StatusCode == 404) {
				t.Errorf("%s as %s: HAL answers %d, GraphQL %v", name, as, got.StatusCode, data)
			}
			if data != nil {
				sameCollection(t, name+" as "+as, got.json(t), data.(map[string]any))
			}
		}
		data, _ := w.graphQL(t, as, `{ hal: collections(filter: { discoverable: true }, sortBy: [TITLE]) { total collections { `+collectionFields+` } } }`, nil)
		hal := w.ok(t, as, "/v1/collections?projection=details&sort_by=TITLE")
		list, page := hal["_embedded"].(map[string]any)["collections"].([]any), data.(map[string]any)
		if page["total"] != hal["page"].(map[string]any)["totalElements"] || len(page["collections"].([]any)) != len(list) {
			t.Fatalf("as %s: GraphQL finds %v, HAL %d", as, page["total"], len(list))
		}
		for i, one := range page["collections"].([]any) {
			sameCollection(t, "search as "+as, list[i].(map[string]any), one.(map[string]any))
		}
	}
	data, _ := w.graphQL(t, learner, `query($user: String!) { hal: userCollections(user: $user, sortBy: [IS_DEFAULT, TITLE]) { total collections { `+collectionFields+` } } }`,
		map[string]any{"user": learnerID})
	list := w.ok(t, learner, "/v1/users/"+learnerID+"/collections?projection=details&sort_by=IS_DEFAULT,TITLE")["_embedded"].(map[string]any)["collections"].([]any)
	if len(list) != 4 || data.(map[string]any)["total"] != 4.0 {
		t.Fatalf("GraphQL lists %v, HAL %d", data.(map[string]any)["total"], len(list))
	}
	for i, one := range data.(map[string]any)["collections"].([]any) {
		sameCollection(t, "own", list[i].(map[string]any), one.(map[string]any))
	}
	if _, code := w.graphQL(t, classmate, `query($user: String!) { hal: userCollections(user: $user) { total } }`, map[string]any{"user": learnerID}); code != "FORBIDDEN" {
		t.Errorf("another's are answered with %q", code)
	}
}

// sameCollection compares the HAL and the GraphQL representation of a collection.
func sameCollection(t *testing.T, where string, hal, graphQL map[string]any) {
	t.Helper()
	for _, field := range []string{
		"id", "owner", "ownerName", "title", "description", "updatedAt", "discoverable", "promoted", "promotedFor", "mine", "createdBy", "ageRange", "permissions",
	} {
		if jsonOf(hal[field]) != jsonOf(graphQL[field]) {
			t.Errorf("%s: %s is %s in HAL, %s in GraphQL", where, field, jsonOf(hal[field]), jsonOf(graphQL[field]))
		}
	}
	for _, field := range []string{"videos", "subjects", "attachments", "subCollections"} {
		if got, want := idsIn(t, graphQL[field]), idsIn(t, hal[field]); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %s are %v in HAL, %v in GraphQL", where, field, want, got)
		}
	}
	for i, asset := range graphQL["assets"].([]any) {
		asset, other := asset.(map[string]any), hal["assets"].([]any)[i].(map[string]any)
		for _, field := range []string{"id", "segment", "note", "comments"} {
			if jsonOf(asset[field]) != jsonOf(other[field]) {
				t.Errorf("%s: %s of asset %d is %s in HAL, %s in GraphQL", where, field, i, jsonOf(other[field]), jsonOf(asset[field]))
			}
		}
	}
	links := linkNames(hal)
	if names := graphQL["links"].([]any); len(names) != len(links) {
		t.Errorf("%s: the links are %v in HAL, %v in GraphQL", where, links, names)
	}
}

// readCounter counts the reads of a catalogue.
type readCounter struct {
	store.Catalogue
	videos, states *atomic.Int64
}

func (c readCounter) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	c.videos.Add(1)
	return c.Catalogue.Videos(ctx, ids)
}

func (c readCounter) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	c.states.Add(1)
	return c.Catalogue.States(ctx, ids)
}

// TestCollectionsReadVideosAtOnce proves that a list of collections reads all its videos in one call, including those
// of sub-collections and assets.
func TestCollectionsReadVideosAtOnce(t *testing.T) {
	var videos, states atomic.Int64
	w := newWorld(t, options{catalogue: func(c store.Catalogue) store.Catalogue { return readCounter{c, &videos, &states} }})
	w.token(t, operator)
	videos.Store(0)
	states.Store(0)
	if _, code := w.graphQL(t, operator, `{ hal: collections(filter: { ignoreDiscoverable: true }) { collections { `+collectionFields+` } } }`, nil); code != "" {
		t.Fatal(code)
	}
	if videos.Load() != 1 || states.Load() != 0 {
		t.Errorf("a list over GraphQL reads videos %d times, states %d times", videos.Load(), states.Load())
	}
	videos.Store(0)
	w.ok(t, operator, "/v1/collections?ignore_discoverable=true&projection=details")
	if videos.Load() != 1 || states.Load() != 1 {
		t.Errorf("a list over HAL reads videos %d times, states %d times", videos.Load(), states.Load())
	}
	videos.Store(0)
	states.Store(0)
	w.ok(t, operator, "/v1/collections?ignore_discoverable=true&projection=details")
	w.ok(t, operator, "/v1/collections?ignore_discoverable=true")
	if videos.Load() != 0 || states.Load() != 0 {
		t.Errorf("a warm list reads videos %d times, states %d times", videos.Load(), states.Load())
	}
}
