//go:build system

package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestMain ends the servers that the tests share.
func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

// site is a store with a Redis and a Typesense, which outlive the store.
type site struct {
	*testing.T
	program, address, folder string
	settings                 []string // settings of the server
	store                    []string // flags that select the store of a command
	list                     string   // path of the restore list
	environment              []string // environment of the commands in docs/operations.md
	// head returns the highest position of the store's log.
	head      func() int64
	typesense *testservers.Server
	others    []string // the histories that Typesense had before the test
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, program: build(t), address: testservers.FreeAddress(t), folder: t.TempDir()}
	s.typesense = testservers.SharedTypesense(t)
	s.settings = []string{
		"--search", "typesense+" + s.typesense.URL, "--search-key", s.typesense.Key, "--cache", testservers.SharedRedis(t).URL,
	}
	s.others = s.histories()
	s.list = filepath.Join(s.folder, "list", "restore-list.jsonl")
	if err := os.Mkdir(filepath.Dir(s.list), 0o700); err != nil {
		t.Fatal(err)
	}
	s.settings = append(s.settings, "--restore-list", s.list)
	s.environment = append(os.Environ(), "PATH="+filepath.Dir(s.program)+":"+os.Getenv("PATH"))
	return s
}

// TestRestorePostgreSQLBesideSharedEngines checks that a dump that was taken while the server ran, restored as
// docs/operations.md describes, works with a Redis and a Typesense that contain later changes.
func TestRestorePostgreSQLBesideSharedEngines(t *testing.T) {
	s := newSite(t)
	database := testservers.SharedPostgreSQL(t).URL
	s.store = []string{"--store", database}
	s.settings = append(s.settings, s.store...)
	s.environment = append(append(s.environment, postgresEnvironment(t, database)...), "FILMSTRIP_STORE="+database)
	s.head = func() (head int64) {
		ask(t, database, "SELECT position FROM head", &head)
		return head
	}
	s.loseAndRestore("postgresql", func() {
		where := parsed(t, database)
		name := strings.TrimPrefix(where.Path, "/")
		where.Path = "/postgres"
		ask(t, where.String(), "DROP DATABASE "+name+" WITH (FORCE)")
	})
}

// TestRestoreSQLiteBesideSharedEngines checks that restored SQLite files work with a Redis and a Typesense that contain
// later changes.
func TestRestoreSQLiteBesideSharedEngines(t *testing.T) {
	s := newSite(t)
	data := filepath.Join(s.folder, "data")
	s.store = []string{"--data", data}
	s.settings = append(s.settings, s.store...)
	s.head = func() int64 { return headOfFile(t, filepath.Join(data, "catalogue.db")) }
	s.loseAndRestore("sqlite", func() {
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
	})
}

// changed is the number of demo videos that change after the backup, and added is the number of videos that are added
// then.
const changed, added = 40, 10

// loseAndRestore backs up a running server, lets the server continue, destroys its store and restores it. It checks
// that the answers are those of the backup at once, and again after the log has passed its earlier end.
func (s *site) loseAndRestore(engine string, destroy func()) {
	s.Helper()
	first := serve(s.T, s.program, s.address, s.settings...)
	token := first.token()
	videos := s.videos(first, token)
	want := first.manyAnswers(token, videos)
	first.play(token, 5)
	for _, client := range []string{"stays", "leaves"} {
		s.administer("clients", "create", client, "--account", "demo")
	}
	s.follow("backup " + engine)
	s.administer("clients", "update", "leaves", "--disabled")
	first.play(token, 3) // the restore loses these plays
	first.awaitBilled(token, 8)
	kept, keptHistory := s.head(), s.histories()

	s.importTitles(videos, "Lostfuture")
	s.await(first, token, "Lostfuture")
	first.manyAnswers(token, videos) // Redis caches these answers
	s.demandShown(first, token, videos, "Lostfuture")
	lost := s.head()
	first.kill()
	destroy()

	s.follow("restore " + engine)
	if head := s.head(); head != kept || head >= lost {
		s.Fatalf("the log was backed up at %d and lost at %d; restored, it is at %d", kept, lost, head)
	}
	for client, disabled := range map[string]bool{"stays": false, "leaves": true} {
		if shown := s.administer("clients", "show", client); strings.Contains(shown, `"disabled": true`) != disabled {
			s.Errorf("restored, the client is\n%s", shown)
		}
	}
	second := serve(s.T, s.program, s.address, s.settings...)
	for path, body := range second.manyAnswers(token, videos) {
		if body != want[path] {
			s.Errorf("restored, it answers %s with\n%.1000s\nwant\n%.1000s", path, body, want[path])
		}
	}
	s.demandShown(second, token, videos, "")
	second.awaitBilled(token, 5)
	second.play(token, 6) // more plays than were lost
	second.awaitBilled(token, 11)
	if histories := s.histories(); len(keptHistory) != 1 || len(histories) != 2 {
		s.Errorf("Typesense has the histories %v, and %v after the restore; want one more", keptHistory, histories)
	}

	for _, word := range []string{"Foundagain", "Oncemore"} { // the first import gives each video the version that it had in the lost data
		s.importTitles(videos, word)
		s.await(second, token, word)
		s.demandShown(second, token, videos, word)
	}
	if head := s.head(); head <= lost {
		s.Errorf("the log is at %d, and was lost at %d", head, lost)
	}
	second.token()
}

// administer runs a command beside the server, with its restore list.
func (s *site) administer(args ...string) string {
	s.Helper()
	args = append(append(args, "--json", "--restore-list", s.list), s.store...)
	out, err := exec.Command(s.program, args...).CombinedOutput()
	if err != nil {
		s.Fatalf("%q: %v: %s", args, err, out)
	}
	return string(out)
}

// video is a video that is changed or added after the backup.
type video struct {
	line map[string]any // the line to import
	id   string
	was  string // its title in the backup, or "" if the backup does not contain it
}

// videos returns some videos of the demo and some new ones.
func (s *site) videos(server *server, token string) (videos []*video) {
	s.Helper()
	for address := server.base + "/v1/feed/videos?size=500"; address != ""; {
		var body string
		body, address = server.get(token, address)
		for _, found := range listed(s.T, body) {
			if len(videos) < changed {
				line := map[string]any{"format": 1, "kind": "video", "id": found.ID} // an import keeps the fields that a line omits
				videos = append(videos, &video{id: found.ID, was: found.Title, line: line})
			}
		}
	}
	for n := range added {
		id := fmt.Sprintf("eeeeeeeeeeeeeeeeeeee%04x", n)
		videos = append(videos, &video{id: id, line: map[string]any{
			"format": 1, "kind": "video", "source": "demo", "ref": "added-" + id, "id": id, "channel": "clearwater",
			"releasedOn": "2020-01-01", "playback": map[string]any{"duration": "PT1M", "stream": "https://media.example.org/a.m3u8"},
		}})
	}
	if len(videos) != changed+added {
		s.Fatalf("the feed has %d videos, fewer than %d", len(videos)-added, changed)
	}
	return videos
}

// listed returns the videos of a page.
func listed(t *testing.T, body string) []struct{ ID, Title string } {
	t.Helper()
	var page struct {
		Embedded struct{ Videos []struct{ ID, Title string } } `json:"_embedded"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	return page.Embedded.Videos
}

func titled(word string, n int) string { return fmt.Sprintf("%s number %d", word, n) }

// importTitles imports the videos with titles that begin with a word.
func (s *site) importTitles(videos []*video, word string) {
	s.Helper()
	var input bytes.Buffer
	for n, video := range videos {
		video.line["title"] = titled(word, n)
		if err := json.NewEncoder(&input).Encode(video.line); err != nil {
			s.Fatal(err)
		}
	}
	command := exec.Command(s.program, append(append([]string{"import"}, s.store...), "-")...)
	command.Stdin = &input
	if out, err := command.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
}

// await waits until a search for the word finds all videos.
func (s *site) await(server *server, token, word string) {
	s.Helper()
	waitFor(s.T, word, func() bool { return len(server.search(token, word)) == changed+added })
}

func (s *server) search(token, word string) []struct{ ID, Title string } {
	s.Helper()
	body, _ := s.get(token, s.base+"/v1/videos?size=100&query="+url.QueryEscape(`"`+word+`"`))
	return listed(s.T, body)
}

// demandShown checks that single videos and searches show titles that begin with a word or, if word is empty, the
// titles of the backup. No search may find the lost titles, unless word is the lost word.
func (s *site) demandShown(server *server, token string, videos []*video, word string) {
	s.Helper()
	if found := server.search(token, "Lostfuture"); word != "Lostfuture" && len(found) > 0 {
		s.Errorf("searches find %d videos of what was lost: %v", len(found), found)
	}
	titles := map[string]string{} // by id
	if word != "" {
		for _, found := range server.search(token, word) {
			titles[found.ID] = found.Title
		}
	}
	for n, video := range videos {
		want := video.was
		if word != "" {
			want = titled(word, n)
			if titles[video.id] != want {
				s.Errorf("a search shows %s as %q, want %q", video.id, titles[video.id], want)
			}
		}
		status, body := server.ask(token, server.base+"/v1/videos/"+video.id)
		var got struct{ Title string }
		_ = json.Unmarshal([]byte(body), &got) // a body that is not JSON leaves the title empty, which no test expects
		switch {
		case want == "" && status != http.StatusNotFound:
			s.Errorf("%s, which was lost, is answered with %d %.200s", video.id, status, body)
		case want != "" && got.Title != want:
			s.Errorf("%s is answered with %d %.200s, want the title %q", video.id, status, body, want)
		}
	}
}

// manyAnswers returns, by path, the answers to searches with totals and facets, lists, the feed and single videos.
func (s *server) manyAnswers(token string, videos []*video) map[string]string {
	s.Helper()
	paths := []string{
		"/v1/subjects", "/v1/disciplines", "/v1/channels", "/v1/tags", "/v1/education-levels",
		"/v1/videos?size=100&sort_by=RELEASE_DATE", "/v1/videos?size=50&page=3",
		"/v1/videos?size=100&query=water", "/v1/videos?size=20&query=water&type=NEWS", "/v1/videos?query=the+history+of+energy",
		"/v1/videos?query=%22light+and%22", "/v1/videos?query=student&duration_min=PT1M&duration_max=PT10M",
		"/v1/videos?include_channel_facets=true&include_topic_facets=true&include_education_level_facets=true",
		"/v1/videos?promoted=true", "/v1/videos?age_range=5-11&query=music", "/v1/videos?size=100&query=" + url.QueryEscape(videos[0].was),
		"/v1/feed/videos?size=1000",
	}
	for _, video := range videos[:10] {
		paths = append(paths, "/v1/videos/"+video.id)
	}
	answers := map[string]string{}
	for _, path := range paths {
		body, _ := s.get(token, s.base+path)
		answers[path] = renewed.ReplaceAllString(body, "")
	}
	return answers
}
