package uploads_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/uploads"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

const maxSize = 4 << 20

// process starts a server on the jobs in a file. The Authorization header of a request is the user of its caller.
func process(t *testing.T, path string) (*httptest.Server, store.Jobs) {
	t.Helper()
	jobs, err := sqlite.OpenJobs(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := uploads.Handler(uploads.Config{
		Store: jobs, MaxSize: maxSize, BaseOf: func(*http.Request) string { return "https://films.example/base" },
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Header.Get("Authorization")
		caller := &account.Caller{ClientID: "console", User: name, Account: &account.Account{ID: "operator"}, Permissions: account.Editor.Permissions()}
		switch name {
		case "viewer":
			caller.Permissions = account.Viewer.Permissions()
		case "foreign":
			caller.Account = &account.Account{ID: "another"}
		}
		handler.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	}))
	t.Cleanup(func() { server.Close(); _ = jobs.Close() })
	return server, jobs
}

// client sends requests of a user to a server.
type client struct {
	*testing.T
	server *httptest.Server
	user   string
}

// send returns the response to a request, which must have a status. headers are names and values.
func (c client) send(method, path string, body io.Reader, want int, headers ...string) (http.Header, string) {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.server.URL+path, body)
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Tus-Resumable", "1.0.0")
	r.Header.Set("Authorization", c.user)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	if response.StatusCode != want {
		c.Fatalf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if response.StatusCode >= 400 && method != http.MethodHead {
		var body struct {
			Status  int
			Message string
		}
		if err := json.Unmarshal(text, &body); err != nil || body.Status != want || body.Message == "" {
			c.Errorf("%s %s: the body is %s", method, path, text)
		}
	}
	return response.Header, string(text)
}

func (c client) begin(size int, metadata ...string) (path string) {
	c.Helper()
	var pairs []string
	for i := 0; i < len(metadata); i += 2 {
		pairs = append(pairs, metadata[i]+" "+base64.StdEncoding.EncodeToString([]byte(metadata[i+1])))
	}
	header, _ := c.send(http.MethodPost, "/uploads/", nil, http.StatusCreated, "Upload-Length", strconv.Itoa(size), "Upload-Metadata", strings.Join(pairs, ","))
	location, ok := strings.CutPrefix(header.Get("Location"), "https://films.example/base")
	if !ok {
		c.Fatalf("the location is %q", header.Get("Location"))
	}
	return location
}

func (c client) patch(path string, offset int, body []byte, want int) {
	c.Helper()
	c.send(http.MethodPatch, path, bytes.NewReader(body), want, "Upload-Offset", strconv.Itoa(offset), "Content-Type", "application/offset+octet-stream")
}

func (c client) offset(path string) string {
	c.Helper()
	header, _ := c.send(http.MethodHead, path, nil, http.StatusOK)
	return header.Get("Upload-Offset")
}

func TestUploads(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs.db")
	first, _ := process(t, file)
	second, jobs := process(t, file)
	one, other := client{t, first, "ada"}, client{t, second, "ada"}
	want := bytes.Repeat([]byte("0123456789\x00"), 300_000)

	path := one.begin(len(want), "filename", "../a\n \"b\".csv", "filetype", "text/csv", "more", "text")
	one.patch(path, 0, want[:1_500_000], http.StatusNoContent)
	if at := other.offset(path); at != "1500000" {
		t.Errorf("the offset is %s", at)
	}
	one.send(http.MethodGet, path, nil, http.StatusConflict)
	other.patch(path, 1_400_000, want[1_400_000:], http.StatusConflict)
	other.patch(path, 1_500_000, append(want[1_500_000:len(want):len(want)], 'x'), http.StatusRequestEntityTooLarge)
	other.patch(path, 1_500_000, want[1_500_000:], http.StatusNoContent)
	header, got := client{t, first, "grace"}.send(http.MethodGet, path, nil, http.StatusOK)
	if got != string(want) {
		t.Errorf("%d bytes arrived", len(got))
	}
	for name, want := range map[string]string{
		"Content-Type": "text/csv", "X-Content-Type-Options": "nosniff", "Content-Disposition": `attachment; filename="a \"b\".csv"`,
	} {
		if header.Get(name) != want {
			t.Errorf("%s is %q", name, header.Get(name))
		}
	}

	for _, user := range []string{"grace", "foreign"} { // who did not begin it
		stranger := client{t, first, user}
		stranger.send(http.MethodHead, path, nil, http.StatusNotFound)
		stranger.patch(path, len(want), nil, http.StatusNotFound)
		stranger.send(http.MethodDelete, path, nil, http.StatusNotFound)
	}
	client{t, first, "foreign"}.send(http.MethodGet, path, nil, http.StatusNotFound)
	client{t, first, "viewer"}.send(http.MethodGet, path, nil, http.StatusForbidden)
	client{t, first, "viewer"}.send(http.MethodPost, "/uploads/", nil, http.StatusForbidden, "Upload-Length", "1")

	one.send(http.MethodDelete, path, nil, http.StatusNoContent)
	one.send(http.MethodHead, path, nil, http.StatusNotFound)
	one.send(http.MethodGet, path, nil, http.StatusNotFound)

	written := &store.File{ID: fmt.Sprintf("%024d", 1), Account: "operator", Job: "j", Name: "rejected.csv", Size: -1}
	if err := jobs.AddFile(t.Context(), written); err != nil {
		t.Fatal(err)
	}
	one.send(http.MethodGet, "/uploads/"+written.ID, nil, http.StatusOK)
	one.send(http.MethodHead, "/uploads/"+written.ID, nil, http.StatusNotFound) // nobody continues what a job wrote
}

func TestBadUploads(t *testing.T) {
	server, _ := process(t, filepath.Join(t.TempDir(), "jobs.db"))
	c := client{t, server, "ada"}
	post := func(want int, headers ...string) { c.send(http.MethodPost, "/uploads/", nil, want, headers...) }
	post(http.StatusRequestEntityTooLarge, "Upload-Length", strconv.Itoa(maxSize+1))
	post(http.StatusBadRequest, "Upload-Length", "many")
	post(http.StatusBadRequest)
	post(http.StatusPreconditionFailed, "Upload-Length", "1", "Tus-Resumable", "0.2.2")
	post(http.StatusCreated, "Upload-Length", "1", "X-HTTP-Method-Override", "DELETE")
	path := c.begin(5)
	c.send(http.MethodPatch, path, strings.NewReader("a"), http.StatusBadRequest, "Upload-Offset", "0", "Content-Type", "text/csv")
	c.send(http.MethodPatch, path, strings.NewReader("a"), http.StatusBadRequest, "Upload-Offset", "-1", "Content-Type", "application/offset+octet-stream")
	c.send(http.MethodPost, path, nil, http.StatusMethodNotAllowed)
	c.send(http.MethodGet, "/uploads/", nil, http.StatusMethodNotAllowed)
	c.send(http.MethodPatch, "/uploads/none", nil, http.StatusNotFound, "Upload-Offset", "0", "Content-Type", "application/offset+octet-stream")
	header, _ := c.send(http.MethodOptions, "/uploads/", nil, http.StatusOK)
	if header.Get("Tus-Extension") != "creation,creation-with-upload,termination" || header.Get("Tus-Max-Size") != strconv.Itoa(maxSize) {
		t.Errorf("%v", header)
	}
}

// TestUnfinishedUploadsAreLimited begins uploads at once, and checks that the limit counts those of one user, and only unfinished
// ones.
func TestUnfinishedUploadsAreLimited(t *testing.T) {
	server, _ := process(t, filepath.Join(t.TempDir(), "jobs.db"))
	ada, grace := client{t, server, "ada"}, client{t, server, "grace"}
	oldest := ada.begin(1)
	begun, refused := atomic.Int64{}, atomic.Int64{}
	var together sync.WaitGroup
	for range 2 * uploads.MaxUnfinished {
		together.Go(func() {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/uploads/", nil)
			r.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Authorization": {"ada"}, "Upload-Length": {"1"}}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
			switch response.StatusCode {
			case http.StatusCreated:
				begun.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			}
		})
	}
	together.Wait()
	if begun.Load() != uploads.MaxUnfinished-1 || refused.Load() != uploads.MaxUnfinished+1 {
		t.Errorf("%d uploads were begun and %d refused", begun.Load(), refused.Load())
	}
	_, body := ada.send(http.MethodPost, "/uploads/", nil, http.StatusTooManyRequests, "Upload-Length", "1")
	if !strings.Contains(body, "20 unfinished uploads") || !strings.Contains(body, "the oldest is "+oldest) {
		t.Errorf("the body is %s", body)
	}
	grace.begin(1)
	ada.patch(oldest, 0, []byte("x"), http.StatusNoContent)
	next := ada.begin(1)
	ada.send(http.MethodPost, "/uploads/", nil, http.StatusTooManyRequests, "Upload-Length", "1")
	ada.send(http.MethodDelete, next, nil, http.StatusNoContent)
	ada.begin(1)
}

// TestCutConnections checks that what arrived before the connection broke is stored, and the upload continues from there.
func TestCutConnections(t *testing.T) {
	server, jobs := process(t, filepath.Join(t.TempDir(), "jobs.db"))
	c := client{t, server, "ada"}
	want := bytes.Repeat([]byte("x"), 3_000_000)
	path := c.begin(len(want))
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(connection, "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: ada\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
		"Content-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n\r\n%s", path, len(want), want[:2_000_000])
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.Close(); err != nil {
		t.Fatal(err)
	}
	for { // the server notices the end on its own
		file, err := jobs.File(t.Context(), strings.TrimPrefix(path, uploads.Path))
		if err != nil {
			t.Fatal(err)
		}
		if file.Received >= 2_000_000 {
			break
		}
	}
	at, err := strconv.Atoi(c.offset(path))
	if err != nil || at != 2_000_000 {
		t.Fatalf("the offset is %d, %v", at, err)
	}
	c.patch(path, at, want[at:], http.StatusNoContent)
	if _, got := c.send(http.MethodGet, path, nil, http.StatusOK); got != string(want) {
		t.Errorf("%d bytes arrived", len(got))
	}
}
