package limits_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// forwardedFor returns the header that states the address of a request, for a server that trusts the proxies of this machine.
func forwardedFor(address string) []string { return []string{"X-Forwarded-For", address} }

// TestLimits verifies each limit of a running server: the server refuses requests beyond it for the stated time, and
// refuses no other client.
func TestLimits(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("school", "--password-sign-in")
	h.Account("library", "--requests-per-minute", "9")
	secrets := map[string]string{}
	for client, of := range map[string]string{"lms": "school", "other-lms": "school", "catalogue": "library"} {
		secrets[client] = h.Client(client, of)
	}
	h.Client("web", "school", "--public", "--redirect-uri", demo.RedirectURI)
	for _, name := range []string{"ada", "eve"} {
		h.Filmstrip("users", "create", "--account", "school", "--username", name, "--password-file", apptest.WriteFile(t, "password", "correct horse"))
	}
	s := h.Serve("--trusted-proxies", "127.0.0.0/8", "--client-rate", "5", "--token-rate", "20", "--unauthorized-rate", "4",
		"--login-rate", "8", "--user-login-rate", "3", "--picture-rate", "6")

	t.Run("a client", func(t *testing.T) {
		s := s.In(t)
		lms, other := s.Access("lms", secrets["lms"]), s.Access("other-lms", secrets["other-lms"])
		exhaust(s, 5, `"client";q=5;w=60`, func() (*http.Response, []byte) { return s.Send("GET", "/v1/", lms, "") })
		for _, method := range []string{"HEAD", "POST"} {
			if answer, _ := s.Send(method, "/v1/videos/metadata", lms, ""); answer.StatusCode != http.StatusTooManyRequests {
				t.Errorf("%s is answered %s", method, answer.Status)
			}
		}
		if answer, _ := s.Send("POST", "/graphql", lms, `{"query":"{__typename}"}`, "Content-Type", "application/json"); answer.StatusCode != http.StatusTooManyRequests {
			t.Errorf("GraphQL answers %s", answer.Status)
		}
		if answer, _ := s.Send("OPTIONS", "/v1/", lms, ""); answer.StatusCode != http.StatusNoContent {
			t.Errorf("a question is answered %s", answer.Status)
		}
		if got := s.Status("/v1/", s.Access("lms", secrets["lms"])); got != http.StatusTooManyRequests {
			t.Errorf("with another token the client is answered %d", got)
		}
		if got := s.Status("/v1/", other); got != http.StatusOK {
			t.Errorf("another client of the account is answered %d", got)
		}
	})

	t.Run("an account's own rate", func(t *testing.T) {
		s := s.In(t)
		token := s.Access("catalogue", secrets["catalogue"])
		exhaust(s, 9, `"client";q=9;w=60`, func() (*http.Response, []byte) { return s.Send("GET", "/v1/", token, "") })
		h.In(t).Filmstrip("accounts", "update", "library", "--requests-per-minute", "30")
		s.Await(http.StatusOK, func() int { return s.Status("/v1/", token) })
	})

	t.Run("an address without a valid token", func(t *testing.T) {
		s := s.In(t)
		good, known := s.Access("other-lms", secrets["other-lms"]), s.Access("other-lms", secrets["other-lms"])
		if got := s.Status("/v1/", known, forwardedFor("192.0.2.2")...); got != http.StatusOK {
			t.Fatalf("a good token is answered %d", got)
		}
		exhaust(s, 4, `"address";q=4;w=60`, func() (*http.Response, []byte) {
			return s.Send("GET", "/v1/", "guessed", "", forwardedFor("192.0.2.1")...)
		})
		if got := s.Status("/v1/", good, forwardedFor("192.0.2.1")...); got != http.StatusTooManyRequests {
			t.Errorf("a good token among the guessed is answered %d", got)
		}
		if got := s.Status("/v1/", known, forwardedFor("192.0.2.1")...); got != http.StatusOK {
			t.Errorf("a token that was verified before is answered %d among the guessed", got)
		}
		exhaust(s, 20, `"token";q=20;w=60`, func() (*http.Response, []byte) {
			return s.Send("GET", "/v1/userinfo", "guessed", "", forwardedFor("192.0.2.66")...)
		})
		if got := s.Status("/v1/userinfo", good, forwardedFor("192.0.2.66")...); got != http.StatusTooManyRequests {
			t.Errorf("userinfo answers %d to a token that was not verified before, among the guessed", got)
		}
		if got := s.Status("/v1/userinfo", known, forwardedFor("192.0.2.66")...); got == http.StatusTooManyRequests || got == http.StatusUnauthorized {
			t.Errorf("userinfo answers %d to a token that was verified before, among the guessed", got)
		}
		if got := s.Status("/v1/", good, forwardedFor("192.0.2.2")...); got != http.StatusOK {
			t.Errorf("a good token from elsewhere is answered %d", got)
		}
	})

	t.Run("the token endpoint", func(t *testing.T) {
		s := s.In(t)
		wrong := url.Values{"grant_type": {"client_credentials"}, "client_id": {"lms"}, "client_secret": {"guessed"}}.Encode()
		form := append(forwardedFor("192.0.2.3"), "Content-Type", "application/x-www-form-urlencoded")
		exhaust(s, 20, `"token";q=20;w=60`, func() (*http.Response, []byte) { return s.Send("POST", "/v1/token", "", wrong, form...) })
		if answer, body := s.Send("POST", "/v1/revoke", "", wrong, form...); answer.StatusCode != http.StatusTooManyRequests {
			t.Errorf("its sibling answers %s %s", answer.Status, body)
		}
		s.Access("lms", secrets["lms"], forwardedFor("192.0.2.4")...)
		page, body := s.Send("GET", "/v1/authorize?client_id=web", "", "", append(form, "Accept", "text/html")...)
		wantRejectionPage(t, page, body, `"token";q=20;w=60`)
	})

	t.Run("pictures that are drawn", func(t *testing.T) {
		s := s.In(t)
		count, address := 0, forwardedFor("192.0.2.20")
		picture := func(slices int, address []string) (*http.Response, []byte) {
			return s.Send("GET", fmt.Sprintf("/v1/media/bars/width/529/vid_slices/%d", slices), "", "", address...)
		}
		exhaust(s, 6, `"pictures";q=6;w=60`, func() (*http.Response, []byte) { count++; return picture(count, address) })
		for name, answer := range map[string]func() (*http.Response, []byte){
			"one in the cache":                func() (*http.Response, []byte) { return picture(1, address) },
			"one that is drawn for elsewhere": func() (*http.Response, []byte) { return picture(50, forwardedFor("192.0.2.21")) },
		} {
			if answer, body := answer(); answer.StatusCode != http.StatusOK {
				t.Errorf("%s is answered %s %s", name, answer.Status, body)
			}
		}
	})

	t.Run("passwords of a user", func(t *testing.T) {
		s := s.In(t)
		page, body := exhaustLogins(s, t, 3, "192.0.2.5", "ada")
		wantRejectionPage(t, page, body, `"login";q=3;w=60`)
		b, form := loginForm(s, t, "192.0.2.6")
		// The user signs in from another address all the same: guesses at one address lock nobody out.
		if answer, body := b.Send(form, "ADA", "correct horse"); answer.Header.Get("Location") == "" {
			t.Errorf("the owner at another address: %s %s", answer.Status, body)
		}
		guesser, guess := loginForm(s, t, "192.0.2.5")
		answer, body := postLogin(s, t, guesser, guess, "ada", "application/json")
		wantRejection(t, answer, body, `"login";q=3;w=60`)
		b, form = loginForm(s, t, "192.0.2.16")
		if answer, body := b.Send(form, "eve", "correct horse"); answer.Header.Get("Location") == "" {
			t.Errorf("another user: %s %s", answer.Status, body)
		}
	})

	t.Run("passwords from an address", func(t *testing.T) {
		s := s.In(t)
		page, body := exhaustLogins(s, t, 8, "192.0.2.7", "")
		wantRejectionPage(t, page, body, `"login-address";q=8;w=60`)
		b, form := loginForm(s, t, "192.0.2.7")
		answer, body := postLogin(s, t, b, form, "grace", "application/json")
		wantRejection(t, answer, body, `"login-address";q=8;w=60`)
		b, form = loginForm(s, t, "192.0.2.8")
		if answer, _ := b.Send(form, "grace", "guessed"); answer.StatusCode != http.StatusForbidden {
			t.Errorf("from another address: %s", answer.Status)
		}
	})
}

// exhaust sends requests until the server refuses one, which must happen after rate successful ones. One or two more
// may pass at the boundary of two minutes, when a part of the previous minute has expired.
func exhaust(s *apptest.Server, rate int, policy string, ask func() (*http.Response, []byte)) {
	s.Helper()
	for passed := range rate + 3 {
		answer, body := ask()
		if answer.StatusCode != http.StatusTooManyRequests {
			continue
		}
		if passed < rate {
			s.Errorf("%d of %d pass", passed, rate)
		}
		wantRejection(s.TB, answer, body, policy)
		return
	}
	s.Errorf("%d of %d pass", rate+3, rate)
}

// wantRejection verifies a 429 with the error body, and headers that state the limit and the waiting time.
func wantRejection(t testing.TB, answer *http.Response, body []byte, policy string) {
	t.Helper()
	wantRejectionHeaders(t, answer, policy, time.Minute)
	wantRejectionBody(t, answer, body)
}

// wantRejectionHeaders verifies a 429 whose waiting time is at most longest, plus a second for rounding.
func wantRejectionHeaders(t testing.TB, answer *http.Response, policy string, longest time.Duration) {
	t.Helper()
	name, _, _ := strings.Cut(policy, ";")
	wait, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	if answer.StatusCode != http.StatusTooManyRequests || wait < 1 || wait > int(longest.Seconds())+1 ||
		answer.Header.Get("RateLimit-Policy") != policy || answer.Header.Get("RateLimit") != fmt.Sprintf("%s;r=0;t=%d", name, wait) {
		t.Errorf("%s by %s: %v", answer.Status, policy, answer.Header)
	}
}

func wantRejectionBody(t testing.TB, answer *http.Response, text []byte) {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil || answer.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %v: %s", answer.Header.Get("Content-Type"), err, text)
	}
	want := []string{"error", "message", "path", "reasons", "status", "timestamp"}
	if body["error"] == "slow_down" { // of OAuth
		want = slices.Insert(want, 1, "error_description")
	}
	if fields := slices.Sorted(maps.Keys(body)); !slices.Equal(fields, want) ||
		body["status"] != 429.0 || body["path"] != answer.Request.URL.Path || body["error"] == "" || body["message"] == "" {
		t.Errorf("the message is %s", text)
	}
}

// wantRejectionPage verifies the same for a page, which a browser shows to a user.
func wantRejectionPage(t testing.TB, answer *http.Response, body []byte, policy string) {
	t.Helper()
	wantRejectionHeaders(t, answer, policy, time.Minute)
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") || !strings.Contains(string(body), "<h1>Too many attempts</h1>") ||
		answer.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("a browser is shown %v %s", answer.Header, body)
	}
}

// exhaustLogins tries passwords until the server refuses one. If user is "", each attempt names another user.
func exhaustLogins(s *apptest.Server, t *testing.T, rate int, address, user string) (*http.Response, []byte) {
	t.Helper()
	b, form := loginForm(s, t, address)
	for passed := range rate + 3 {
		name := user
		if name == "" {
			name = fmt.Sprint("user", passed)
		}
		answer, body := b.Send(form, name, "guessed")
		if answer.StatusCode == http.StatusForbidden {
			continue
		}
		if passed < rate {
			t.Errorf("%d of %d pass", passed, rate)
		}
		return answer, body
	}
	t.Fatalf("%d of %d pass", rate+3, rate)
	return nil, nil
}

// loginForm opens the sign-in page in a new browser at an address. The body of the page can be read repeatedly.
func loginForm(s *apptest.Server, t *testing.T, address string) (*apptest.Browser, *http.Response) {
	t.Helper()
	b := apptest.NewBrowser(t)
	b.Client.Transport = addressTransport(address)
	b.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	page, body := b.Open("GET", s.Base+"/v1/authorize?response_type=code&client_id=web&redirect_uri="+url.QueryEscape(demo.RedirectURI), nil)
	page.Body = &rereadableBody{body: body}
	return b, page
}

// postLogin sends the form like a program that accepts another media type.
func postLogin(s *apptest.Server, t *testing.T, b *apptest.Browser, form *http.Response, user, accept string) (*http.Response, []byte) {
	t.Helper()
	b.Client.Transport = acceptTransport{b.Client.Transport, accept}
	return b.Send(form, user, "guessed")
}

// addressTransport is a transport that sends requests from an address, as a proxy reports it.
type addressTransport string

// RoundTrip implements http.RoundTripper.
func (at addressTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", string(at))
	return http.DefaultTransport.RoundTrip(r)
}

// acceptTransport is a transport that requests a media type.
type acceptTransport struct {
	http.RoundTripper
	mediaType string
}

// RoundTrip implements http.RoundTripper.
func (a acceptTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", a.mediaType)
	return a.RoundTripper.RoundTrip(r)
}

// rereadableBody is a body that starts again when it has been read.
type rereadableBody struct {
	body []byte
	at   int
}

// Read implements io.Reader.
func (a *rereadableBody) Read(p []byte) (int, error) {
	if a.at == len(a.body) {
		a.at = 0
		return 0, io.EOF
	}
	n := copy(p, a.body[a.at:])
	a.at += n
	return n, nil
}

// Close implements io.Closer.
func (a *rereadableBody) Close() error { return nil }
