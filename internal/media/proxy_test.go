package media_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/media"
)

const masterPlaylist = "#EXTM3U\r\n" +
	"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"x\",URI=\"audio/list.m3u8\"\r\n" +
	"#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://key\",KEYFORMAT=\"com.apple\"\r\n" +
	"#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\r\n" +
	"low/list.m3u8?q=1\r\n"

const mediaPlaylist = "#EXTM3U\n#a comment, URI=\"x\"\n\n" +
	"#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"10@0\"\n" +
	"#EXT-X-KEY:METHOD=AES-128,URI=\"data:text/plain;base64,AAAA\"\n" +
	"#EXTINF:6,\nseg-0.ts\n#EXTINF:6,\n/abs/seg-1.ts?a=b&c=d\n#EXT-X-ENDLIST"

const segment = "0123456789"

// longName is a folder that makes an address longer than any request to the proxy.
var longName = strings.Repeat("x", 60_000)

// signedFolder is a folder whose name carries a signature.
var signedFolder = "/signed/" + strings.Repeat("s", 450) + "/"

// longPlaylist returns a media playlist of segments of equal lengths.
func longPlaylist(segment func(i int) string, length, each time.Duration) string {
	var b strings.Builder
	b.WriteString("#EXTM3U\n")
	for i := range int(length / each) {
		fmt.Fprintf(&b, "#EXTINF:%.3f,\n%s\n", each.Seconds(), segment(i))
	}
	return b.String() + "#EXT-X-ENDLIST\n"
}

// newOrigin starts a foreign server of a stream.
func newOrigin(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(path, contentType, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("%s was asked for with %v", path, r.Header)
			}
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Set-Cookie", "a=b")
			w.Header().Set("ETag", `"tag"`)
			http.ServeContent(w, r, "", noon, strings.NewReader(body))
		})
	}
	answer("/v/master", "application/x-mpegURL", masterPlaylist)
	answer("/v/low/list.m3u8", "text/plain", mediaPlaylist)
	answer("/v/audio/list.m3u8", "audio/mpegurl", mediaPlaylist)
	answer("/v/low/seg-0.ts", "video/mp2t", segment)
	answer("/v/audio/seg-0.ts", "audio/aac", segment)
	answer("/abs/seg-1.ts", "text/html; charset=utf-8", segment)
	answer("/v/low/init.mp4", "video/mp4", segment)
	answer("/v/audio/init.mp4", "video/mp4", segment)
	answer("/page.m3u8", "text/html", "<html>")
	answer("/large", "application/x-mpegurl", "#EXTM3U\n"+strings.Repeat("#"+strings.Repeat("x", 99)+"\n", 50_000))
	answer("/many", "application/x-mpegurl", "#EXTM3U\n"+strings.Repeat("a\n", 2_000_000))
	answer("/attributes", "application/x-mpegurl", "#EXTM3U\n#EXT-X-MAP:"+strings.Repeat(`URI="a",`, 500_000))
	answer("/entry", "application/x-mpegurl", "#EXTM3U\n"+strings.Repeat("a", 20_000)+"\n")
	answer("/"+longName+"/list.m3u8", "application/x-mpegurl", "#EXTM3U\na\n")
	mux.HandleFunc("/far", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+longName+"/list.m3u8", http.StatusFound)
	})
	answer(signedFolder+"list.m3u8", "application/x-mpegurl", longPlaylist(func(i int) string {
		return fmt.Sprintf("seg-%05d.ts", i)
	}, 12*time.Hour, 2*time.Second))
	answer(signedFolder+"seg-00000.ts", "video/mp2t", segment)
	answer("/signed.m3u8", "application/x-mpegurl", longPlaylist(func(i int) string {
		return fmt.Sprintf("/v/low/seg-0.ts?part=%d&signature=%s", i, strings.Repeat("s", 1_800))
	}, 3*time.Hour, 6*time.Second))
	mux.HandleFunc("/redirected", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v/master", http.StatusFound)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "ftp://a.example/", http.StatusFound)
	})
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "127.0.0.2", 1)+"/v/master", http.StatusFound)
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("/short", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp2t")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(segment))
	})
	origin := httptest.NewServer(mux)
	t.Cleanup(origin.Close)
	return origin
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func newProxied(t *testing.T, path string) *fixture {
	t.Helper()
	f := newFixture(t, media.Options{Proxy: true, ProxyNetworks: loopback})
	f.foreign = newOrigin(t).URL + path
	return f
}

// entries returns the paths that a playlist refers to.
func entries(t *testing.T, path, playlist string) (paths []string) {
	t.Helper()
	base, _ := url.Parse("http://filmstrip.example" + path)
	for line := range strings.Lines(playlist) {
		line = strings.TrimRight(line, "\r\n")
		if _, attribute, ok := strings.Cut(line, `URI="`); ok && strings.HasPrefix(line, "#EXT") {
			line, _, _ = strings.Cut(attribute, `"`)
		}
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "skd:") || strings.HasPrefix(line, "data:") {
			continue
		}
		u, err := base.Parse(line)
		if err != nil || u.Host != base.Host {
			t.Fatalf("%s leads to %s", path, line)
		}
		paths = append(paths, u.EscapedPath())
	}
	return paths
}

func TestProxyPassesAWholeStream(t *testing.T) {
	for _, start := range []string{"/v/master", "/redirected"} {
		f := newProxied(t, start)
		path := f.signer.Sign(foreignVideo, noon)
		response := f.get("GET", path, "Range", "bytes=0-", "Cookie", "a=b", "Authorization", "Bearer x")
		master := bodyOf(t, response)
		if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/vnd.apple.mpegurl" ||
			response.Header.Get("Set-Cookie") != "" || response.Header.Get("ETag") != "" {
			t.Fatalf("the master is answered %d, %v", response.StatusCode, response.Header)
		}
		if !strings.Contains(master, `URI="skd://key"`) || !strings.Contains(master, "BANDWIDTH=1,AUDIO=\"a\"\r\n") {
			t.Errorf("the master lost something: %s", master)
		}
		variants := entries(t, path, master)
		if len(variants) != 2 {
			t.Fatalf("the master leads to %v", variants)
		}
		for _, variant := range variants {
			if !strings.HasSuffix(variant, "/list.m3u8") {
				t.Errorf("the variant's address %s does not end in its name", variant)
			}
			playlist := bodyOf(t, f.get("GET", variant))
			for _, kept := range []string{"#a comment, URI=\"x\"\n\n", `URI="data:text/plain;base64,AAAA"`, `BYTERANGE="10@0"`, "#EXT-X-ENDLIST"} {
				if !strings.Contains(playlist, kept) {
					t.Errorf("the variant lost %q: %s", kept, playlist)
				}
			}
			parts := entries(t, variant, playlist)
			if len(parts) != 3 {
				t.Fatalf("the variant leads to %v", parts)
			}
			for _, part := range parts {
				if response := f.get("GET", part); response.StatusCode != 200 || bodyOf(t, response) != segment {
					t.Errorf("%s is answered %d", part, response.StatusCode)
				}
			}
		}
	}
}

// segments returns the addresses of init.mp4, seg-0.ts and the page that is named seg-1.ts.
func (f *fixture) segments(t *testing.T) []string {
	t.Helper()
	path := f.signer.Sign(foreignVideo, noon)
	variant := entries(t, path, bodyOf(t, f.get("GET", path)))[1]
	return entries(t, variant, bodyOf(t, f.get("GET", variant)))
}

func TestProxyKeepsWhatSegmentsNeed(t *testing.T) {
	f := newProxied(t, "/v/master")
	parts := f.segments(t)
	whole := f.get("GET", parts[1])
	header := whole.Header
	if header.Get("Content-Type") != "video/mp2t" || header.Get("ETag") != `"tag"` || header.Get("Content-Length") != "10" ||
		header.Get("Set-Cookie") != "" || header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.HasPrefix(header.Get("Cache-Control"), "private") {
		t.Errorf("the segment's header is %v", header)
	}
	part := f.get("GET", parts[1], "Range", "bytes=2-4")
	if part.StatusCode != 206 || bodyOf(t, part) != "234" || part.Header.Get("Content-Range") != "bytes 2-4/10" {
		t.Errorf("the range is answered %d, %v", part.StatusCode, part.Header)
	}
	if again := f.get("GET", parts[1], "If-None-Match", `"tag"`); again.StatusCode != 304 {
		t.Errorf("the known segment is answered %d", again.StatusCode)
	}
	if head := f.get("HEAD", parts[1]); head.StatusCode != 200 || bodyOf(t, head) != "" || head.Header.Get("Content-Length") != "10" {
		t.Errorf("HEAD is answered %d, %v", head.StatusCode, head.Header)
	}
	expectError(t, f.get("GET", parts[1], "Range", "bytes=99-"), 416)
	if page := f.get("GET", parts[2]); page.Header.Get("Content-Type") != "application/octet-stream" ||
		page.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a page of the origin's is passed on as %v", page.Header)
	}
}

func TestProxyRejectsUnsealedAddresses(t *testing.T) {
	f := newProxied(t, "/v/master")
	sealed := f.segments(t)[1]
	start := strings.Index(sealed, "/via/") + len("/via/")
	if response := f.get("GET", sealed); response.StatusCode != 200 {
		t.Fatalf("the sealed address is answered %d", response.StatusCode)
	}
	for i := start; i < len(sealed); i++ {
		for _, c := range []string{"A", "b", "_", "%0A"} {
			if sealed[i:i+1] == c || sealed[i] == '/' {
				continue
			}
			if got := f.get("GET", sealed[:i]+c+sealed[i+1:]); got.StatusCode != 403 {
				t.Fatalf("with %q at %d it is answered %d", c, i, got.StatusCode)
			}
		}
	}
	// The sealed address is valid neither with another video's token nor with a token of another hour.
	f.playing = f.foreign
	for _, path := range []string{
		f.signer.Sign(video, noon), f.signer.Sign(foreignVideo, noon.Add(time.Hour)),
	} {
		if response := f.get("GET", path); response.StatusCode != 200 {
			t.Fatalf("the other address is answered %d itself", response.StatusCode)
		}
		expectError(t, f.get("GET", siblingOf(path, sealed[start-len("via/"):])), 403)
	}
	expectError(t, f.get("GET", siblingOf(f.signer.Sign(foreignVideo, noon), "seg-0.ts")), 404)
	expectError(t, f.get("GET", siblingOf(f.signer.Sign(foreignVideo, noon), "via/")), 403)
}

func TestProxyIsBounded(t *testing.T) {
	for _, c := range []struct {
		path   string
		status int
	}{
		{"/loop", 503}, {"/away", 503}, {"/private", 503}, {"/broken", 503}, {"/large", 503},
		{"/many", 503}, {"/attributes", 503}, {"/entry", 503}, {"/far", 503},
		{"/page.m3u8", 503}, {"/missing", 404},
	} {
		t.Run(c.path, func(t *testing.T) {
			f := newProxied(t, c.path)
			expectError(t, f.get("GET", f.signer.Sign(foreignVideo, noon)), c.status)
		})
	}
}

// TestProxyPassesLongPlaylists checks that the bounds leave room for films of many hours with long addresses.
func TestProxyPassesLongPlaylists(t *testing.T) {
	for path, segments := range map[string]int{signedFolder + "list.m3u8": 21_600, "/signed.m3u8": 1_800} {
		f := newProxied(t, path)
		signed := f.signer.Sign(foreignVideo, noon)
		response := f.get("GET", signed)
		playlist := bodyOf(t, response)
		if response.StatusCode != 200 || !strings.HasSuffix(playlist, "#EXT-X-ENDLIST\n") {
			t.Fatalf("%.20s is answered %d: %.200s", path, response.StatusCode, playlist)
		}
		parts := entries(t, signed, playlist)
		if len(parts) != segments {
			t.Fatalf("%.20s leads to %d segments", path, len(parts))
		}
		if part := f.get("GET", parts[0]); part.StatusCode != 200 || bodyOf(t, part) != segment {
			t.Errorf("the first segment of %.20s is answered %d", path, part.StatusCode)
		}
	}
}

func TestProxyReachesPublicNetworksOnly(t *testing.T) {
	f := newProxied(t, "/v/master")
	closed := newFixture(t, media.Options{Proxy: true})
	closed.foreign = strings.Replace(f.foreign, "127.0.0.1", "localhost", 1)
	expectError(t, closed.get("GET", closed.signer.Sign(foreignVideo, noon)), 503)
}

// TestProxyBreaksOffWithTheOrigin checks that a truncated body of the origin does not look complete to the client.
func TestProxyBreaksOffWithTheOrigin(t *testing.T) {
	f := newProxied(t, "/short")
	ours := httptest.NewServer(f)
	defer ours.Close()
	response, err := http.Get(ours.URL + f.signer.Sign(foreignVideo, noon))
	if err == nil {
		defer response.Body.Close()
		_, err = io.ReadAll(response.Body)
	}
	if err == nil {
		t.Error("a file that breaks off arrives as if it were whole")
	}
}
