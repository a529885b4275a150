//go:build system

package signin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

const foreignFolder = "testdata/foreign"

// foreign is an independent implementation of an OpenID Provider.
type foreign struct {
	t        *testing.T
	issuer   string
	provider *testservers.LineProcess
}

func startForeign(t *testing.T, clients ...map[string]any) *foreign {
	t.Helper()
	encoded, err := json.Marshal(clients)
	if err != nil {
		t.Fatal(err)
	}
	program := testservers.Node(t, "sign-in at providers", foreignFolder, "oidc-provider")
	f := &foreign{t: t}
	f.provider, f.issuer = testservers.StartLineProcess(t, func() *exec.Cmd {
		command := exec.Command(program, "provider.mjs", string(encoded))
		command.Dir = foreignFolder
		return command
	}, func(line string) bool { return strings.HasPrefix(line, "http://") })
	return f
}

func (f *foreign) rotate() {
	f.t.Helper()
	_, err := fmt.Fprintln(f.provider.In, "rotate")
	if _, rotated := f.provider.Line(func(line string) bool { return line == "rotated" }); err != nil || !rotated {
		f.t.Fatalf("the provider did not rotate its keys: %v", err)
	}
}

var interaction = regexp.MustCompile(`action="([^"]+)"`)

// walk fills in the provider's pages as a user would, and returns the answer that redirects the browser to the
// application.
func (f *foreign) walk(b *browser, answer page, login string) page {
	f.t.Helper()
	for range 20 {
		location := answer.Header.Get("Location")
		switch form := interaction.FindStringSubmatch(answer.body); {
		case strings.HasPrefix(location, "https://app.example/"):
			return answer
		case location != "":
			address, err := answer.Request.URL.Parse(location)
			if err != nil {
				f.t.Fatal(err)
			}
			answer = b.get(address.String())
		case form != nil && strings.Contains(answer.body, `name="login"`):
			answer = b.post(form[1], url.Values{"prompt": {"login"}, "login": {login}, "password": {"any"}})
		case form != nil:
			answer = b.post(form[1], url.Values{"prompt": {"consent"}})
		default:
			f.t.Fatalf("%s: %d\n%s", answer.Request.URL, answer.StatusCode, answer.body)
		}
	}
	f.t.Fatal("the way never ends")
	return page{}
}

// TestForeignProvider checks that users can sign in at an independent provider, with each signature algorithm and
// client authentication method, and after the provider has changed its keys.
func TestForeignProvider(t *testing.T) {
	w := newWorld(t)
	ways := []struct{ alias, algorithm, method string }{
		{"rsa", "RS256", "client_secret_basic"}, {"ec", "ES256", "client_secret_post"}, {"ed", "EdDSA", "none"},
	}
	var clients []map[string]any
	for _, way := range ways {
		client := map[string]any{
			"client_id": way.alias, "redirect_uris": []string{w.URL + "/v1/authorize/callback/foreign/" + way.alias},
			"id_token_signed_response_alg": way.algorithm, "token_endpoint_auth_method": way.method,
		}
		if way.method != "none" {
			client["client_secret"] = secretOf(way.alias)
		}
		clients = append(clients, client)
	}
	f := startForeign(t, clients...)
	var providers []account.IdentityProvider
	for _, way := range ways {
		provider := account.IdentityProvider{Alias: way.alias, Name: way.alias, Issuer: f.issuer, ClientID: way.alias}
		if way.method != "none" {
			provider.ClientSecret = secretOf(way.alias)
		}
		providers = append(providers, provider)
	}
	w.federated("foreign", false, providers...)

	seen := map[string]bool{}
	signIn := func(alias string) {
		t.Helper()
		b := w.browser()
		shown := b.get(authorize("client_id", "foreign-web"))
		answer := f.walk(b, b.post("/v1/authorize/login", shown.form(t, "provider", alias)), "ann")
		user := w.userOf(w.code(answer, appURI).User)
		if user.Subject != "ann" || user.Issuer != f.issuer || user.Email != "ann@school.example" || !user.EmailVerified || user.Name() != "Ann ann" {
			t.Errorf("%s: got %+v", alias, user)
		}
		seen[user.ID] = true
	}
	for _, way := range ways {
		signIn(way.alias)
	}
	f.rotate()
	for _, way := range ways {
		signIn(way.alias)
	}
	if len(seen) != 1 {
		t.Errorf("one person is %d users", len(seen))
	}
	if answer := w.browser().get("/v1/authorize/callback/foreign/rsa?code=x&state=y"); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d", answer.StatusCode)
	}
}

func secretOf(alias string) string { return "a s3cret of " + alias + " & more: 100%+" }
