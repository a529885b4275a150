package editing_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// walk returns the IDs of all pages of catalogueItems with the given arguments.
func walk(t *testing.T, a *resolverstest.Administration, arguments string, size int) (ids []string) {
	t.Helper()
	query := `query($first: Int!, $after: String) { it: catalogueItems(` + arguments + `, first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`
	for after, pages := any(nil), 0; ; pages++ {
		if pages > 1000 {
			t.Fatalf("%s: the walk does not end", arguments)
		}
		page := resolverstest.At(t, a.Do(t, query, resolverstest.Object("first", size, "after", after)), "it")
		nodes := resolverstest.At(t, page, "nodes").([]any)
		if len(nodes) > size {
			t.Fatalf("%s: a page of %d has %d items", arguments, size, len(nodes))
		}
		for _, node := range nodes {
			ids = append(ids, resolverstest.At(t, node, "id").(string))
		}
		if resolverstest.At(t, page, "pageInfo", "hasNextPage") == false {
			return ids
		}
		after = resolverstest.At(t, page, "pageInfo", "endCursor")
	}
}

// TestFindItemsByName finds items of small and of large kinds, and counts them where that is cheap.
func TestFindItemsByName(t *testing.T) {
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t)}
	var blue []string
	for i := range 30 {
		colour := []string{"Blue", "green"}[i%2]
		made := a.Do(t, `mutation($input: TagInput!) { it: createTag(input: $input) { id } }`, resolverstest.Object("input", resolverstest.Object("label", fmt.Sprintf("%s number %d", colour, i))))
		if i%2 == 0 {
			blue = append(blue, resolverstest.At(t, made, "it", "id").(string))
		}
		a.Do(t, `mutation($input: DistrictInput!) { it: createDistrict(input: $input) { id } }`, resolverstest.Object("input", resolverstest.Object("externalId", fmt.Sprint(i), "name", fmt.Sprintf("%s district %d", colour, i), "country", "USA", "state", "TX")))
	}
	slices.Sort(blue)
	for size := 1; size < 20; size++ {
		if got := walk(t, a, `kind: TAG, text: "BLUE numb"`, size); !slices.Equal(got, blue) {
			t.Fatalf("pages of %d: %v, want %v", size, got, blue)
		}
		if got := walk(t, a, `kind: DISTRICT, text: "green"`, size); len(got) != 15 {
			t.Fatalf("pages of %d: %d districts", size, len(got))
		}
	}
	for arguments, total := range map[string]string{
		`kind: TAG`: "30", `kind: TAG, text: "blue"`: "15", `kind: TAG, text: ""`: "30", `kind: DISTRICT`: "30", `kind: DISTRICT, text: "blue"`: "null",
		`kind: VIDEO`: fmt.Sprint(len(videosOfEverything())),
	} {
		resolverstest.WantAt(t, a.Do(t, `{ it: catalogueItems(`+arguments+`, first: 2) { total } }`, nil), total, "it", "total")
	}
	a.WantError(t, fault.Invalid, `"whales"`, `{ catalogueItems(kind: VIDEO, text: "whales") { total } }`, nil)
}

func videosOfEverything() (videos []catalogue.Item) {
	for _, item := range resolverstest.SampleItems() {
		if item.Kind() == catalogue.KindVideo {
			videos = append(videos, item)
		}
	}
	return videos
}

// TestRevertADeletion restores deleted items with their IDs from the audit log.
func TestRevertADeletion(t *testing.T) {
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t)}
	made := a.Do(t, `mutation { it: createTag(input: {label: "Hook"}) { id } }`, nil)
	tag := resolverstest.At(t, made, "it", "id").(string)
	a.Do(t, `mutation($id: ID!) { deleteTag(id: $id) }`, resolverstest.Object("id", tag))
	log := a.Do(t, `query($id: ID!) { it: catalogueAuditLog(kind: TAG, id: $id) { nodes { number before } } }`, resolverstest.Object("id", tag))
	deletion := resolverstest.At(t, log, "it", "nodes").([]any)[0]
	const revert = `mutation($kind: CatalogueKind!, $id: ID!, $number: Int!) { it: revertItem(kind: $kind, id: $id, number: $number) { id body } }`
	got := a.Do(t, revert, resolverstest.Object("kind", "TAG", "id", tag, "number", resolverstest.At(t, deletion, "number")))
	resolverstest.WantAt(t, got, `{"body":{"label":"Hook"},"id":"`+tag+`"}`, "it")
	a.WantError(t, fault.NotFound, "no change 1", revert, resolverstest.Object("kind", "TAG", "id", string(resolverstest.Floating), "number", 1))

	video := string(resolverstest.Floating)
	before := a.Do(t, `query($id: ID!) { it: catalogueItem(kind: VIDEO, id: $id) { body } }`, resolverstest.Object("id", video))
	a.Do(t, `mutation { restoreVideo(id: "`+string(resolverstest.Duplicate)+`") { id } }`, nil) // which was retired into it
	a.Do(t, `mutation($id: ID!) { deleteVideo(id: $id) }`, resolverstest.Object("id", video))
	log = a.Do(t, `query($id: ID!) { it: catalogueAuditLog(kind: VIDEO, id: $id) { nodes { number } } }`, resolverstest.Object("id", video))
	deletion = resolverstest.At(t, log, "it", "nodes").([]any)[0]
	a.Do(t, revert, resolverstest.Object("kind", "VIDEO", "id", video, "number", resolverstest.At(t, deletion, "number")))
	after := a.Do(t, `query($id: ID!) { it: catalogueItem(kind: VIDEO, id: $id) { body } }`, resolverstest.Object("id", video))
	was, is := resolverstest.At(t, before, "it", "body").(map[string]any), resolverstest.At(t, after, "it", "body").(map[string]any)
	for _, field := range []string{"title", "description", "subjects", "keywords", "language", "playback"} {
		if fmt.Sprint(was[field]) != fmt.Sprint(is[field]) {
			t.Errorf("%s was %v and is %v", field, was[field], is[field])
		}
	}
}
