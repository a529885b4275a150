package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// stopAt has the browser follow redirects up to an address that begins so.
func (b *browser) stopAt(address string) {
	b.client.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), address) {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// browser keeps cookies and follows redirects, up to an application that is not there.
type browser struct {
	testing.TB
	client http.Client
}

func newBrowser(t testing.TB) *browser {
	return &browser{TB: t, client: http.Client{Jar: must(cookiejar.New(nil))(t), Timeout: 30 * time.Second}}
}

// signIn opens an authorisation request, fills the form in, and returns what the application is told.
func (b *browser) signIn(address, username, password string) url.Values {
	b.Helper()
	b.client.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(next.URL.String(), demoRedirect) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	form, _ := b.open(http.MethodGet, address, nil)
	answer, page := b.send(form, username, password)
	back, err := answer.Location()
	if err != nil {
		b.Fatalf("%s: %s", answer.Status, page)
	}
	return back.Query()
}

// send posts the sign-in form of the page that was answered.
func (b *browser) send(page *http.Response, username, password string) (*http.Response, []byte) {
	b.Helper()
	html := must(io.ReadAll(page.Body))(b)
	action, request := formAction.FindSubmatch(html), formRequest.FindSubmatch(html)
	if action == nil || request == nil {
		b.Fatalf("no form: %s %s", page.Status, html)
	}
	to := must(page.Request.URL.Parse(string(action[1])))(b)
	return b.open(http.MethodPost, to.String(), url.Values{"request": {string(request[1])}, "username": {username}, "password": {password}})
}

// open sends a request; the body that it returns may be read from the answer too.
func (b *browser) open(method, address string, form url.Values) (*http.Response, []byte) {
	b.Helper()
	request := must(http.NewRequestWithContext(b.Context(), method, address, strings.NewReader(form.Encode())))(b)
	request.Header.Set("Accept", "text/html")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer := must(b.client.Do(request))(b)
	defer answer.Body.Close()
	body := must(io.ReadAll(answer.Body))(b)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, body
}

// walkThrough is the script of a page of docs for a server.
func walkThrough(t *testing.T, page, base string) string {
	t.Helper()
	for _, program := range []string{"bash", "curl", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			testservers.Missing(t, "docs/"+page, "there is no "+program)
		}
	}
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, block := range shellBlock.FindAllSubmatch(must(os.ReadFile(filepath.Join("..", "..", "docs", page)))(t), -1) {
		script.Write(bytes.Replace(block[1], []byte("BASE=http://127.0.0.1:8080"), []byte("BASE="+base), 1))
	}
	return script.String()
}

var (
	formAction  = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	formRequest = regexp.MustCompile(`name="request" value="([^"]*)"`)
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
