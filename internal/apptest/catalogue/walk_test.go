package catalogue_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestDemo reads index, search, facet, video, stream and feed of a demo only by following links.
func TestDemo(t *testing.T) {
	s := apptest.Start(t, "--demo")
	tryLandingPage(s)
	walkEverything(s)
	refuseEndlessHeaders(s)
	finishRequestsOnStop(s)
}

// walkEverything follows all links as a customer, and verifies as the operator what a customer does not see.
func walkEverything(s *apptest.Server) {
	s.Helper()
	s.LogIn("demo", "demo-secret")
	found := s.Document(s.Index().Link("searchVideos", map[string]string{"include_channel_facets": "true", "size": "100"}))
	if found.Total() != demo.VideoCount() || len(found.Videos()) != 100 {
		s.Errorf("the demo shows %d videos, %d on a page", found.Total(), len(found.Videos()))
	}
	followFacets(s, found)
	s.PlayAnyVideo()
	walkFeed(s, found.Total())
	s.LogIn("demo-operator", "demo-secret")
	if all := s.Document(s.Index().Link("searchVideos", nil)).Total(); all <= found.Total() {
		s.Errorf("the operator sees %d videos, a customer %d", all, found.Total())
	}
}

// tryLandingPage runs the commands that the landing page shows, unchanged. The program prints at most twelve lines, which
// name the address of that page.
func tryLandingPage(s *apptest.Server) {
	s.Helper()
	printed := s.AwaitPrinted("Start here")
	if lines := strings.Count(printed, "\n"); lines > 12 || !strings.Contains(printed, s.Base+"/\n") {
		s.Errorf("the demo prints %d lines:\n%s", lines, printed)
	}
	response := apptest.Must(http.DefaultClient.Do(apptest.Must(http.NewRequest(http.MethodGet, s.Base+"/", nil))(s)))(s)
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		s.Errorf("a client that does not prefer pages gets %s", response.Status)
	}
	request := apptest.Must(http.NewRequest(http.MethodGet, s.Base+"/", nil))(s)
	request.Header.Set("Accept", "text/html")
	response = apptest.Must(http.DefaultClient.Do(request))(s)
	defer response.Body.Close()
	page := string(apptest.Must(io.ReadAll(response.Body))(s))
	_, commands, _ := strings.Cut(page, "<pre tabindex=\"0\"><code>")
	commands, _, ok := strings.Cut(commands, "</code>")
	if !ok {
		s.Fatalf("the landing page shows no commands:\n%s", page)
	}
	testservers.Program(s, "the commands of the landing page", "curl")
	out, err := apptest.Bounded(s, "sh", "-e", "-c", html.UnescapeString(commands)).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"totalElements"`)) || !bytes.Contains(out, []byte("water")) {
		s.Errorf("%s\nprint (%v)\n%.500s", commands, err, out)
	}
}

// followFacets filters by the largest bucket of several facets.
func followFacets(s *apptest.Server, found apptest.Document) {
	s.Helper()
	for facet, parameter := range map[string]string{"subjects": "subject", "channels": "channel", "videoTypes": "type", "languages": "language"} {
		buckets, _ := found.At("_embedded", "facets", facet).(map[string]any)
		if len(buckets) == 0 {
			s.Errorf("there are no %s", facet)
		}
		for key, bucket := range buckets {
			narrowed := s.Document(s.Index().Link("searchVideos", map[string]string{parameter: key, "size": "1"}))
			if hits := bucket.(map[string]any)["hits"].(float64); narrowed.Total() != int(hits) {
				s.Errorf("%s %s: %v hits lead to %d videos", facet, key, hits, narrowed.Total())
			}
			break
		}
	}
}

// walkFeed follows next to the end, and verifies that each video occurs once.
func walkFeed(s *apptest.Server, want int) {
	s.Helper()
	seen := map[any]bool{}
	pages := 0
	for address := s.Index().Link("videoFeed", map[string]string{"size": "300"}); address != ""; pages++ {
		page := s.Document(address)
		for _, video := range page.Videos() {
			if id := video.At("id"); seen[id] {
				s.Errorf("the feed shows %v again", id)
			} else {
				seen[id] = true
			}
		}
		address = page.Link("next", nil)
	}
	if len(seen) != want || pages < 2 {
		s.Errorf("the feed shows %d videos on %d pages, a search %d", len(seen), pages, want)
	}
}

// refuseEndlessHeaders sends more headers than the server accepts.
func refuseEndlessHeaders(s *apptest.Server) {
	s.Helper()
	for length, want := range map[int]int{30 << 10: http.StatusOK, 80 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		request := apptest.Must(http.NewRequestWithContext(s.Context(), "GET", s.Base+"/healthz", nil))(s)
		request.Header.Set("X-Long", strings.Repeat("x", length))
		response := apptest.Must(http.DefaultClient.Do(request))(s)
		_ = response.Body.Close()
		if response.StatusCode != want {
			s.Errorf("headers of %d bytes: %d", length, response.StatusCode)
		}
	}
}

// finishRequestsOnStop stops the server during a request. The server accepts no more requests, answers this one, and
// exits with status 0.
func finishRequestsOnStop(s *apptest.Server) {
	s.Helper()
	address := strings.TrimPrefix(s.Base, "http://")
	connection := apptest.Must(net.Dial("tcp", address))(s)
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		s.Fatal(err)
	}
	body := `{"ids":[]}`
	fmt.Fprintf(connection, "POST /v1/videos/metadata HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		address, s.Token, len(body))
	answer := bufio.NewReader(connection)
	if line := apptest.Must(answer.ReadString('\n'))(s); !strings.Contains(line, "100") { // the handler now waits for the body
		s.Fatalf("got %q", line)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			probe, err := net.DialTimeout("tcp", address, time.Second)
			if err != nil {
				return
			}
			_ = probe.Close()
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if err := s.Process.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	select {
	case <-stopped:
	case <-time.After(30 * time.Second):
		s.Fatal("the server still accepts connections")
	}
	select {
	case err := <-s.Ended:
		s.Fatalf("the server ended with a request under way: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	_, _ = io.WriteString(connection, body)
	rest := string(apptest.Must(io.ReadAll(answer))(s))
	if !strings.Contains(rest, "200 OK") || !strings.Contains(rest, `{"metadata":[]}`) {
		s.Errorf("the request under way is answered %q", rest)
	}
	select {
	case err := <-s.Ended:
		if err != nil {
			s.Errorf("SIGTERM ends the server with %v", err)
		}
	case <-time.After(30 * time.Second):
		s.Error("the server does not end")
	}
}

// TestImportBesideAServer imports a catalogue while a server runs on the same data, and verifies that the server
// answers searches from it in time. It repeats the import, which changes nothing, and rebuilds the index.
func TestImportBesideAServer(t *testing.T) {
	data := t.TempDir()
	addClient(t, data)
	s := apptest.Start(t, "--data", data)
	s.LogIn("customer", "secret")
	if n := s.Document(s.Index().Link("searchVideos", nil)).Total(); n != 0 {
		t.Fatalf("there are %d videos", n)
	}
	feed := s.Index().Link("videoFeed", nil)
	args, all, videos, word := importArguments(t)

	s.RunBeside(0, append([]string{"import", "--data", data}, args...)...)
	imported := time.Now()
	bound := apptest.LearnTime + time.Duration(videos)*time.Second/20_000
	search := s.Index().Link("searchVideos", map[string]string{"size": "1"})
	for s.Document(search).Total() != videos {
		if time.Since(imported) > bound {
			t.Fatalf("%s after the import %d of %d videos are found", bound, s.Document(search).Total(), videos)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("%d videos are found %s after the import", videos, time.Since(imported).Round(time.Millisecond))
	found := s.Document(s.Index().Link("searchVideos", map[string]string{"query": word}))
	if found.Total() == 0 {
		t.Errorf("nothing is found for %q", word)
	}
	before := found.Videos()[0].At("updatedAt")
	walkFeed(s, videos)

	if again := s.RunBeside(0, append([]string{"import", "--data", data}, args...)...); !regexp.MustCompile(`(?m)^\s*total\s+0\s+0\s+[1-9]\d*\s+0`).MatchString(again) {
		t.Errorf("a second run changes something:\n%s", again)
	}
	if after := s.Document(found.Videos()[0].Link("self", nil)).At("updatedAt"); after != before {
		t.Errorf("updatedAt went from %v to %v", before, after)
	}

	s.RunBeside(1, "serve", "--addr", "127.0.0.1:0", "--data", data)
	s.RunBeside(1, "import", "--data", data, apptest.WriteFile(t, "bad.jsonl", "{}\n"))
	if reported := s.RunBeside(0, "reindex", "--data", data); !strings.Contains(reported, "done") {
		t.Errorf("reindex beside a server says %q", reported)
	}
	if n := s.Document(search).Total(); n != videos {
		t.Errorf("after reindex %d of %d videos are found", n, videos)
	}
	if response, body := s.Request("GET", s.Base+"/readyz", "", ""); response.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"search"`)) {
		t.Errorf("/readyz: %d %s", response.StatusCode, body)
	}
	s.Stop(os.Interrupt)
	if reported := s.RunBeside(0, "reindex", "--data", data); !strings.Contains(reported, fmt.Sprintf("%d videos indexed", all)) {
		t.Errorf("reindex says %q", reported)
	}
	restart(s, data, feed, videos)
}

// restart verifies that all videos are available at once after a restart, and that earlier links still work.
func restart(s *apptest.Server, data, feed string, videos int) {
	s.Helper()
	again := apptest.Start(s.TB, "--data", data, "--addr", strings.TrimPrefix(s.Base, "http://"))
	again.LogIn("customer", "secret")
	if n := again.Document(again.Index().Link("searchVideos", nil)).Total(); n != videos {
		s.Errorf("after a new start %d of %d videos are found", n, videos)
	}
	path := apptest.Must(url.Parse(feed))(s).RequestURI()
	if n := len(again.Document(again.Base + path).Videos()); n != min(videos, 1000) {
		s.Errorf("after a new start the feed shows %d videos", n)
	}
	again.Token = s.Token // the keys are in the store
	again.Index()
	again.Stop(syscall.SIGTERM)
}

// addClient adds a client to a data directory, as an operator would.
func addClient(t *testing.T, data string) {
	t.Helper()
	ctx := context.Background()
	accounts := apptest.Must(sqlite.OpenAccounts(ctx, filepath.Join(data, app.AccountsFile)))(t)
	err := authtest.Put(ctx, accounts, authtest.Customer("customer", "secret", nil)...)
	if err := errors.Join(err, accounts.Close()); err != nil {
		t.Fatal(err)
	}
}

// importArguments returns real videos if they are next to the checkout, or else generated ones, with their number, the
// number of those that a customer sees, and a word that finds some.
func importArguments(t *testing.T) (args []string, all, visible int, word string) {
	t.Helper()
	khan := apptest.Path("..", "shared", "data", "khan-videos.jsonl")
	if text, err := os.ReadFile(khan); err == nil {
		all = bytes.Count(bytes.TrimSpace(text), []byte("\n")) + 1
		return []string{"--jq", apptest.Path("examples", "khan.jq"), khan}, all, all, "photosynthesis"
	}
	all = 3000
	lines := apptest.Succeed(t, "generate", "--videos", fmt.Sprint(all))
	private := map[string]bool{}
	for line := range strings.Lines(lines) {
		var record struct {
			Kind, Ref, Title, Channel, AvailableUntil string
			Private, Retired                          bool
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		switch {
		case record.Kind == "channel":
			private[record.Ref] = record.Private
		case record.Kind == "video" && !record.Retired && !private[record.Channel] &&
			(record.AvailableUntil == "" || record.AvailableUntil >= time.Now().UTC().Format(time.DateOnly)):
			visible++
			word = record.Title
		}
	}
	return []string{apptest.WriteFile(t, "generated.jsonl", lines)}, all, visible, word
}
