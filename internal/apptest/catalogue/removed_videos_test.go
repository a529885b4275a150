package catalogue_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestRemovedVideosLeaveCollectionsAndThemes verifies that no response shows or counts a deleted, retired or pruned video
// in a collection or a theme. Deleted videos also leave the stored collections and themes, and return only if they are
// added again.
func TestRemovedVideosLeaveCollectionsAndThemes(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			g := newRemovalFixture(t, engine)
			g.wantVideos(g.video(1), g.video(2), g.video(3), g.video(4), g.video(5))

			g.mustEdit(`mutation($id: ID!) { it: deleteVideo(id: $id) }`, map[string]any{"id": g.video(1)})
			g.wantVideos(g.video(2), g.video(3), g.video(4), g.video(5))
			g.mustEdit(`mutation($id: ID!) { it: retireVideo(id: $id) { id } }`, map[string]any{"id": g.video(2)})
			g.wantVideos(g.video(3), g.video(4), g.video(5))
			for i, args := range [][]string{{"--prune"}, {"--prune", "--strict"}} {
				g.importLines(g.lines(4+i, 5), args...)
				g.wantVideos(g.videos()[3+i:]...)
			}
			// A person retired the second video, so it is not pruned, and imports do not show it again.
			if kept := g.storedVideos(); !slices.Equal(kept, []string{g.video(2), g.video(5)}) {
				t.Errorf("the store keeps %v in the collection", kept)
			}
			g.importLines(g.lines(1, 5))
			g.wantTheme(g.video(5))
			g.mustEdit(`mutation($id: ID!) { it: restoreVideo(id: $id) { id } }`, map[string]any{"id": g.video(2)})
			g.wantTheme(g.video(2), g.video(5))
			g.importLines(g.themeLine())
			g.wantTheme(g.videos()...)
		})
	}
}

// removalFixture is an installation with a collection and a theme that contain the same videos.
type removalFixture struct {
	apptest.Installation
	*editSession
	engine     apptest.Engines
	user       string // an access token
	collection string // a URL
}

func newRemovalFixture(t *testing.T, engine apptest.Engines) *removalFixture {
	t.Helper()
	h := apptest.NewInstallation(t, engine)
	h.Account("staff", "--operator")
	h.Filmstrip("accounts", "create", "school", "--name", "school", "--tier", "premium")
	console, lms := h.Client("console", "staff"), h.Client("lms", "school")
	g := &removalFixture{Installation: h, engine: engine}
	g.importLines(`{"format":1,"kind":"provider","source":"books","ref":"p","name":"Books","slug":"books"}` + "\n" + g.lines(1, 5) +
		g.themeLine())
	s := h.Serve()
	g.editSession = &editSession{Server: s, operator: s.Access("console", console), customer: s.Access("lms", lms)}
	g.user = s.Access("lms", lms, "Service-User-Id", "teacher-1")
	body := string(apptest.Must(json.Marshal(map[string]any{"title": "Waters", "videos": g.videos()}))(t))
	made, text := s.Send("POST", "/v1/collections", g.user, body, "Content-Type", "application/json")
	if made.StatusCode != http.StatusCreated {
		t.Fatalf("no collection is created: %d %s", made.StatusCode, text)
	}
	g.collection = strings.TrimPrefix(made.Header.Get("Location"), s.Base)
	return g
}

// Helper selects one of the two embedded tests, which are the same.
func (g *removalFixture) Helper() { g.Installation.Helper() }

func (g *removalFixture) Errorf(format string, args ...any) {
	g.Installation.Helper()
	g.Installation.Errorf(format, args...)
}

func (g *removalFixture) Fatalf(format string, args ...any) {
	g.Installation.Helper()
	g.Installation.Fatalf(format, args...)
}

func (g *removalFixture) theme() string { return strings.Repeat("e", catalogue.IDLength) }

// themeLine returns the import line of the theme with all videos.
func (g *removalFixture) themeLine() string {
	return fmt.Sprintf(`{"format":1,"kind":"theme","source":"books","id":"%s","provider":"p","title":"Waters","topics":[{"index":0,"title":"All","targets":[{"index":0,"title":"All","videos":["%s"]}]}]}`+"\n",
		g.theme(), strings.Join(g.videos(), `","`))
}

func (g *removalFixture) video(n int) string { return apptest.RegisterID(n) }

func (g *removalFixture) videos() []string {
	return []string{g.video(1), g.video(2), g.video(3), g.video(4), g.video(5)}
}

// lines returns import lines of a channel and of some of the videos.
func (g *removalFixture) lines(from, to int) string {
	lines := apptest.RegistersChannel
	for n := from; n <= to; n++ {
		lines += apptest.RegisterLine(n, 0)
	}
	return lines
}

func (g *removalFixture) importLines(lines string, args ...string) {
	g.Helper()
	got := apptest.Run(g.Installation.TB, nil, lines, append(append([]string{"import", "-"}, args...), g.Where...)...)
	if got.Status != 0 {
		g.Fatalf("import: %d %s%s", got.Status, got.Out, got.Err)
	}
}

// wantVideos waits until every list of the collection's or the theme's videos contains exactly these, in order. Responses by
// ID must show them at once.
func (g *removalFixture) wantVideos(ids ...string) {
	g.Helper()
	isGone := func(body string) error {
		for _, id := range g.videos() {
			if shown := strings.Contains(body, id); shown != strings.Contains(strings.Join(ids, " "), id) {
				return fmt.Errorf("%s is shown: %t", id, shown)
			}
		}
		return nil
	}
	owner := strings.TrimPrefix(g.collection, "/v1/collections/")
	paths := []string{
		g.collection, g.collection + "?projection=details", "/v1/collections?projection=details&query=waters&discoverable=false",
		"/v1/users/" + apptest.Subject(g.Installation.TB, g.user) + "/collections?projection=details",
		"/v1/alignments/books/themes/" + g.theme(), "/v1/alignments/themes?id=" + g.theme(),
		"/v1/videos?size=50", "/v1/feed/videos",
	}
	for _, path := range paths {
		var last error
		apptest.Await(g.Installation.TB, path+" shows the remaining videos", func() bool {
			response, body := g.Server.Send("GET", path, g.user, "")
			if response.StatusCode == http.StatusServiceUnavailable {
				return false // the first collection is not in the index yet
			}
			if response.StatusCode != http.StatusOK {
				g.Fatalf("%s: %d %s", path, response.StatusCode, body)
			}
			last = isGone(string(body))
			return last == nil
		})
	}
	asked := g.mustEdit(`query($id: String!) { it: collection(id: $id) { assets { video { id } } videos { id } } }`, map[string]any{"id": owner})
	if err := isGone(fmt.Sprint(asked)); err != nil || len(asked["videos"].([]any)) != len(ids) || len(asked["assets"].([]any)) != len(ids) {
		g.Errorf("the collection has %v: %v", asked, err)
	}
}

// wantTheme waits until the theme shows these videos.
func (g *removalFixture) wantTheme(ids ...string) {
	g.Helper()
	want := fmt.Sprintf(`"videoIds":["%s"]`, strings.Join(ids, `","`))
	apptest.Await(g.Installation.TB, "the theme shows "+want, func() bool {
		_, body := g.Server.Send("GET", "/v1/alignments/books/themes/"+g.theme(), g.user, "")
		return strings.Contains(string(body), want)
	})
}

// storedVideos returns the videos that the store has in the collection, visible or not.
func (g *removalFixture) storedVideos() (ids []string) {
	g.Helper()
	settings := app.StoreSettings{StoreConnections: 4, StoreTimeout: 5 * time.Second}
	if i := slices.Index(g.Where, "--store"); i >= 0 {
		settings.Store = g.Where[i+1]
	}
	stores := apptest.Must(settings.Open(g.Installation.Context(), g.Where[1], slog.New(slog.DiscardHandler)))(g.Installation.TB)
	defer func() { _ = stores.Close() }()
	found, err := stores.Collections.Collections(g.Installation.Context(), []catalogue.ID{catalogue.ID(strings.TrimPrefix(g.collection, "/v1/collections/"))})
	if err != nil || len(found) != 1 {
		g.Fatalf("%d collections: %v", len(found), err)
	}
	for _, id := range found[0].VideoIDs() {
		ids = append(ids, string(id))
	}
	return ids
}
