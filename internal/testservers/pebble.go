package testservers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// PebbleServer is a certificate authority that speaks ACME. URL is its directory, and CAFile verifies that address.
type PebbleServer struct {
	*Server
	management string
	client     *http.Client
}

// PebblePorts are the ports of 127.0.0.1 at which Pebble validates every domain: with TLS-ALPN-01 and with HTTP-01.
type PebblePorts struct{ TLS, HTTP int }

// Pebble starts a certificate authority, and a name server by which it resolves every name to 127.0.0.1. Certificates
// are valid for the given time, in whole seconds. It validates each order, and does nothing by chance: by default it
// would reject nonces and reuse validations at random.
func Pebble(t testing.TB, ports PebblePorts, validity time.Duration) *PebbleServer {
	t.Helper()
	p := &PebbleServer{}
	s, err := p.start(ports, validity)
	p.Server = endWithTest(t, s, err)
	return p
}

func (p *PebbleServer) start(ports PebblePorts, validity time.Duration) (*Server, error) {
	binary, err := installed(filepath.Join("pebble-2.10.1", "pebble"))
	if err != nil {
		return nil, &missingError{"Pebble", "there is no pebble (make setup)"}
	}
	return launch("pebble", func(folder string) (*Server, error) {
		dns, err := newNameServer(filepath.Join(filepath.Dir(binary), "pebble-challtestsrv"), folder)
		if err != nil {
			return nil, err
		}
		files, err := newCertificate(folder)
		if err != nil {
			return nil, err
		}
		if err := p.trust(files.authority); err != nil {
			return nil, err
		}
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		managementPort, err := freePort()
		if err != nil {
			return nil, err
		}
		p.management = "https://" + address(managementPort)
		config, err := json.Marshal(map[string]any{"pebble": map[string]any{
			"listenAddress": address(port), "managementListenAddress": address(managementPort),
			"retryAfter": map[string]int{"authz": 1, "order": 1}, "certificate": files.server, "privateKey": files.key, "tlsPort": ports.TLS, "httpPort": ports.HTTP,
			"profiles": map[string]any{"default": map[string]any{"description": "tests", "validityPeriod": int(validity.Seconds())}},
		}})
		if err != nil {
			return nil, err
		}
		file := filepath.Join(folder, "pebble.json")
		if err := os.WriteFile(file, config, rightsOfTextFile); err != nil {
			return nil, err
		}
		s := &Server{URL: "https://" + address(port) + "/dir", Addr: address(port), CAFile: files.authority, folder: folder, program: program{
			name: "Pebble",
			command: func() *exec.Cmd {
				command := exec.Command(binary, "-config", file, "-strict", "-dnsserver", dns.Addr)
				command.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0")
				return command
			},
			answers: func(ctx context.Context, _ int) error { _, err := p.get(ctx, p.management+"/roots/0"); return err },
			stop:    syscall.SIGTERM,
		}}
		s.Nodes = []*Server{s, dns}
		return s, nil
	})
}

// newNameServer returns a name server that resolves every name to 127.0.0.1.
func newNameServer(binary, folder string) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	managementPort, err := freePort()
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, "dns")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	return &Server{Addr: address(port), folder: folder, program: program{
		name: "pebble-challtestsrv",
		command: func() *exec.Cmd {
			return exec.Command(binary, "-dnsserver", address(port), "-management", address(managementPort),
				"-defaultIPv4", onlyThisMachine, "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "")
		},
		answers: func(ctx context.Context, _ int) error { return acceptsConnections(ctx, address(managementPort)) },
		stop:    syscall.SIGTERM,
	}}, nil
}

// acceptsConnections returns an error if nothing listens at an address.
func acceptsConnections(ctx context.Context, at string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// trust makes requests to Pebble verify it.
func (p *PebbleServer) trust(authority string) error {
	text, err := os.ReadFile(authority)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	p.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	return nil
}

func (p *PebbleServer) get(ctx context.Context, where string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", where, response.Status)
	}
	return io.ReadAll(response.Body)
}

// Roots returns the root that signs the certificates. Each start of Pebble makes a new one.
func (p *PebbleServer) Roots(t testing.TB) *x509.CertPool {
	t.Helper()
	text, err := p.get(t.Context(), p.management+"/roots/0")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate: %s", text)
	}
	return pool
}
