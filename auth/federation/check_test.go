package federation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/auth/federation"
)

// TestCheck verifies what staff are told about a provider.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, problem string
		spoil         func(*provider)
	}{
		{"whole", "", func(*provider) {}},
		{"away", "its configuration cannot be read", func(p *provider) { p.Close() }},
		{"another issuer", "its configuration cannot be read", func(p *provider) { p.document["issuer"] = "https://other.example" }},
		{"no keys", "/keys has no keys", func(p *provider) { p.published = nil }},
		{"keys away", "/keys returned 404", func(p *provider) { p.answers["/keys"] = http.NotFound }},
		{"another secret", `does not accept the client id "` + clientID + `"`, func(p *provider) { p.methods = []string{"private_key_jwt"} }},
		{"failing", "its token endpoint returned 500", func(p *provider) {
			p.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProvider(t)
			stored := p.identityProvider()
			c.spoil(p)
			got := newClient(federation.Config{}).Check(t.Context(), stored, callback)
			if c.problem == "" && got != "" || !strings.Contains(got, c.problem) || strings.Contains(got, secret) {
				t.Errorf("the problem is %q, want %q", got, c.problem)
			}
		})
	}
}
