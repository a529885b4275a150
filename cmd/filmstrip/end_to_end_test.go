package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/yosida95/uritemplate/v3"

	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// server is the real program, serving in a process of its own.
type server struct {
	testing.TB
	process *exec.Cmd
	base    string
	token   string
	printed func() string
	logged  func() string // once the process has ended
	ended   chan error
}

var announced = regexp.MustCompile(`Filmstrip (?:demo at|serves) (http://\S+)`)

// startServer starts the program on a free port of loopback and waits until it answers.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command(file, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	process.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	var faults bytes.Buffer
	process.Stderr = &faults
	out := must(process.StdoutPipe())(t)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{TB: t, process: process, logged: faults.String, ended: make(chan error, 1)}
	t.Cleanup(func() { _ = process.Process.Kill() })
	bases := s.read(out)
	select {
	case s.base = <-bases:
	case <-time.After(time.Minute):
		t.Fatal("the server does not start")
	}
	if s.base == "" {
		t.Fatalf("the server ended at once: %v: %s", <-s.ended, faults.String())
	}
	return s
}

// read keeps what the process prints, and sends the address that it announces, or none if it ends.
func (s *server) read(out io.Reader) <-chan string {
	var (
		mutex sync.Mutex
		text  strings.Builder
	)
	s.printed = func() string { mutex.Lock(); defer mutex.Unlock(); return text.String() }
	bases := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			mutex.Lock()
			fmt.Fprintln(&text, lines.Text())
			mutex.Unlock()
			if found := announced.FindStringSubmatch(lines.Text()); found != nil {
				bases <- found[1]
			}
		}
		close(bases)
		s.ended <- s.process.Wait()
	}()
	return bases
}

// stop sends a signal and wants the process to end well.
func (s *server) stop(signal os.Signal) {
	s.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		s.Fatal(err)
	}
	select {
	case err := <-s.ended:
		if err != nil {
			s.Errorf("%v ends it with %v", signal, err)
		}
	case <-time.After(30 * time.Second):
		s.Fatalf("%v does not end it", signal)
	}
}

// request sends a request with the token, if there is one, and reads the answer.
func (s *server) request(method, address, contentType, body string) (*http.Response, []byte) {
	s.Helper()
	request := must(http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body)))(s)
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response := must(http.DefaultClient.Do(request))(s)
	defer response.Body.Close()
	return response, must(io.ReadAll(response.Body))(s)
}

func (s *server) logIn(client, secret string) {
	s.Helper()
	s.token = ""
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	_, body := s.request("POST", s.base+"/v1/token", "application/x-www-form-urlencoded", form.Encode())
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Token == "" {
		s.Fatalf("no token: %s", body)
	}
	s.token = answer.Token
}

// document is a resource as clients read it.
type document struct {
	*server
	fields map[string]any
}

// read reads the document at an address, which has to be there.
func (s *server) document(address string) document {
	s.Helper()
	response, body := s.request("GET", address, "", "")
	d := document{server: s}
	if err := json.Unmarshal(body, &d.fields); err != nil || response.StatusCode != http.StatusOK {
		s.Fatalf("%s: %d %.300s", address, response.StatusCode, body)
	}
	return d
}

// at reaches into a document.
func (d document) at(names ...string) any {
	var value any = d.fields
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// link is the address of a link, its template filled; "": it is not there.
func (d document) link(rel string, values map[string]string) string {
	d.Helper()
	href, _ := d.at("_links", rel, "href").(string)
	if href == "" || d.at("_links", rel, "templated") != true {
		return href
	}
	variables := uritemplate.Values{}
	for name, value := range values {
		variables.Set(name, uritemplate.String(value))
	}
	return must(must(uritemplate.New(href))(d).Expand(variables))(d)
}

// videos are the videos of a page.
func (d document) videos() []document {
	list, _ := d.at("_embedded", "videos").([]any)
	videos := make([]document, len(list))
	for i, fields := range list {
		videos[i] = document{d.server, fields.(map[string]any)}
	}
	return videos
}

func (d document) total() int { return int(d.at("page", "totalElements").(float64)) }

// index is where every walk starts.
func (s *server) index() document { s.Helper(); return s.document(s.base + "/v1/") }

// TestDemo walks index, search, facet, video, stream and feed of a demo by following links only.
func TestDemo(t *testing.T) {
	s := startServer(t, "--demo")
	s.tryPrintedLines()
	s.walkEverything()
	s.refuseEndlessHeaders()
	s.finishRequestsOnStop()
}

// walkEverything walks as a customer, and looks as the operator for what a customer does not see.
func (s *server) walkEverything() {
	s.Helper()
	s.logIn("demo", "demo-secret")
	found := s.document(s.index().link("searchVideos", map[string]string{"include_channel_facets": "true", "size": "100"}))
	if found.total() < 900 || len(found.videos()) != 100 {
		s.Errorf("the demo shows %d videos, %d on a page", found.total(), len(found.videos()))
	}
	s.followFacets(found)
	s.playSomething()
	s.walkFeed(found.total())
	s.logIn("demo-operator", "demo-secret")
	if all := s.document(s.index().link("searchVideos", nil)).total(); all <= found.total() {
		s.Errorf("the operator sees %d videos, a customer %d", all, found.total())
	}
}

// tryPrintedLines runs the lines that the demo prints, as they are.
func (s *server) tryPrintedLines() {
	s.Helper()
	_, lines, ok := strings.Cut(s.awaitPrinted("query="), "Try it:")
	if !ok {
		s.Fatalf("the demo prints no lines to try:\n%s", s.printed())
	}
	if _, err := exec.LookPath("curl"); err != nil {
		s.Log("THE PRINTED LINES ARE NOT TRIED: there is no curl")
		return
	}
	out, err := bounded(s, "sh", "-e", "-c", lines).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"searchVideos"`)) || !bytes.Contains(out, []byte(`"totalElements"`)) {
		s.Errorf("%s\nprint (%v)\n%.500s", lines, err, out)
	}
}

// awaitPrinted waits for a text on standard output.
func (s *server) awaitPrinted(text string) string {
	s.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.printed(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("it never prints %q:\n%s", text, s.printed())
		}
	}
	return s.printed()
}

// followFacets sends the largest bucket of several facets back as a filter.
func (s *server) followFacets(found document) {
	s.Helper()
	for facet, parameter := range map[string]string{"subjects": "subject", "channels": "channel", "videoTypes": "type", "languages": "language"} {
		buckets, _ := found.at("_embedded", "facets", facet).(map[string]any)
		if len(buckets) == 0 {
			s.Errorf("there are no %s", facet)
		}
		for key, bucket := range buckets {
			narrowed := s.document(s.index().link("searchVideos", map[string]string{parameter: key, "size": "1"}))
			if hits := bucket.(map[string]any)["hits"].(float64); narrowed.total() != int(hits) {
				s.Errorf("%s %s: %v hits lead to %d videos", facet, key, hits, narrowed.total())
			}
			break
		}
	}
}

// playSomething finds a video with a stream of the demo's own, and fetches what a player does:
// playlists, a segment, poster and preview, all without a token.
func (s *server) playSomething() {
	s.Helper()
	token := s.token
	defer func() { s.token = token }()
	for _, video := range s.document(s.index().link("searchVideos", map[string]string{"size": "500"})).videos() {
		s.token = token
		video = s.document(video.link("self", nil))
		playback := document{s, video.at("playback").(map[string]any)}
		poster := playback.link("thumbnail", map[string]string{"thumbnailWidth": "320"})
		if !strings.HasPrefix(poster, s.base) {
			continue // it lies elsewhere
		}
		s.token = ""
		s.wantMedia(poster, "image/")
		s.wantMedia(playback.link("videoPreview", map[string]string{"thumbnailWidth": "160", "thumbnailCount": "4"}), "image/")
		variant := s.firstOf(playback.link("hlsStream", nil))
		segment := s.firstOf(variant)
		if content := s.wantMedia(segment, "video/"); len(content) < 1000 || content[0] != 0x47 {
			s.Errorf("%s is no MPEG transport stream of %d bytes", segment, len(content))
		}
		return
	}
	s.Error("no video of the demo plays")
}

func (s *server) wantMedia(address, contentType string) []byte {
	s.Helper()
	response, body := s.request("GET", address, "", "")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), contentType) || len(body) == 0 {
		s.Errorf("%s: %d %s, %d bytes", address, response.StatusCode, response.Header.Get("Content-Type"), len(body))
	}
	return body
}

// firstOf is the first address that a playlist names.
func (s *server) firstOf(playlist string) string {
	s.Helper()
	content := s.wantMedia(playlist, "application/vnd.apple.mpegurl")
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return must(must(url.Parse(playlist))(s).Parse(line))(s).String()
		}
	}
	s.Fatalf("%s names nothing: %s", playlist, content)
	return ""
}

// walkFeed follows next until there is none, and wants each video once.
func (s *server) walkFeed(want int) {
	s.Helper()
	seen := map[any]bool{}
	pages := 0
	for address := s.index().link("videoFeed", map[string]string{"size": "300"}); address != ""; pages++ {
		page := s.document(address)
		for _, video := range page.videos() {
			if id := video.at("id"); seen[id] {
				s.Errorf("the feed shows %v again", id)
			} else {
				seen[id] = true
			}
		}
		address = page.link("next", nil)
	}
	if len(seen) != want || pages < 2 {
		s.Errorf("the feed shows %d videos on %d pages, a search %d", len(seen), pages, want)
	}
}

// refuseEndlessHeaders sends more headers than the server reads.
func (s *server) refuseEndlessHeaders() {
	s.Helper()
	for length, want := range map[int]int{30 << 10: http.StatusOK, 80 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		request := must(http.NewRequestWithContext(s.Context(), "GET", s.base+"/healthz", nil))(s)
		request.Header.Set("X-Long", strings.Repeat("x", length))
		response := must(http.DefaultClient.Do(request))(s)
		_ = response.Body.Close()
		if response.StatusCode != want {
			s.Errorf("headers of %d bytes: %d", length, response.StatusCode)
		}
	}
}

// finishRequestsOnStop stops the server in the middle of a request: it takes no more of them, answers
// this one, and ends well.
func (s *server) finishRequestsOnStop() {
	s.Helper()
	address := strings.TrimPrefix(s.base, "http://")
	connection := must(net.Dial("tcp", address))(s)
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		s.Fatal(err)
	}
	body := `{"ids":[]}`
	fmt.Fprintf(connection, "POST /v1/videos/metadata HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		address, s.token, len(body))
	answer := bufio.NewReader(connection)
	if line := must(answer.ReadString('\n'))(s); !strings.Contains(line, "100") { // the handler waits for the body now
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
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	select {
	case <-stopped:
	case <-time.After(10 * time.Second):
		s.Fatal("it goes on taking connections")
	}
	select {
	case err := <-s.ended:
		s.Fatalf("it ended with a request under way: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	_, _ = io.WriteString(connection, body)
	rest := string(must(io.ReadAll(answer))(s))
	if !strings.Contains(rest, "200 OK") || !strings.Contains(rest, `{"metadata":[]}`) {
		s.Errorf("the request under way is answered %q", rest)
	}
	select {
	case err := <-s.ended:
		if err != nil {
			s.Errorf("SIGTERM ends it with %v", err)
		}
	case <-time.After(10 * time.Second):
		s.Error("it does not end")
	}
}

// TestImportBesideAServer brings a catalogue in while a server runs on the same data, which answers
// with it in time; then again, which changes nothing; then has the index built anew.
func TestImportBesideAServer(t *testing.T) {
	data := t.TempDir()
	addClient(t, data)
	s := startServer(t, "--data", data)
	s.logIn("customer", "secret")
	if n := s.document(s.index().link("searchVideos", nil)).total(); n != 0 {
		t.Fatalf("there are %d videos", n)
	}
	feed := s.index().link("videoFeed", nil)
	args, all, videos, word := importArguments(t)

	s.run(0, append([]string{"import", "--data", data}, args...)...)
	imported := time.Now()
	bound := time.Second + time.Duration(videos)*time.Second/20_000
	search := s.index().link("searchVideos", map[string]string{"size": "1"})
	for s.document(search).total() != videos {
		if time.Since(imported) > bound {
			t.Fatalf("%s after the import %d of %d videos are found", bound, s.document(search).total(), videos)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("%d videos are found %s after the import", videos, time.Since(imported).Round(time.Millisecond))
	found := s.document(s.index().link("searchVideos", map[string]string{"query": word}))
	if found.total() == 0 {
		t.Errorf("nothing is found for %q", word)
	}
	before := found.videos()[0].at("updatedAt")
	s.walkFeed(videos)

	if again := s.run(0, append([]string{"import", "--data", data}, args...)...); !regexp.MustCompile(`(?m)^\s*total\s+0\s+0\s+[1-9]\d*\s+0`).MatchString(again) {
		t.Errorf("a second run changes something:\n%s", again)
	}
	if after := s.document(found.videos()[0].link("self", nil)).at("updatedAt"); after != before {
		t.Errorf("updatedAt went from %v to %v", before, after)
	}

	s.run(1, "serve", "--addr", "127.0.0.1:0", "--data", data)
	s.run(1, "import", "--data", data, writeFile(t, "bad.jsonl", "{}\n"))
	if told := s.run(0, "reindex", "--data", data); !strings.Contains(told, "done") {
		t.Errorf("reindex beside a server says %q", told)
	}
	if n := s.document(search).total(); n != videos {
		t.Errorf("after reindex %d of %d videos are found", n, videos)
	}
	if response, body := s.request("GET", s.base+"/readyz", "", ""); response.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"search"`)) {
		t.Errorf("/readyz: %d %s", response.StatusCode, body)
	}
	s.stop(os.Interrupt)
	if told := s.run(0, "reindex", "--data", data); !strings.Contains(told, fmt.Sprintf("%d videos indexed", all)) {
		t.Errorf("reindex says %q", told)
	}
	s.startAgain(data, feed, videos)
}

// startAgain wants everything to be there at once after a new start, links that were handed out
// before included.
func (s *server) startAgain(data, feed string, videos int) {
	s.Helper()
	again := startServer(s.TB, "--data", data, "--addr", strings.TrimPrefix(s.base, "http://"))
	again.logIn("customer", "secret")
	if n := again.document(again.index().link("searchVideos", nil)).total(); n != videos {
		s.Errorf("after a new start %d of %d videos are found", n, videos)
	}
	path := must(url.Parse(feed))(s).RequestURI()
	if n := len(again.document(again.base + path).videos()); n != min(videos, 1000) {
		s.Errorf("after a new start the feed shows %d videos", n)
	}
	again.token = s.token // the keys lie in the store
	again.index()
	again.stop(syscall.SIGTERM)
}

// addClient gives a data directory a client, as an operator's tool would.
func addClient(t *testing.T, data string) {
	t.Helper()
	ctx := context.Background()
	accounts := must(sqlite.OpenAccounts(ctx, filepath.Join(data, accountsFile)))(t)
	err := authtest.Put(ctx, accounts, authtest.Customer("customer", "secret", nil)...)
	if err := errors.Join(err, accounts.Close()); err != nil {
		t.Fatal(err)
	}
}

// importArguments are real videos where they stand beside the checkout, else generated ones; with how
// many there are, how many of them a customer sees, and a word that finds some.
func importArguments(t *testing.T) (args []string, all, visible int, word string) {
	t.Helper()
	const khan = "../../../shared/data/khan-videos.jsonl"
	if text, err := os.ReadFile(khan); err == nil {
		all = bytes.Count(bytes.TrimSpace(text), []byte("\n")) + 1
		return []string{"--jq", "../../examples/khan.jq", khan}, all, all, "photosynthesis"
	}
	all = 3000
	lines := succeed(t, "generate", "--videos", fmt.Sprint(all))
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
	return []string{writeFile(t, "generated.jsonl", lines)}, all, visible, word
}

// run runs the program beside the server, and returns what it prints.
func (s *server) run(status int, args ...string) string {
	s.Helper()
	file := must(binary())(s)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, faults bytes.Buffer
	process := exec.CommandContext(ctx, file, args...)
	process.Stdout, process.Stderr = &out, &faults
	_ = process.Run() // the status says it
	if got := process.ProcessState.ExitCode(); got != status {
		s.Errorf("filmstrip %s: status %d, not %d: %s%s", strings.Join(args, " "), got, status, out.String(), faults.String())
	}
	return out.String()
}
