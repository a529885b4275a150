package web

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/web/design"
	"github.com/filmstrip/filmstrip/web/guides"
)

var (
	//go:embed site
	siteFiles embed.FS
	//go:embed app/dist/landing/landing.css
	siteStyle []byte
	//go:embed app/dist/guides/guides.js
	guidesScript []byte
)

var (
	landingPage = template.Must(template.ParseFS(siteFiles, "site/landing.html"))
	missingPage = template.Must(template.ParseFS(siteFiles, "site/missing.html"))
)

// sitePolicy allows style sheets and images of this server. The pages have no scripts.
const sitePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// robots lets search engines read the start page and the documentation only.
const robots = "User-agent: *\nAllow: /$\nAllow: /docs\nAllow: /design/\nDisallow: /\n"

// DemoView is what the landing page shows of a demonstration. Paths are relative to the landing page.
type DemoView struct {
	Clients      []DemoClient // at least one
	User, Secret string
	Staff        []string       // the names of users who can sign in to the console
	Catalogue    *DemoCatalogue // nil: the server shows another catalogue
}

// DemoCatalogue is the catalogue of a demonstration. Play is the path of a page that plays one of its videos.
type DemoCatalogue struct {
	VideoCount, SubjectCount int
	Play                     string
	Videos                   []DemoVideo
}

// DemoClient is a client, with what its account sees.
type DemoClient struct{ ID, Name, Sees string }

// DemoVideo is a video with the paths of its page and of its poster.
type DemoVideo struct{ Title, Page, Poster string }

// SiteConfig contains the values of the landing page.
type SiteConfig struct {
	Base    func() string // returns the server's base URL, without a slash at the end
	Version string
	// Demo returns what the page shows in demo mode; nil outside it, where the page reveals nothing about the server.
	Demo func(context.Context) *DemoView
}

// Site serves the landing page at /, and a page with status 404 everywhere else.
func Site(config SiteConfig) http.Handler {
	view := struct {
		Head, Header  template.HTML
		Base, Version string
		Demo          *DemoView
	}{Head: design.Head(""), Header: design.Header("", ""), Version: config.Version}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			NotFound(w, r)
			return
		}
		setSiteHeaders(w.Header())
		view := view
		view.Base = config.Base()
		if config.Demo != nil {
			view.Demo = config.Demo(r.Context())
		}
		writePage(w, r, http.StatusOK, landingPage, view)
	})
}

// SiteFiles serves the files that all pages share: style sheets and the logo below /design/, /favicon.ico and
// /robots.txt. It supports GET and HEAD only; the router rejects other methods.
func SiteFiles() http.Handler {
	files := map[string]*asset{
		design.StylePath:     newAsset("filmstrip.css", design.Style, keepAsking),
		design.LogoPath:      newAsset("logo.svg", design.Logo, keepAsking),
		design.IconPath:      newAsset("favicon.ico", design.Icon, keepShortly),
		"/robots.txt":        newAsset("robots.txt", []byte(robots), keepShortly),
		"/design/site.css":   newAsset("site.css", siteStyle, keepAsking),
		"/design/guides.css": newAsset("guides.css", guides.Style, keepAsking),
		"/design/guides.js":  newAsset("guides.js", guidesScript, keepAsking),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := files[r.URL.Path]
		if file == nil {
			NotFound(w, r)
			return
		}
		file.ServeHTTP(w, r)
	})
}

func setSiteHeaders(header http.Header) {
	header.Set("Cache-Control", keepAsking)
	header.Set("Content-Security-Policy", sitePolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
}

// NotFound answers 404, with a page for clients that prefer HTML and with the error body for others.
func NotFound(w http.ResponseWriter, r *http.Request) {
	if !httperror.PrefersHTML(r) {
		httperror.Write(w, r, http.StatusNotFound, "", "there is nothing at this address", nil)
		return
	}
	setSiteHeaders(w.Header())
	root := strings.Repeat("../", strings.Count(r.URL.EscapedPath(), "/")-1)
	writePage(w, r, http.StatusNotFound, missingPage, struct {
		Head, Header template.HTML
		Root, Path   string
	}{design.Head(root), design.Header(root, ""), root, r.URL.Path})
}
