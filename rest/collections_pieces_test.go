package rest_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// assetsIn returns the assets of a collection as "video/highlight", and their segments.
func assetsIn(document map[string]any) (names, segments []string) {
	for _, asset := range document["assets"].([]any) {
		id := asset.(map[string]any)["id"].(map[string]any)
		highlight, _ := id["highlightId"].(string)
		names = append(names, id["videoId"].(string)+"/"+highlight)
		segments = append(segments, jsonOf(asset.(map[string]any)["segment"]))
	}
	return names, segments
}

func pieceOf(video, highlight string) string { return string(idOf(video)) + "/" + highlight }

// TestPiecesInCollections proves that highlights of both kinds are added, shown with their segment, and removed, and
// that they disappear with their captions or highlight. A collection lists a video once, however many of its assets
// belong to that video, and only while it has such an asset.
func TestPiecesInCollections(t *testing.T) {
	w := newWorld(t, options{})
	paddles, wake := string(idOf("paddles")), string(idOf("wake"))
	path := w.create(t, learner, `{"title":"Pieces"}`)
	shows := func(what string, videos, assets []string) {
		t.Helper()
		for _, projection := range []string{"list", "details"} {
			document := w.ok(t, learner, path+"?projection="+projection)
			names, _ := assetsIn(document)
			if ids := idsIn(t, document["videos"]); !slices.Equal(ids, videos) || !slices.Equal(names, assets) {
				t.Errorf("%s, %s: the videos are %v, the assets %v", what, projection, ids, names)
			}
		}
	}
	add := func(video, highlight string) {
		t.Helper()
		w.wantNoContent(t, learner, "PUT", path+"/videos/"+string(idOf(video))+"?highlight_id="+highlight, "")
	}
	for range 2 {
		add("boats", paddles)
		add("floating", passage)
		add("boats", wake)
	}
	all := []string{pieceOf("boats", paddles), pieceOf("floating", passage), pieceOf("boats", wake)}
	shows("added", videoIDs("boats", "floating"), all)
	_, segments := assetsIn(w.ok(t, learner, path))
	if want := []string{`{"end":40,"start":10}`, `{"end":48,"start":0.5}`, `{"end":60.5,"start":30}`}; !slices.Equal(segments, want) {
		t.Errorf("the segments are %v", segments)
	}

	w.wantNoContent(t, learner, "DELETE", path+"/videos/"+string(idOf("boats"))+"?highlight_id="+paddles, "")
	shows("one removed", videoIDs("floating", "boats"), all[1:])
	w.wantNoContent(t, learner, "DELETE", path+"/videos/"+string(idOf("boats")), "")
	shows("the video itself removed, which was not there", videoIDs("floating", "boats"), all[1:])

	w.mutate(t, fmt.Sprintf(`deleteCaptions(id: %q)`, catalogue.CaptionsID(idOf("floating"), "eng")))
	shows("without captions", videoIDs("boats"), all[2:])
	w.mutate(t, fmt.Sprintf(`deleteHighlight(id: %q)`, wake))
	shows("without highlights", []string{}, nil)
	w.wantNoContent(t, learner, "PATCH", path, fmt.Sprintf(`{"videos":[%q]}`, idOf("boats")))
	shows("the video itself", videoIDs("boats"), []string{pieceOf("boats", "")})
}

// mutate runs one mutation as the operator.
func (w *world) mutate(t testing.TB, mutation string) {
	t.Helper()
	if data, code := w.graphQL(t, operator, `mutation { hal: `+mutation+` }`, nil); code != "" || data == nil {
		t.Fatalf("%s: %s", mutation, code)
	}
}

// TestPiecesOfBodies proves that a request body adds only highlights that the caller may also add one by one.
func TestPiecesOfBodies(t *testing.T) {
	w := newWorld(t, options{})
	asset := func(video, highlight string) string {
		return fmt.Sprintf(`{"videoId":%q,"highlightId":%q}`, idOf(video), highlight)
	}
	paddles := string(idOf("paddles"))
	good := `"assets":[` + asset("boats", paddles) + "," + asset("floating", passage) + "," + asset("boats", string(idOf("wake"))) + `]`
	path := w.create(t, learner, `{"title":"Pieces",`+good+`}`)
	w.wantNoContent(t, learner, "PATCH", path, `{`+good+`}`)
	want := []string{pieceOf("boats", paddles), pieceOf("floating", passage), pieceOf("boats", string(idOf("wake")))}
	if names, _ := assetsIn(w.ok(t, learner, path)); !slices.Equal(names, want) {
		t.Errorf("the assets are %v", names)
	}
	for name, bad := range map[string][2]string{
		"none":                 {"boats", "ffffffffffffffffffffffff"},
		"another video's":      {"floating", paddles},
		"no passage":           {"floating", string(idOf("floating")) + "000001f40000bb81"},
		"another's passage":    {"boats", passage},
		"of no captions":       {"boats", string(idOf("boats")) + "000001f40000bb80"},
		"hidden":               {"secretVideo", string(idOf("hush"))},
		"passage of a hidden":  {"secretVideo", string(idOf("secretVideo")) + "000001f400002ee0"},
		"of a video long gone": {"nothing", string(idOf("nothing")) + "000001f400002ee0"},
	} {
		video, highlight := bad[0], bad[1]
		body := `{"title":"x","assets":[` + asset("minimal", "") + "," + asset(video, highlight) + `]}`
		made := w.create(t, learner, body)
		w.wantNoContent(t, learner, "PATCH", path, body)
		for _, of := range []string{made, path} { // left out, like an unknown video
			if keys := w.stored(t, of); !slices.Equal(keys, []string{pieceOf("minimal", "")}) {
				t.Errorf("%s: the assets are %v", name, keys)
			}
		}
		w.wantNoContent(t, learner, "PATCH", path, `{`+good+`}`)
		wantRejection(t, w.send(t, apiRequest{as: learner, method: "PUT", path: path + "/videos/" + string(idOf(video)) + "?highlight_id=" + highlight}), http.StatusNotFound)
	}
	if names, _ := assetsIn(w.ok(t, learner, path)); !slices.Equal(names, want) {
		t.Errorf("after what was refused the assets are %v", names)
	}
}
