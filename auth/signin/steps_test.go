package signin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// browser is a client that keeps cookies and follows no redirect.
type browser struct {
	w *world
	*http.Client
	header http.Header
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	client := *w.Client()
	client.Jar = jar
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{w: w, Client: &client, header: http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}}}
}

// page is an answer whose body has been read.
type page struct {
	*http.Response
	body string
}

func (b *browser) do(method, address string, form url.Values, header ...string) page {
	b.w.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	if strings.HasPrefix(address, "/") {
		address = b.w.URL + address
	}
	r, err := http.NewRequestWithContext(b.w.t.Context(), method, address, body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	r.Header = b.header.Clone()
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := b.Do(r)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return page{answer, string(text)}
}

func (b *browser) get(address string, header ...string) page {
	b.w.t.Helper()
	return b.do(http.MethodGet, address, nil, header...)
}

func (b *browser) post(address string, form url.Values, header ...string) page {
	b.w.t.Helper()
	return b.do(http.MethodPost, address, form, header...)
}

// request returns a valid authorization request with changes, which are names and values in turn. An empty value
// removes a parameter.
func request(changes ...string) url.Values {
	values := url.Values{
		"response_type": {"code"}, "client_id": {"web"}, "redirect_uri": {appURI}, "state": {"st&te=1"},
		"scope": {"openid email"}, "nonce": {"n-1"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		if values.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return values
}

func authorize(changes ...string) string { return "/v1/authorize?" + request(changes...).Encode() }

var hidden = regexp.MustCompile(`name="(request|confirm|enrolled)" value="([^"]+)"`)

// form returns the data that the page's form would send, with more fields, which are names and values in turn.
func (p page) form(t *testing.T, fields ...string) url.Values {
	t.Helper()
	found := hidden.FindStringSubmatch(p.body)
	if found == nil {
		t.Fatalf("no form in %d %v\n%s", p.StatusCode, p.Header, p.body)
	}
	values := url.Values{found[1]: {html.UnescapeString(found[2])}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return values
}

// signIn fills in the login page and returns the answer.
func (b *browser) signIn(changes ...string) page {
	b.w.t.Helper()
	shown := b.get(authorize(changes...))
	return b.post("/v1/authorize/login", shown.form(b.w.t, "username", "teacher", "password", secret))
}

// answered returns the parameters of a redirect. It fails the test if the redirect does not lead to the address to, or
// lacks iss.
func (p page) answered(t *testing.T, to string) url.Values {
	t.Helper()
	location := p.Header.Get("Location")
	rest, ok := strings.CutPrefix(location, to)
	if !ok || p.StatusCode != http.StatusFound && p.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d to %q, not to %s\n%s", p.StatusCode, location, to, p.body)
	}
	if want := "?"; strings.Contains(to, "?") && !strings.HasPrefix(rest, "&") || !strings.Contains(to, "?") && !strings.HasPrefix(rest, want) {
		t.Errorf("the answer is appended as %q", rest)
	}
	values, err := url.ParseQuery(rest[1:])
	if err != nil {
		t.Fatal(err)
	}
	if values.Get("iss") != issuer {
		t.Errorf("iss is %q", values.Get("iss"))
	}
	return values
}

// redeem redeems a code and returns its stored data.
func (w *world) redeem(code string) account.Code {
	w.t.Helper()
	if raw, err := base64.RawURLEncoding.DecodeString(code); err != nil || len(raw) != 32 {
		w.t.Fatalf("the code %q holds %d bytes, %v", code, len(raw), err)
	}
	found, err := w.accounts.RedeemCode(w.t.Context(), sha256.Sum256([]byte(code)), w.clock(),
		account.Grant{Hash: sha256.Sum256([]byte("refresh" + code)), IssuedAt: w.clock(), Expires: w.clock().Add(time.Hour)},
		func(account.Code) error { return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// code returns the stored data of the code in a successful answer.
func (w *world) code(p page, to string) account.Code {
	w.t.Helper()
	values := p.answered(w.t, to)
	if values.Get("code") == "" || values.Has("error") {
		w.t.Fatalf("got %v", values)
	}
	return w.redeem(values.Get("code"))
}

func wantError(t *testing.T, p page, to, code string) {
	t.Helper()
	values := p.answered(t, to)
	if values.Get("error") != code || values.Has("code") || values.Get("error_description") == "" {
		t.Errorf("got %v, want %s", values, code)
	}
}

// wantFault checks that a page has the status and redirects nowhere.
func wantFault(t *testing.T, p page, status int) {
	t.Helper()
	if p.StatusCode != status || p.Header.Get("Location") != "" {
		t.Errorf("got %d to %q, want %d\n%s", p.StatusCode, p.Header.Get("Location"), status, p.body)
	}
}

// cookie returns the cookie with a name that an answer sets, or nil if it sets none.
func (p page) cookie(name string) *http.Cookie {
	for _, cookie := range p.Cookies() {
		if cookie.Name == name {
			return cookie
		}
	}
	return nil
}
