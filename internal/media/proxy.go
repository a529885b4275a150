package media

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/egress"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// The limits of proxied streams.
const (
	proxyTime        = 2 * time.Minute // from the request to the last byte
	maxPlaylistBytes = 4 << 20
	maxSegmentBytes  = 256 << 20
	maxRedirects     = 3
)

// proxy passes foreign streams through. It requests only URLs that an operator stored, or that a playlist on the way
// from there contained (sealed), and connects to public networks only.
type proxy struct{ client *http.Client }

func newProxy(networks []netip.Prefix) *proxy {
	transport := egress.NewTransport(egress.Options{Allowed: networks, Setting: "--stream-networks"})
	transport.DisableCompression = true // bytes are passed on unchanged
	return &proxy{client: &http.Client{
		Transport: transport,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects || !isWeb(r.URL) {
				return errors.New("media: redirected too often, or away from the web")
			}
			r.Header.Del("Referer")
			return nil
		},
	}}
}

func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// serve serves a file of the stream whose playlist is at stored.
func (p *proxy) serve(w http.ResponseWriter, r *http.Request, granted grant, stored, file string) error {
	address, up := stored, ""
	if file != playlistFile {
		sealed, isSealed := strings.CutPrefix(file, sealedPath)
		if !isSealed {
			return errNoSuchFile(file)
		}
		var ok bool
		if address, ok = granted.unseal(sealed); !ok {
			return errNotSigned()
		}
		up = "../../"
	}
	ctx, cancel := context.WithTimeout(r.Context(), proxyTime)
	defer cancel()
	response, err := p.fetch(ctx, r, address, file == playlistFile)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body := bufio.NewReader(response.Body)
	if isPlaylist(response, body) {
		return passPlaylist(w, r, response, body, func(address string) string {
			return up + sealedPath + granted.seal(address)
		})
	}
	return passSegment(w, r, response, body)
}

// fetch requests a URL. playlist reports whether it is known to be a playlist. A response that must not be passed on is
// an error.
func (p *proxy) fetch(ctx context.Context, r *http.Request, address string, playlist bool) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, address, nil)
	if err != nil || !isWeb(request.URL) {
		return nil, unreachable(errors.New("media: the stream's address is not one of the web"))
	}
	request.Header.Set("User-Agent", "Filmstrip")
	if !playlist && !isPlaylistName(request.URL.Path) { // a rewritten playlist has other ranges and entity tags
		for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
			if value := r.Header.Get(name); value != "" {
				request.Header.Set(name, value)
			}
		}
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, unreachable(err)
	}
	switch response.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusNotModified, http.StatusRequestedRangeNotSatisfiable:
		return response, nil
	}
	_ = response.Body.Close()
	if response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone {
		return nil, errNoSuchFile(path.Base(r.URL.Path))
	}
	return nil, unreachable(errors.New("media: the origin answered " + response.Status))
}

func unreachable(cause error) error {
	return &fault.Error{
		Code: fault.Unavailable, Message: "the stream cannot be fetched from where it lies", Cause: cause,
	}
}

func isPlaylistName(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == ".m3u8" || extension == ".m3u"
}

func isPlaylist(response *http.Response, body *bufio.Reader) bool {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if strings.HasSuffix(strings.ToLower(kind), "mpegurl") || isPlaylistName(response.Request.URL.Path) {
		return true
	}
	if response.StatusCode != http.StatusOK {
		return false
	}
	start, _ := body.Peek(len(playlistMark))
	return string(start) == playlistMark
}

const playlistMark = "#EXTM3U"

func passPlaylist(w http.ResponseWriter, r *http.Request, response *http.Response, body io.Reader, seal func(string) string) error {
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "" {
		return unreachable(errors.New("media: the origin answered " + response.Status + " with part of a playlist, or a packed one"))
	}
	header := w.Header()
	header.Set("Content-Type", playlistType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-cache")
	if r.Method == http.MethodHead {
		return nil
	}
	playlist, err := io.ReadAll(io.LimitReader(body, maxPlaylistBytes+1))
	if err != nil || len(playlist) > maxPlaylistBytes || !bytes.HasPrefix(playlist, []byte(playlistMark)) {
		return unreachable(errors.Join(err, errors.New("media: the origin sent no whole playlist")))
	}
	rewritten, err := rewritePlaylist(response.Request.Context(), playlist, response.Request.URL, seal)
	if err != nil {
		return unreachable(err)
	}
	_, _ = w.Write(rewritten)
	return nil
}

func passSegment(w http.ResponseWriter, r *http.Request, response *http.Response, body io.Reader) error {
	if response.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		httperror.Write(w, r, response.StatusCode, "", "the requested range lies outside of the file", nil)
		return nil
	}
	if response.ContentLength > maxSegmentBytes {
		return unreachable(errors.New("media: the origin's file is too large"))
	}
	header := w.Header()
	for _, name := range []string{"Content-Length", "Content-Range", "Content-Encoding", "Accept-Ranges", "ETag", "Last-Modified"} {
		if value := response.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	header.Set("Content-Type", harmlessType(response.Header.Get("Content-Type")))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, max-age=3600")
	w.WriteHeader(response.StatusCode)
	if r.Method == http.MethodHead || response.StatusCode == http.StatusNotModified {
		return nil
	}
	n, err := io.Copy(w, io.LimitReader(body, maxSegmentBytes+1))
	if err != nil || n > maxSegmentBytes {
		// The status has been sent. Only breaking the connection shows the player that the body is incomplete.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// harmlessType keeps media types. Other content, which a browser might run as a page of ours, is passed on as bytes.
func harmlessType(contentType string) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch family, _, _ := strings.Cut(kind, "/"); {
	case family == "video", family == "audio", kind == "image/jpeg", kind == "image/png", kind == "text/vtt",
		kind == "application/mp4":
		return contentType
	}
	return "application/octet-stream"
}
