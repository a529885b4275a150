package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// house is a store with accounts of a test's own, administered by commands while servers run on it.
type house struct {
	testing.TB
	where []string // by which settings commands and servers find it
}

// newHouse makes an empty store.
func newHouse(t testing.TB, engine combination) house {
	t.Helper()
	h := house{t, append([]string{"--data", t.TempDir()}, engine.settings(t)...)}
	h.run("migrate")
	return h
}

// run runs a command on the store and returns what it prints.
func (h house) run(args ...string) string {
	h.Helper()
	return succeed(h.TB, append(args, h.where...)...)
}

// in is the house for a part of a test.
func (h house) in(t testing.TB) house { return house{t, h.where} }

// account adds an account of the smallest tier.
func (h house) account(id string, more ...string) {
	h.Helper()
	h.run(append([]string{"accounts", "create", id, "--name", id, "--tier", "basic"}, more...)...)
}

// client adds a client and returns its secret.
func (h house) client(id, account string, more ...string) string {
	h.Helper()
	return h.secret(append([]string{"clients", "create", id, "--account", account}, more...)...)
}

// secret runs a command that shows a secret.
func (h house) secret(args ...string) string {
	h.Helper()
	var made struct{ Secret string }
	h.read(&made, args...)
	return made.Secret
}

// read runs a command that prints JSON.
func (h house) read(into any, args ...string) {
	h.Helper()
	if err := json.Unmarshal([]byte(h.run(append(args, "--json")...)), into); err != nil {
		h.Fatal(err)
	}
}

// serve starts a server on the store.
func (h house) serve(settings ...string) *server {
	h.Helper()
	return startServer(h.TB, append(settings, h.where...)...)
}

// in is the server for a part of a test.
func (s *server) in(t testing.TB) *server {
	part := *s
	part.TB, part.token = t, ""
	return &part
}

// ask sends a request with a token, where there is one; header holds pairs of name and value. The answer is
// read: its body may be read again.
func (s *server) ask(method, path, token, body string, header ...string) (*http.Response, []byte) {
	s.Helper()
	request := must(http.NewRequestWithContext(s.Context(), method, s.base+path, strings.NewReader(body)))(s)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	// What redirects is looked at, not followed.
	response := must(http.DefaultTransport.RoundTrip(request))(s)
	defer response.Body.Close()
	return response, must(io.ReadAll(response.Body))(s)
}

// post sends a form, and reads the JSON that it is answered with.
func (s *server) post(path string, form url.Values, header ...string) (*http.Response, map[string]any) {
	s.Helper()
	response, body := s.ask("POST", path, "", form.Encode(), append(header, "Content-Type", "application/x-www-form-urlencoded")...)
	var answer map[string]any
	if len(body) > 0 {
		if err := json.Unmarshal(body, &answer); err != nil {
			s.Fatalf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	return response, answer
}

// tokens gets a client's tokens, as the answer has them.
func (s *server) tokens(client, secret string, header ...string) map[string]any {
	s.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	response, answer := s.post("/v1/token", form, header...)
	if response.StatusCode != http.StatusOK {
		s.Fatalf("%s gets no token: %d %v", client, response.StatusCode, answer)
	}
	return answer
}

// access gets a client's access token.
func (s *server) access(client, secret string, header ...string) string {
	s.Helper()
	return s.tokens(client, secret, header...)["access_token"].(string)
}

// refresh is the answer to a refresh token.
func (s *server) refresh(client, token string) (*http.Response, map[string]any) {
	s.Helper()
	return s.post("/v1/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}})
}

// status is that of the answer to a token at an address.
func (s *server) status(path, token string, header ...string) int {
	s.Helper()
	response, _ := s.ask("GET", path, token, "", header...)
	return response.StatusCode
}

// subject is whom a token stands for, as its claims say.
func subject(t testing.TB, token string) string {
	t.Helper()
	name, _ := claims(t, token, 1)["sub"].(string)
	return name
}

// claims reads a part of a token, of which 0 is the header, without looking at its signature.
func claims(t testing.TB, token string, part int) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no token", token)
	}
	var said map[string]any
	if err := json.Unmarshal(must(base64.RawURLEncoding.DecodeString(parts[part]))(t), &said); err != nil {
		t.Fatal(err)
	}
	return said
}
