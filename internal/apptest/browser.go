package apptest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/demo"
)

// StopAt makes the browser follow redirects up to a URL with this prefix.
func (b *Browser) StopAt(address string) {
	b.Client.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), address) {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// Browser keeps cookies and follows redirects, except to the application, which does not exist.
type Browser struct {
	testing.TB
	Client http.Client
}

// NewBrowser returns a browser without cookies.
func NewBrowser(t testing.TB) *Browser {
	return &Browser{TB: t, Client: http.Client{Jar: Must(cookiejar.New(nil))(t), Timeout: 30 * time.Second}}
}

// SignIn opens an authorization request, submits the form, and returns the parameters that the application receives.
func (b *Browser) SignIn(address, username, password string) url.Values {
	b.Helper()
	b.StopAt(demo.RedirectURI)
	form, _ := b.Open(http.MethodGet, address, nil)
	answer, page := b.Send(form, username, password)
	back, err := answer.Location()
	if err != nil {
		b.Fatalf("%s: %s", answer.Status, page)
	}
	return back.Query()
}

// Send submits the sign-in form of a page.
func (b *Browser) Send(page *http.Response, username, password string) (*http.Response, []byte) {
	b.Helper()
	html := Must(io.ReadAll(page.Body))(b)
	action, request := formAction.FindSubmatch(html), formRequest.FindSubmatch(html)
	if action == nil || request == nil {
		b.Fatalf("no form: %s %s", page.Status, html)
	}
	to := Must(page.Request.URL.Parse(string(action[1])))(b)
	return b.Open(http.MethodPost, to.String(), url.Values{"request": {string(request[1])}, "username": {username}, "password": {password}})
}

// Open sends a request. The body of the response can still be read.
func (b *Browser) Open(method, address string, form url.Values) (*http.Response, []byte) {
	b.Helper()
	request := Must(http.NewRequestWithContext(b.Context(), method, address, strings.NewReader(form.Encode())))(b)
	request.Header.Set("Accept", "text/html")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer := Must(b.Client.Do(request))(b)
	defer answer.Body.Close()
	body := Must(io.ReadAll(answer.Body))(b)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, body
}

var (
	formAction  = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	formRequest = regexp.MustCompile(`name="request" value="([^"]*)"`)
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
