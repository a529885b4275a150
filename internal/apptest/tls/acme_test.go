// Package tls_test tests servers that speak TLS themselves.
package tls_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

const (
	domain      = "films.example"
	otherDomain = "cinema.example"
)

func portOf(t *testing.T, address string) int {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return apptest.Must(strconv.Atoi(port))(t)
}

// site is a server with the domains of the tests at an address of 127.0.0.1.
type site struct {
	*apptest.Server
	address string
	roots   *x509.CertPool
}

// serve starts a server that obtains its certificates from an authority, with its own data.
func serve(t *testing.T, authority *testservers.PebbleServer, address, state string, more ...string) *site {
	t.Helper()
	data := t.TempDir()
	apptest.Succeed(t, "migrate", "--data", data)
	s := apptest.Start(t, append([]string{
		"--addr", address, "--data", data, "--tls-domain", domain + "," + otherDomain,
		"--acme-directory", authority.URL, "--acme-ca", authority.CAFile, "--acme-email", "admin@films.example", "--acme-state", state,
	}, more...)...)
	return &site{Server: s, address: address}
}

// dial connects to the server and asks for the certificate of a name, which it verifies.
func (s *site) dial(name string) (*x509.Certificate, error) {
	connection, err := tls.Dial("tcp", s.address, &tls.Config{ServerName: name, RootCAs: s.roots})
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.ConnectionState().PeerCertificates[0], nil
}

// certificate waits until the server has a valid certificate of a name.
func (s *site) certificate(t *testing.T, name string) (certificate *x509.Certificate) {
	t.Helper()
	var last error
	if !apptest.Within(time.Minute, func() bool { certificate, last = s.dial(name); return last == nil }) {
		s.Stop(syscall.SIGTERM)
		t.Fatalf("%s has no certificate: %v\n%s", name, last, s.Logged())
	}
	return certificate
}

// get sends a request over TLS with a verified certificate, and returns its status.
func (s *site) get(t *testing.T, name, path string) *http.Response {
	t.Helper()
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.address)
		},
	}}
	response := apptest.Must(client.Get("https://" + name + path))(t)
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response
}

// TestACME verifies that a server obtains the certificates of its domains, that it and others with the same state
// reuse them after a restart, even while the authority is away, and that it refuses other names.
func TestACME(t *testing.T) {
	t.Parallel()
	address, redirects, state := testservers.FreeAddress(t), testservers.FreeAddress(t), filepath.Join(t.TempDir(), "state")
	authority := testservers.Pebble(t, testservers.PebblePorts{TLS: portOf(t, address), HTTP: portOf(t, redirects)}, 24*time.Hour)
	s := serve(t, authority, address, state, "--redirect-addr", redirects)
	s.roots = authority.Roots(t)
	if want := "https://" + domain + ":" + strconv.Itoa(portOf(t, address)); s.Base != want {
		t.Errorf("the server announces %s, not %s", s.Base, want)
	}
	first := s.certificate(t, domain)
	other := s.certificate(t, otherDomain)
	if first.VerifyHostname(domain) != nil || other.VerifyHostname(otherDomain) != nil || first.SerialNumber.Cmp(other.SerialNumber) == 0 {
		t.Errorf("the certificates are for %q and %q", first.DNSNames, other.DNSNames)
	}
	if answer := s.get(t, domain, "/healthz"); answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 {
		t.Errorf("a request gets %s over %s", answer.Status, answer.Proto)
	}
	for _, name := range []string{"evil.example", "www." + domain} {
		if _, err := s.dial(name); err == nil || !strings.Contains(err.Error(), "remote error: tls") {
			t.Errorf("the server has a certificate for %s (%v)", name, err)
		}
	}
	nameless := apptest.Must(tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}))(t) // the test looks at the certificate itself
	if got := nameless.ConnectionState().PeerCertificates[0]; got.VerifyHostname(domain) != nil {
		t.Errorf("clients that name no host get the certificate of %q", got.DNSNames)
	}
	_ = nameless.Close()
	checkRedirects(t, redirects, s.Base)
	checkPrivate(t, state)
	s.Stop(syscall.SIGTERM)

	authority.Stop()
	for _, at := range []string{address, testservers.FreeAddress(t)} { // the same server, and another with the same state
		next := serve(t, authority, at, state)
		next.roots = s.roots
		if got := next.certificate(t, domain); got.SerialNumber.Cmp(first.SerialNumber) != 0 {
			t.Errorf("a server with the state has the certificate %v, not %v", got.SerialNumber, first.SerialNumber)
		}
		next.Stop(syscall.SIGTERM)
	}
}

// checkRedirects verifies that plain HTTP is redirected, and that an unknown challenge gets the error body.
func checkRedirects(t *testing.T, address, base string) {
	t.Helper()
	for path, want := range map[string]int{"/v1/?a=b": http.StatusPermanentRedirect, "/.well-known/acme-challenge/none": http.StatusNotFound} {
		request := apptest.Must(http.NewRequest(http.MethodGet, "http://"+address+path, nil))(t)
		request.Host = domain
		response := apptest.Must(http.DefaultTransport.RoundTrip(request))(t)
		body := apptest.Must(io.ReadAll(response.Body))(t)
		response.Body.Close()
		switch {
		case response.StatusCode != want:
			t.Errorf("%s: %s, not %d", path, response.Status, want)
		case want == http.StatusPermanentRedirect && response.Header.Get("Location") != base+path:
			t.Errorf("%s leads to %s", path, response.Header.Get("Location"))
		case want == http.StatusNotFound && !strings.Contains(string(body), `"status":404`):
			t.Errorf("%s: the body is %s", path, body)
		}
	}
}

// checkPrivate verifies that only the owner may read the files of a folder.
func checkPrivate(t *testing.T, folder string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		if info := apptest.Must(entry.Info())(t); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || files < 3 {
		t.Errorf("%s has %d files, fewer than an account key and two certificates (%v)", folder, files, err)
	}
}

// TestACMEOverHTTP verifies that an authority that does not reach the server over TLS validates the domain over plain
// HTTP, and that a process answers challenges of orders of another process with the same state.
func TestACMEOverHTTP(t *testing.T) {
	t.Parallel()
	redirects, nowhere, state := testservers.FreeAddress(t), testservers.FreeAddress(t), filepath.Join(t.TempDir(), "state")
	authority := testservers.Pebble(t, testservers.PebblePorts{TLS: portOf(t, nowhere), HTTP: portOf(t, redirects)}, 24*time.Hour)
	front := serve(t, authority, testservers.FreeAddress(t), state, "--redirect-addr", redirects)
	front.roots = authority.Roots(t)
	first := front.certificate(t, domain)
	// Another process finds no certificate and orders one. The authority asks the first process about that order. The
	// first process may serve the certificate a moment before it stores it.
	var removed error
	if !apptest.Within(time.Minute, func() bool { removed = os.Remove(filepath.Join(state, domain)); return removed == nil }) {
		t.Fatalf("the first process has not stored its certificate: %v", removed)
	}
	back := serve(t, authority, testservers.FreeAddress(t), state, "--redirect-addr", testservers.FreeAddress(t))
	back.roots = front.roots
	if again := back.certificate(t, domain); again.SerialNumber.Cmp(first.SerialNumber) == 0 {
		t.Error("the second process ordered no certificate")
	}
	foreign := apptest.Must(http.NewRequest(http.MethodGet, "http://"+redirects+"/.well-known/acme-challenge/x", nil))(t)
	foreign.Host = "evil.example"
	response := apptest.Must(http.DefaultTransport.RoundTrip(foreign))(t)
	response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("a challenge of another domain gets %s", response.Status)
	}
	back.Stop(syscall.SIGTERM)
	front.Stop(syscall.SIGTERM)
}

// TestACMERenewal verifies that a server renews a certificate without a restart, and that connections meanwhile never
// get an expired one. The server begins when a third of the validity is left, and has that third for two orders, which
// take 2 s, or 10 on a busy machine.
func TestACMERenewal(t *testing.T) {
	t.Parallel()
	address := testservers.FreeAddress(t)
	authority := testservers.Pebble(t, testservers.PebblePorts{TLS: portOf(t, address), HTTP: portOf(t, testservers.FreeAddress(t))}, time.Minute)
	s := serve(t, authority, address, filepath.Join(t.TempDir(), "state"))
	s.roots = authority.Roots(t)
	first := s.certificate(t, domain)
	for time.Now().Before(first.NotAfter) {
		now, err := s.dial(domain)
		if err != nil {
			t.Fatalf("the server has no valid certificate: %v", err)
		}
		if now.SerialNumber.Cmp(first.SerialNumber) != 0 {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Error("the certificate expires without a renewal")
}

// TestACMEErrors verifies that the log says why there is no certificate.
func TestACMEErrors(t *testing.T) {
	t.Parallel()
	address := testservers.FreeAddress(t)
	authority := testservers.Pebble(t, testservers.PebblePorts{TLS: portOf(t, address), HTTP: portOf(t, testservers.FreeAddress(t))}, time.Hour)
	authority.Stop()
	s := serve(t, authority, address, filepath.Join(t.TempDir(), "state"))
	if _, err := s.dial(domain); err == nil {
		t.Error("there is a certificate without an authority")
	}
	s.Stop(syscall.SIGTERM)
	host := apptest.Must(url.Parse(authority.URL))(t).Host
	if log := s.Logged(); !strings.Contains(log, "there is no certificate") || !strings.Contains(log, "domain="+domain) || !strings.Contains(log, host) {
		t.Errorf("the log does not explain the error:\n%s", log)
	}
}
