package egress_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/egress"
)

// get requests a URL through a transport and returns the error.
func get(t *testing.T, transport *http.Transport, address string) error {
	t.Helper()
	t.Cleanup(transport.CloseIdleConnections)
	answer, err := (&http.Client{Transport: transport}).Get(address)
	if err == nil {
		_ = answer.Body.Close()
	}
	return err
}

// TestPrivateAddressesAreRejected checks that the transport rejects a connection to a private address, whether the URL
// contains the address or a name that resolves to it, before the server receives a byte.
func TestPrivateAddressesAreRejected(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(server.Close)
	byName := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for _, address := range []string{server.URL, byName, strings.Replace(server.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1)} {
		err := get(t, egress.NewTransport(egress.Options{Setting: "--some-networks"}), address)
		var refused *egress.Refused
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "is not a public address; --some-networks lists") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if asked != 0 {
		t.Errorf("the server was asked %d times", asked)
	}
	allowed := egress.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if err := get(t, egress.NewTransport(allowed), server.URL); err != nil {
		t.Errorf("an allowed network: %v", err)
	}
}

// TestRedirectsToPrivateAddressesAreRejected checks that an allowed server cannot redirect the client to a private
// address that is not allowed.
func TestRedirectsToPrivateAddressesAreRejected(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "127.0.0.2", 1), http.StatusFound)
	}))
	t.Cleanup(server.Close)
	err := get(t, egress.NewTransport(egress.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}), server.URL)
	var refused *egress.Refused
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Address, "127.0.0.2:") {
		t.Errorf("got %v", err)
	}
}

// TestProxyVariablesAreIgnored checks that the transport ignores proxy variables, because a proxy would reach private
// addresses on its behalf.
func TestProxyVariablesAreIgnored(t *testing.T) {
	if egress.NewTransport(egress.Options{}).Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
}
