package web

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
	embeds "github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

//go:embed watch
var watchFiles embed.FS

var (
	embedPage   = template.Must(template.ParseFS(watchFiles, "watch/embed.html"))
	refusedPage = template.Must(template.ParseFS(watchFiles, "watch/refused.html"))
)

// playingPolicy allows playback: streams, posters and captions may come from any origin in the operator's catalogue.
const playingPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self' blob:; " +
	"img-src 'self' https: data: blob:; media-src 'self' https: blob:; base-uri 'none'"

// Opener opens embed URLs; it is *embed.Opener.
type Opener interface {
	Open(ctx context.Context, video string, values url.Values) (embeds.Opened, error)
	Renew(ctx context.Context, video string, values url.Values) (embeds.Opened, error)
}

// Embed serves the pages with which customers' sites show one video, at /embed/{id}, and their files. For an invalid
// URL it serves an error page, or the error body if the request prefers JSON: 410 if the URL has expired, 403 if it
// was not signed or is no longer allowed, 404 if the video is gone. /embed/{id}/token, with the query of the page and
// its viewing, returns the next token. It supports GET and HEAD only; the router rejects other methods. limit counts
// pages by client address and by embed (embed.Grant.Fingerprint) and returns an error if there are too many; nil
// means no limit.
func Embed(opener Opener, limit func(r *http.Request, embed string) error) http.Handler {
	assets := watchAssets("embed.css", "embed.js")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setEmbedHeaders(w.Header())
		id := strings.TrimPrefix(r.URL.Path, embeds.Path)
		if asset := assets[id]; asset != nil {
			asset.ServeHTTP(w, r)
			return
		}
		id, isToken := strings.CutSuffix(id, "/token")
		if id == "" || strings.Contains(id, "/") {
			NotFound(w, r)
			return
		}
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			query = nil // no signature stands for what cannot be read
		}
		open := opener.Open
		if isToken {
			open = opener.Renew
		}
		opened, err := open(r.Context(), id, query)
		if err == nil && !isToken && limit != nil {
			err = limit(r, opened.Fingerprint())
		}
		switch {
		case err != nil:
			writeEmbedError(w, r, opened, err, isToken)
		case isToken:
			writeToken(w, r, opened)
		default:
			setFrameAncestors(w.Header(), opened.Origins)
			writePage(w, r, http.StatusOK, embedPage, embedView(opened, query))
		}
	})
}

// setEmbedHeaders sets the headers of every response: it must not be stored, must not leak to the next site, and must
// not be readable by scripts of other origins, even if those scripts may read the API.
func setEmbedHeaders(header http.Header) {
	for _, name := range []string{"Origin", "Credentials"} {
		header.Del("Access-Control-Allow-" + name)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	setFrameAncestors(header, nil)
}

// setFrameAncestors allows only pages of these origins to frame the response. X-Frame-Options is not set because it
// does not support lists.
func setFrameAncestors(header http.Header, origins []string) {
	ancestors := "'none'"
	if len(origins) > 0 {
		ancestors = strings.Join(origins, " ")
	}
	header.Set("Content-Security-Policy", playingPolicy+"; connect-src 'self' https:; form-action 'none'; frame-ancestors "+ancestors)
}

// embedded is the data of the page.
type embedded struct {
	Title, Video, Token, Renew string
	Start, End                 string
}

func embedView(opened embeds.Opened, query url.Values) embedded {
	view := embedded{
		Title: opened.Title, Video: string(opened.ID), Token: opened.Token,
		Renew: string(opened.Video) + "/token?" + query.Encode() + "&" + embeds.ViewingParameter + "=" + url.QueryEscape(opened.Viewing),
	}
	if opened.Start > 0 {
		view.Start = strconv.FormatFloat(opened.Start, 'f', -1, 64)
	}
	if opened.End > 0 {
		view.End = strconv.FormatFloat(opened.End, 'f', -1, 64)
	}
	return view
}

func writeToken(w http.ResponseWriter, r *http.Request, opened embeds.Opened) {
	body, err := json.Marshal(struct {
		Token     string `json:"token"`
		ExpiresIn int64  `json:"expiresIn"`
	}{opened.Token, int64(opened.Life.Seconds())})
	if err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// errorView is the error shown for an invalid URL.
type errorView struct{ Title, Message string }

func writeEmbedError(w http.ResponseWriter, r *http.Request, opened embeds.Opened, err error, isToken bool) {
	status := httperror.StatusOf(fault.CodeOf(err))
	if errors.Is(err, embeds.ErrExpired) {
		status = http.StatusGone
	}
	var cause *fault.Error
	if !errors.As(err, &cause) || status == http.StatusInternalServerError {
		httperror.WriteError(w, r, err)
		return
	}
	if isToken || !httperror.PrefersHTML(r) {
		httperror.Write(w, r, status, cause.Label, cause.Message, nil)
		return
	}
	setFrameAncestors(w.Header(), opened.Origins) // so that those who look at the page that frames it learn why
	httperror.SetHeaders(w, err)
	view := errorView{"This video cannot be shown", "This address is not valid. Ask the owner of the page for a new one."}
	switch {
	case status == http.StatusGone:
		view = errorView{"This address has expired", "Reload the page. If that does not help, the owner of the page needs a new address for this video."}
	case status == http.StatusNotFound:
		view.Message = "The video no longer exists, or the creator of this address may not show it."
	case status == http.StatusTooManyRequests:
		view = errorView{"Too many viewers at the moment", "The video has been opened too often in the last minute. Try again later."}
	case status == http.StatusServiceUnavailable:
		view.Message = "The service is temporarily unavailable. Try again later."
		w.Header().Set("Retry-After", "1")
	case opened.Client != "":
		view.Message = "The creator of this address may no longer show videos on this page."
	}
	writePage(w, r, status, refusedPage, view)
}

// writePage writes a page completely or not at all.
func writePage(w http.ResponseWriter, r *http.Request, status int, page *template.Template, view any) {
	var b bytes.Buffer
	if err := page.Execute(&b, view); err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes())
	}
}

// watchAssets returns some of the files of the watch pages.
func watchAssets(names ...string) map[string]*asset {
	all, err := assetsOf(watchFiles, "watch", keepAsking)
	if err != nil { // the files are in the binary
		panic(err)
	}
	some := map[string]*asset{}
	for _, name := range names {
		some[name] = all[name]
	}
	return some
}
