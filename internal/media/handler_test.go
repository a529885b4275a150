package media_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/media"
)

const (
	retiredVideo = catalogue.ID("5c542aba5438cdbcb56de6a0")
	endedVideo   = catalogue.ID("5c542aba5438cdbcb56de6a1")
	privateVideo = catalogue.ID("5c542aba5438cdbcb56de6a2")
	foreignVideo = catalogue.ID("5c542aba5438cdbcb56de6a3")
	youTubeVideo = catalogue.ID("5c542aba5438cdbcb56de6a4")
	unknownDemo  = catalogue.ID("5c542aba5438cdbcb56de6a5")
	missingVideo = catalogue.ID("5c542aba5438cdbcb56de6a6")
	brokenVideo  = catalogue.ID("5c542aba5438cdbcb56de6a7")
)

// fixture is a handler with its signer.
type fixture struct {
	http.Handler
	signer  *media.Signer
	foreign string // the stream address of foreignVideo
	playing string // the stream address of other videos
	length  catalogue.Duration
}

func newFixture(t testing.TB, options media.Options) *fixture {
	t.Helper()
	f := &fixture{
		signer: newSigner(t, key(1)), foreign: "https://media.example/streams/a/playlist.m3u8?x=1",
		playing: "demo:pattern",
	}
	options.Signer, options.Find, options.Now = f.signer, f.find, func() time.Time { return noon }
	f.Handler = media.Handler(options)
	return f
}

func (f *fixture) find(_ context.Context, id catalogue.ID) (playback catalogue.Playback, state catalogue.State, err error) {
	playback.Stream, playback.Duration, state.ID = f.playing, f.length, id
	switch id {
	case retiredVideo:
		state.Retired = true
	case endedVideo:
		state.AvailableUntil = new(catalogue.DateOf(noon) - 1)
	case privateVideo:
		state.Private = true
		state.AvailableUntil = new(catalogue.DateOf(noon))
	case foreignVideo:
		playback.Stream = f.foreign
	case youTubeVideo:
		playback.Stream = ""
	case unknownDemo:
		playback.Stream = "demo:nothing"
	case missingVideo:
		err = fault.Errorf(fault.NotFound, "video %q does not exist", id)
	case brokenVideo:
		err = io.ErrUnexpectedEOF
	}
	return playback, state, err
}

// get sends a request. headers contains names and values in pairs.
func (f *fixture) get(method, path string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t testing.TB, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// expectError checks the status and the error body of a response.
func expectError(t *testing.T, response *http.Response, status int) {
	t.Helper()
	var body httperror.Body
	text := bodyOf(t, response)
	if err := json.Unmarshal([]byte(text), &body); err != nil || body.Status != status || response.StatusCode != status ||
		body.Error == "" || body.Message == "" || response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("expected the error %d, got %d: %s", status, response.StatusCode, text)
	}
	if response.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error("a page may not read the error")
	}
}

func siblingOf(path, file string) string { return path[:strings.LastIndexByte(path, '/')+1] + file }

func TestDemoStreamsPlayFromTheSignedAddress(t *testing.T) {
	f := newFixture(t, media.Options{})
	for _, id := range []catalogue.ID{video, privateVideo} {
		path := f.signer.Sign(id, noon)
		pending, seen := []string{path}, map[string]bool{}
		for len(pending) > 0 {
			path, pending = pending[0], pending[1:]
			if seen[path] {
				continue
			}
			seen[path] = true
			response := f.get("GET", path)
			body := bodyOf(t, response)
			if response.StatusCode != 200 || response.Header.Get("Access-Control-Allow-Origin") != "*" ||
				!strings.HasPrefix(response.Header.Get("Cache-Control"), "private") || len(response.Cookies()) > 0 {
				t.Fatalf("%s: %d %v", path, response.StatusCode, response.Header)
			}
			wanted := "video/mp2t"
			if strings.HasSuffix(path, ".m3u8") {
				wanted = "application/vnd.apple.mpegurl"
				for line := range strings.Lines(body) {
					if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
						pending = append(pending, siblingOf(path, line))
					}
				}
			}
			if got := response.Header.Get("Content-Type"); got != wanted {
				t.Errorf("%s is of type %s", path, got)
			}
		}
		if len(seen) != 1+2+10 { // the master playlist, and two variants of five segments
			t.Errorf("the stream of %s has %d files: %v", id, len(seen), seen)
		}
	}
}

func TestSegmentsAnswerRangesAndTags(t *testing.T) {
	f := newFixture(t, media.Options{})
	segment := siblingOf(f.signer.Sign(video, noon), "180p-00.ts")
	whole := f.get("GET", segment)
	content, tag := bodyOf(t, whole), whole.Header.Get("ETag")
	if tag == "" || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Fatalf("the segment's header is %v", whole.Header)
	}
	part := f.get("GET", segment, "Range", "bytes=188-375")
	if got := bodyOf(t, part); part.StatusCode != 206 || got != content[188:376] ||
		part.Header.Get("Content-Range") != "bytes 188-375/"+strconv.Itoa(len(content)) {
		t.Errorf("the range is answered %d, %v", part.StatusCode, part.Header)
	}
	if again := f.get("GET", segment, "If-None-Match", tag); again.StatusCode != 304 || bodyOf(t, again) != "" {
		t.Errorf("the known segment is answered %d", again.StatusCode)
	}
	head := f.get("HEAD", segment)
	if bodyOf(t, head) != "" || head.StatusCode != 200 || head.Header.Get("Content-Length") != strconv.Itoa(len(content)) {
		t.Errorf("HEAD is answered %d, %v", head.StatusCode, head.Header)
	}
	expectError(t, f.get("GET", segment, "Range", "bytes=99999999-"), 416)
	expectError(t, f.get("GET", segment, "If-Match", `"other"`), 412)
}

func TestInvalidStreamAddresses(t *testing.T) {
	f := newFixture(t, media.Options{})
	expired := newSigner(t, key(1)).Sign(video, noon.Add(-100*time.Hour))
	good := f.signer.Sign(video, noon)
	for _, c := range []struct {
		name, path string
		status     int
	}{
		{"expired", expired, 403},
		{"signed by another key", newSigner(t, key(9)).Sign(video, noon), 403},
		{"of another video", strings.Replace(good, string(video), string(otherVideo), 1), 403},
		{"no token", media.StreamsPath, 403},
		{"no video", media.StreamsPath + "token", 403},
		{"escaped id", strings.Replace(good, string(video), string(video[1:])+"%30", 1), 403},
		{"line break in the token", good[:len(media.StreamsPath)+3] + "%0A" + good[len(media.StreamsPath)+3:], 403},
		{"retired since", f.signer.Sign(retiredVideo, noon), 404},
		{"ended since", f.signer.Sign(endedVideo, noon), 404},
		{"hosted elsewhere", f.signer.Sign(youTubeVideo, noon), 404},
		{"unknown demo", f.signer.Sign(unknownDemo, noon), 404},
		{"deleted since", f.signer.Sign(missingVideo, noon), 404},
		{"the store fails", f.signer.Sign(brokenVideo, noon), 500},
		{"unknown file", siblingOf(good, "180p-99.ts"), 404},
		{"no file", siblingOf(good, ""), 404},
		{"still of a stream", siblingOf(good, "frame-00.jpg"), 404},
		{"outside of the stream", siblingOf(good, "..%2fbars%2fplaylist.m3u8"), 404},
		{"below a file", good + "/x", 404},
		{"redirected stream's other file", siblingOf(f.signer.Sign(foreignVideo, noon), "x.ts"), 404},
		{"nothing of ours", "/v1/videos", 404},
	} {
		t.Run(c.name, func(t *testing.T) { expectError(t, f.get("GET", c.path), c.status) })
	}
}

func TestForeignStreamsAreRedirectedTo(t *testing.T) {
	f := newFixture(t, media.Options{})
	response := f.get("GET", f.signer.Sign(foreignVideo, noon))
	if response.StatusCode != 302 || response.Header.Get("Location") != f.foreign ||
		response.Header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.HasPrefix(response.Header.Get("Cache-Control"), "private") {
		t.Errorf("answered %d, %v", response.StatusCode, response.Header)
	}
}

func TestMethods(t *testing.T) {
	f := newFixture(t, media.Options{})
	path := f.signer.Sign(video, noon)
	response := f.get("POST", path)
	expectError(t, response, 405)
	if response.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("Allow is %q", response.Header.Get("Allow"))
	}
	preflight := f.get("OPTIONS", path, "Origin", "https://app.example",
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "range")
	header := preflight.Header
	if preflight.StatusCode != 204 || header.Get("Access-Control-Allow-Origin") != "*" ||
		header.Get("Access-Control-Allow-Headers") != "*" || !strings.Contains(header.Get("Access-Control-Allow-Methods"), "GET") ||
		header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("the preflight is answered %d, %v", preflight.StatusCode, header)
	}
}

func FuzzHandler(f *testing.F) {
	fixed := newFixture(f, media.Options{Proxy: true})
	good := fixed.signer.Sign(video, noon)
	for _, seed := range []string{
		good, siblingOf(good, "180p-00.ts"), siblingOf(good, "via/AAAA/x.ts"), media.StreamsPath, media.ImagesPath,
		media.ImagesPath + "pattern/width/16/vid_slices/3/vid_slice/1", media.ImagesPath + "bars/width/99999/vid_slices/-1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		fixed.ServeHTTP(w, r)
		stream := strings.TrimSuffix(good, "/playlist.m3u8")
		signed := path == stream || strings.HasPrefix(path, stream+"/")
		isStream := strings.HasPrefix(path, media.StreamsPath)
		if w.Code >= 500 || (isStream && !signed && w.Code != 403) {
			t.Errorf("%q is answered %d", path, w.Code)
		}
	})
}
