package media

import (
	"bytes"
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// Options configure the handler.
type Options struct {
	Signer *Signer
	// Find returns how a video is played and the state that decides who may see it. The handler passes its error on;
	// the code is NotFound for an unknown video.
	Find func(context.Context, catalogue.ID) (catalogue.Playback, catalogue.State, error)
	// Proxy passes foreign streams through this service. Without it, the handler redirects players to them.
	Proxy bool
	// ProxyNetworks are networks that the proxy may reach although they are not public.
	ProxyNetworks []netip.Prefix
	// Card returns the title card with a name; nil: there are none.
	Card func(name string) (Card, bool)
	// LimitDrawing limits requests for images that are not in the cache; nil means no limit.
	LimitDrawing func(http.Handler) http.Handler
	// Now is the clock.
	Now func() time.Time
}

// Handler serves all paths below StreamsPath and ImagesPath, for GET, HEAD and OPTIONS. It requires no token, sets no
// cookie and allows pages of every origin to read its responses.
//
// A stream URL that is not signed, or has expired, gets 403; a video that has been retired since, or has no stream, and
// an unknown file get 404.
func Handler(options Options) http.Handler {
	streams := &streamServer{Options: options}
	if options.Proxy {
		streams.proxy = newProxy(options.ProxyNetworks)
	}
	images := newImageServer(options)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		openToAll(w.Header())
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodOptions:
			preflight(w)
			return
		default:
			w.Header().Set("Allow", "GET, HEAD, OPTIONS")
			httperror.Write(w, r, http.StatusMethodNotAllowed, "", r.Method+" is not allowed here: use GET", nil)
			return
		}
		var err error
		if rest, ok := strings.CutPrefix(r.URL.Path, StreamsPath); ok {
			err = streams.serve(w, r, rest)
		} else if rest, ok := strings.CutPrefix(r.URL.Path, ImagesPath); ok {
			err = images.serve(w, r, rest)
		} else {
			err = errNoSuchFile(r.URL.Path)
		}
		if err != nil {
			httperror.WriteError(w, r, err)
		}
	})
}

func openToAll(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Content-Length, Content-Range, ETag, X-Service-Trace-ID")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

func preflight(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
	header.Set("Access-Control-Allow-Headers", "*")
	header.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

func errNoSuchFile(name string) error {
	return fault.Errorf(fault.NotFound, "there is no file %q", name)
}

// streamServer serves streams.
type streamServer struct {
	Options
	proxy *proxy // nil: foreign streams are redirected to
}

// serve serves "{token}/{video}/{file}".
func (s *streamServer) serve(w http.ResponseWriter, r *http.Request, rest string) error {
	token, rest, _ := strings.Cut(rest, "/")
	id, file, _ := strings.Cut(rest, "/")
	now := s.Now()
	granted, err := s.Signer.verify(token, catalogue.ID(id), now)
	if err != nil {
		return err
	}
	playback, state, err := s.Find(r.Context(), granted.id)
	if err != nil {
		return err
	}
	// The caller who received the URL could see the video, even one of a private channel. The video may have been
	// withdrawn since.
	if playback.Stream == "" || !state.VisibleTo(catalogue.Access{PrivateChannels: true}, catalogue.DateOf(now)) {
		return fault.Errorf(fault.NotFound, "video %q has no stream", id)
	}
	if name, isDemo := strings.CutPrefix(playback.Stream, catalogue.DemoStreamScheme); isDemo {
		return serveDemo(w, r, name, file, playback.Duration)
	}
	if s.proxy != nil {
		return s.proxy.serve(w, r, granted, playback.Stream, file)
	}
	if file != playlistFile {
		return errNoSuchFile(file)
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	http.Redirect(w, r, playback.Stream, http.StatusFound)
	return nil
}

// How long clients may cache the files of demo streams: segments never change, but playlists may, with a release.
const (
	playlistCaching = "private, max-age=300"
	segmentCaching  = "private, max-age=86400, immutable"
)

// serveDemo serves a file of a demo stream. The stream repeats until the length of the video.
func serveDemo(w http.ResponseWriter, r *http.Request, name, file string, length catalogue.Duration) error {
	stream, ok := demoStreams()[name]
	if !ok {
		return fault.Errorf(fault.NotFound, "there is no demo stream %q", name)
	}
	found, ok := stream.files[file]
	if !ok {
		return errNoSuchFile(file)
	}
	caching := segmentCaching
	if found.contentType == playlistType {
		caching = playlistCaching
		found = repeated(found, length)
	}
	serveAsset(w, r, found, caching)
	return nil
}

// serveAsset serves a file or the requested range of it, unless the client has it.
func serveAsset(w http.ResponseWriter, r *http.Request, a asset, caching string) {
	header := w.Header()
	header.Set("Content-Type", a.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", caching)
	header.Set("ETag", a.etag)
	refusal := func(status int) string {
		if status == http.StatusRequestedRangeNotSatisfiable {
			return "the range " + strings.ToValidUTF8(r.Header.Get("Range"), "\uFFFD") + " lies outside of the file"
		}
		return "a precondition in the request's headers does not hold"
	}
	http.ServeContent(httperror.WithBodies(w, r, refusal), r, "", time.Time{}, bytes.NewReader(a.content))
}
