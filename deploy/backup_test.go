//go:build system

package deploy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	store "github.com/filmstrip/filmstrip/store/sqlite"
)

// TestBackUpDestroyRestore checks a backup that is taken while the server records playbacks, and restored after the
// server was killed and its data destroyed. The restored server gives the same answers, contains nothing that came
// later, accepts the old tokens, and bills exactly once every playback that the backup contains: all before the backup
// and some of those during it.
func TestBackUpDestroyRestore(t *testing.T) {
	program, address := build(t), testservers.FreeAddress(t)
	folder := t.TempDir()
	data, kept, list := filepath.Join(folder, "data"), filepath.Join(folder, "backup"), filepath.Join(folder, "list.jsonl")
	importVideos(t, program, data, 1)

	first := serve(t, program, address, "--data", data, "--restore-list", list)
	token := first.token()
	want := first.answers(token)
	keepCollection(t, data, "Kept")
	first.play(token, 3)
	backingUp := exec.Command(program, "backup", kept, "--data", data, "--restore-list", list)
	var said bytes.Buffer
	backingUp.Stdout, backingUp.Stderr = &said, &said
	if err := backingUp.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- backingUp.Wait() }()
	plays := 3
	for under := true; under; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, said.String())
			}
			under = false
		default:
			first.play(token, 2)
			plays += 2
		}
	}
	keepCollection(t, data, "Lost")
	importVideos(t, program, data, 2)
	waitFor(t, "the later import", func() bool { return first.answers(token) != want })
	first.kill()
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}

	if out, err := exec.Command(program, "restore", kept, "--data", data, "--restore-list", list).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	second := serve(t, program, address, "--data", data)
	if got := second.answers(token); got != want {
		t.Errorf("restored, it answers\n%s\nwant\n%s", got, want)
	}
	second.token()
	stored := int(eventsIn(t, data))
	if stored < 3 || stored > plays {
		t.Errorf("of %d plays, the backup has %d", plays, stored)
	}
	second.awaitBilled(token, stored)
	second.play(token, 7)
	second.awaitBilled(token, stored+7)
	second.kill()
	if out, err := exec.Command(program, "usage", "verify", "--data", data, "--restore-list", list).CombinedOutput(); err != nil {
		t.Errorf("usage verify: %v: %s", err, out)
	}
	if titles := collectionsIn(t, data); titles != "[Kept]" {
		t.Errorf("restored, there are the collections %s", titles)
	}
}

// keepCollection adds a collection while a server uses the same data.
func keepCollection(t *testing.T, data, title string) {
	t.Helper()
	collections := openCollections(t, data)
	defer collections.Close()
	_, err := collections.Create(t.Context(), &collection.Collection{
		ID: catalogue.DeriveID("collection", "test", title), Account: "school", Owner: keeper, Title: title, Anyone: collection.ViewOnly,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keeper is the owner of the collections that keepCollection adds.
const keeper = "ann"

// collectionsIn returns the titles of the keeper's collections.
func collectionsIn(t *testing.T, data string) string {
	t.Helper()
	collections := openCollections(t, data)
	defer collections.Close()
	list, err := collections.Scan(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, one := range list {
		if one.Owner == keeper {
			titles = append(titles, one.Title)
		}
	}
	return fmt.Sprint(titles)
}

func openCollections(t *testing.T, data string) *store.Collections {
	t.Helper()
	collections, err := store.OpenCollections(t.Context(), filepath.Join(data, "collections.db"))
	if err != nil {
		t.Fatal(err)
	}
	return collections
}

func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "filmstrip")
	command := exec.Command("go", "build", "-o", program, "../cmd/filmstrip")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// importVideos imports 300 generated videos. Each seed gives other videos.
func importVideos(t *testing.T, program, data string, seed int) {
	t.Helper()
	lines, err := exec.Command(program, "generate", "--videos", "300", "--seed", fmt.Sprint(seed)).Output()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "import", "--data", data, "-")
	command.Stdin = bytes.NewReader(lines)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// eventsIn returns the position of the last event in a data directory.
func eventsIn(t *testing.T, data string) event.Position {
	t.Helper()
	log, err := store.OpenEvents(t.Context(), filepath.Join(data, "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	head, err := log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// server is the program, serving in a process of its own.
type server struct {
	*testing.T
	process *exec.Cmd
	base    string
}

// serve starts the program and waits until it is ready.
func serve(t *testing.T, program, address string, settings ...string) *server {
	t.Helper()
	s := &server{T: t, base: "http://" + address}
	s.process = exec.Command(program, append([]string{"serve", "--demo", "--no-demo-past", "--addr", address}, settings...)...)
	var log bytes.Buffer
	s.process.Stderr = &log
	out, err := s.process.StdoutPipe() // the program writes a line when it is ready
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the server's log:\n%s", log.String())
		}
	})
	announced := make(chan bool, 1)
	go func() { announced <- bufio.NewScanner(out).Scan() }()
	select {
	case said := <-announced:
		if !said {
			t.Fatal("the server has ended")
		}
	case <-time.After(time.Minute):
		t.Fatal("the server is not ready after a minute")
	}
	return s
}

// kill ends the process at once, without an orderly shutdown.
func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *server) token() string {
	s.Helper()
	answer, err := http.PostForm(s.base+"/v1/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"demo-operator"}, "client_secret": {"demo-secret"},
	})
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || body.Token == "" {
		s.Fatalf("no token: %s, %v", answer.Status, err)
	}
	return body.Token
}

// renewed matches the signatures of streams, which change every hour, and the cursors of feeds, which change every
// time.
var renewed = regexp.MustCompile(`/v1/streams/[^/]+/|cursor=[^"&]+`)

// answers returns the answers to searches with totals and facets, a directory and the whole feed.
func (s *server) answers(token string) string {
	s.Helper()
	var all strings.Builder
	paths := []string{"/v1/videos?query=water&size=100", "/v1/videos?size=100&sort_by=RELEASE_DATE", "/v1/subjects", "/v1/channels"}
	for _, path := range paths {
		body, _ := s.get(token, s.base+path)
		fmt.Fprintf(&all, "%s\n%s\n", path, body)
	}
	pages := 0
	for address := s.base + "/v1/feed/videos?size=100"; address != ""; pages++ {
		var body string
		body, address = s.get(token, address)
		fmt.Fprintln(&all, body)
	}
	if pages < 3 {
		s.Fatalf("the feed of 300 videos has %d pages", pages)
	}
	return renewed.ReplaceAllString(all.String(), "")
}

// get returns the body of an answer and the address of the next page.
func (s *server) get(token, address string) (body, next string) {
	s.Helper()
	status, body := s.ask(token, address)
	if status != http.StatusOK {
		s.Fatalf("%s: %d: %s", address, status, body)
	}
	var page struct {
		Links struct {
			Next struct {
				Href string `json:"href"`
			} `json:"next"`
		} `json:"_links"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		s.Fatal(err)
	}
	return body, page.Links.Next.Href
}

// ask sends a request and returns the status and the body of the answer.
func (s *server) ask(token, address string) (status int, body string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		s.Fatal(err)
	}
	return s.send(token, request)
}

func (s *server) send(token string, request *http.Request) (status int, body string) {
	s.Helper()
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: still waiting after a minute", what)
		}
	}
}
