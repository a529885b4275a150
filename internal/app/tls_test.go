package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// writeCertificate writes a self-signed certificate for 127.0.0.1 with a serial number, and its key.
func writeCertificate(t *testing.T, certificateFile, keyFile string, serial int64) {
	t.Helper()
	key := apptest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate := apptest.Must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	keyText := apptest.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	for name, block := range map[string]*pem.Block{certificateFile: {Type: "CERTIFICATE", Bytes: certificate}, keyFile: {Type: "PRIVATE KEY", Bytes: keyText}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTLS verifies that a server speaks HTTP/2 over TLS, that its links are https, that it redirects plain HTTP without
// believing the Host header, and that it uses a renewed certificate without a restart, and the old one while the files
// do not belong together.
func TestTLS(t *testing.T) {
	folder := t.TempDir()
	certificateFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writeCertificate(t, certificateFile, keyFile, 1)
	settings := apptest.Must(parseSettings(t, "--addr=127.0.0.1:0", "--redirect-addr=127.0.0.1:0", "--data", filepath.Join(folder, "data"), "--tls-cert", certificateFile, "--tls-key", keyFile))(t)
	apptest.Must(settings.StoreSettings.Migrate(t.Context(), settings.Data))(t)
	ctx, stop := context.WithCancel(t.Context())
	logs, served := &logBuffer{}, make(chan error, 1)
	announced, out := io.Pipe()
	go func() { served <- settings.Serve(ctx, out, logs) }()
	line := make([]byte, 200)
	n, err := announced.Read(line)
	go func() { _, _ = io.Copy(io.Discard, announced) }()
	base := strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "Filmstrip serves "))
	if err != nil || !strings.HasPrefix(base, "https://127.0.0.1:") {
		t.Fatalf("the server announces %q (%v):\n%s", line[:n], err, logs)
	}

	client := func() *http.Client { // with a connection of its own
		return &http.Client{
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, DisableKeepAlives: true}, // the test looks at the certificate itself
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	serial := func() int64 {
		response := apptest.Must(client().Get(base + "/healthz"))(t)
		response.Body.Close()
		if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
			t.Errorf("got %s over %s", response.Status, response.Proto)
		}
		return response.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("the certificate is number %d", got)
	}
	request := apptest.Must(http.NewRequest(http.MethodGet, "http://"+settings.RedirectAddr+"/v1/videos?query=a%20b", nil))(t)
	request.Host = "evil.example"
	response := apptest.Must(client().Do(request))(t)
	response.Body.Close()
	if response.StatusCode != http.StatusPermanentRedirect || response.Header.Get("Location") != base+"/v1/videos?query=a%20b" {
		t.Errorf("plain HTTP gets %s to %q", response.Status, response.Header.Get("Location"))
	}

	writeCertificate(t, certificateFile, filepath.Join(folder, "other.pem"), 2) // with the key of another certificate
	apptest.Await(t, "the mismatch is reported", func() bool { return serial() == 1 && strings.Contains(logs.String(), "cannot be read again") })
	writeCertificate(t, certificateFile, keyFile, 3)
	apptest.Await(t, "the new certificate is used", func() bool { return serial() == 3 })
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestTLSSettings verifies that settings of TLS that cannot work stop the start with a reason.
func TestTLSSettings(t *testing.T) {
	folder := t.TempDir()
	certificateFile, keyFile, other := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"), filepath.Join(folder, "other.pem")
	writeCertificate(t, certificateFile, other, 1)
	writeCertificate(t, filepath.Join(folder, "unused.pem"), keyFile, 1)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--tls-cert", certificateFile}, "require each other"},
		{[]string{"--tls-key", keyFile}, "require each other"},
		{[]string{"--redirect-addr", "127.0.0.1:0"}, "requires --tls-cert"},
		{[]string{"--tls-domain", "films.example", "--tls-cert", certificateFile, "--tls-key", other}, "--tls-domain cannot be used with --tls-cert"},
		{[]string{"--tls-domain", "films.example", "--demo"}, "--tls-domain cannot be used with --demo"},
		{[]string{"--tls-domain", "films.example,*.films.example"}, `"*.films.example" is not a domain`},
		{[]string{"--tls-domain", "192.0.2.1"}, `"192.0.2.1" is not a domain`},
		{[]string{"--tls-domain", "films.example:443"}, `"films.example:443" is not a domain`},
		{[]string{"--tls-domain", "localhost"}, `"localhost" is not a domain`},
		{[]string{"--tls-domain", "films.example", "--acme-directory", "http://ca.example/dir"}, `--acme-directory "http://ca.example/dir" is not an https address`},
		{[]string{"--tls-domain", "films.example", "--acme-ca", filepath.Join(folder, "none.pem")}, "none.pem"},
		{[]string{"--tls-domain", "films.example", "--acme-email", "admin"}, `--acme-email "admin" is not an e-mail address`},
		{[]string{"--acme-email", "a@films.example"}, "--acme-email requires --tls-domain"},
		{[]string{"--acme-directory", "https://ca.example/dir"}, "--acme-directory requires --tls-domain"},
		{[]string{"--tls-cert", certificateFile, "--tls-key", keyFile}, "private key does not match"},
		{[]string{"--tls-cert", filepath.Join(folder, "none.pem"), "--tls-key", keyFile}, "none.pem"},
	} {
		settings := apptest.Must(parseSettings(t, append(test.args, "--data", folder)...))(t)
		if _, err := settings.prepare(); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q: %v", test.args, err)
		}
	}
}
