package federation_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/internal/egress"
)

// TestPrivateProvidersAreRefused checks that the client does not contact an issuer, or an endpoint that an issuer
// announces, in a private network, unless the operator allows the network. The log names the address and the setting.
func TestPrivateProvidersAreRefused(t *testing.T) {
	var log bytes.Buffer
	client := func(allowed ...string) *federation.Client {
		options := egress.Options{Setting: "--federation-networks"}
		for _, network := range allowed {
			options.Allowed = append(options.Allowed, netip.MustParsePrefix(network))
		}
		return federation.New(federation.Config{Transport: egress.NewTransport(options), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	}
	p := newProvider(t)
	for name, c := range map[string]*federation.Client{"without a transport": federation.New(federation.Config{Logger: slog.New(slog.DiscardHandler)}), "with one": client()} {
		_, err := signIn(t, c, p, p.identityProvider(), nil)
		wantUnavailable(t, err)
		if len(p.asked) > 0 {
			t.Errorf("%s: the provider was asked %v", name, p.asked)
		}
	}
	if !strings.Contains(log.String(), "is not a public address; --federation-networks lists") {
		t.Errorf("the log says %s", &log)
	}
	mustSignIn(t, client("127.0.0.0/8"), p, p.identityProvider())

	for name, lie := range map[string]func(p *provider, elsewhere string){
		"keys":              func(p *provider, elsewhere string) { p.document["jwks_uri"] = elsewhere + "/keys" },
		"the token address": func(p *provider, elsewhere string) { p.document["token_endpoint"] = elsewhere + "/token" },
	} {
		p, asked := newProvider(t), 0
		listener, err := net.Listen("tcp", "127.0.0.2:0")
		if err != nil {
			t.Fatal(err)
		}
		elsewhere := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			p.serve(w, r)
		})}}
		elsewhere.Start()
		t.Cleanup(elsewhere.Close)
		lie(p, elsewhere.URL)
		if _, err := signIn(t, client("127.0.0.1/32"), p, p.identityProvider(), nil); err == nil || asked != 0 {
			t.Errorf("%s in a private network: asked %d times, %v", name, asked, err)
		}
		mustSignIn(t, client("127.0.0.0/8"), p, p.identityProvider())
	}
}
