package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/idna"

	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// acmeSettings let the server obtain its certificates itself, over ACME (RFC 8555).
type acmeSettings struct {
	TLSDomain     []string `name:"tls-domain" help:"Domains for which the server obtains and renews certificates over ACME, by default from Let's Encrypt, whose terms of service you thereby accept. The server then speaks TLS, as with --tls-cert." placeholder:"DOMAIN"`
	ACMEDirectory string   `name:"acme-directory" help:"The directory URL of the certificate authority of --tls-domain; Let's Encrypt by default." placeholder:"URL"`
	ACMECA        string   `name:"acme-ca" help:"A PEM file with the authorities that verify the certificate of --acme-directory itself, instead of the system's." placeholder:"FILE"`
	ACMEEmail     string   `name:"acme-email" help:"The e-mail address at which the certificate authority may contact you." placeholder:"ADDRESS"`
	ACMEState     string   `name:"acme-state" help:"The directory of the certificates, their keys and the key of the ACME account; acme in --data by default. Several processes may share it." placeholder:"DIR"`
}

// check returns an error if the settings do not belong together or a domain cannot have a certificate.
func (c *acmeSettings) check() error {
	if len(c.TLSDomain) == 0 {
		return errors.Join(
			onlyWith("acme-directory", c.ACMEDirectory, "tls-domain"), onlyWith("acme-ca", c.ACMECA, "tls-domain"),
			onlyWith("acme-email", c.ACMEEmail, "tls-domain"), onlyWith("acme-state", c.ACMEState, "tls-domain"))
	}
	for i, domain := range c.TLSDomain {
		ascii, err := idna.Lookup.ToASCII(domain)
		if err != nil || net.ParseIP(domain) != nil || !strings.Contains(strings.Trim(domain, "."), ".") || strings.HasSuffix(domain, ".") {
			return fmt.Errorf("--tls-domain: %q is not a domain such as films.example; wildcards and addresses are not supported", domain)
		}
		c.TLSDomain[i] = ascii
	}
	if c.ACMEDirectory != "" {
		if address, err := url.Parse(c.ACMEDirectory); err != nil || address.Scheme != "https" || address.Host == "" {
			return fmt.Errorf("--acme-directory %q is not an https address", c.ACMEDirectory)
		}
	}
	if name, host, ok := strings.Cut(c.ACMEEmail, "@"); c.ACMEEmail != "" && (!ok || name == "" || host == "" || strings.ContainsAny(c.ACMEEmail, " ,?\r\n")) {
		return fmt.Errorf("--acme-email %q is not an e-mail address", c.ACMEEmail)
	}
	_, err := authorities("acme-ca", c.ACMECA)
	return err
}

// acmeTimeout bounds one request to the certificate authority.
const acmeTimeout = 30 * time.Second

// acmeCertificates obtains and renews the certificates of --tls-domain.
type acmeCertificates struct {
	domains []string
	manager *autocert.Manager
	logger  *slog.Logger

	mu     sync.Mutex
	logged map[string]time.Time // when an error of a domain was last logged
}

// acme returns the source of certificates of --tls-domain, or nil without that setting.
func (c *Settings) acme(logger *slog.Logger) (*acmeCertificates, error) {
	if len(c.TLSDomain) == 0 {
		return nil, nil
	}
	trust, err := authorities("acme-ca", c.ACMECA)
	if err != nil {
		return nil, err
	}
	state := c.ACMEState
	if state == "" {
		state = filepath.Join(c.Data, "acme")
	}
	if err := prepareData(state); err != nil {
		return nil, fmt.Errorf("--acme-state: %w", err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	return &acmeCertificates{
		domains: c.TLSDomain, logger: logger, logged: map[string]time.Time{},
		manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(state), HostPolicy: autocert.HostWhitelist(c.TLSDomain...),
			Email: c.ACMEEmail,
			Client: &acme.Client{
				DirectoryURL: c.ACMEDirectory, UserAgent: "filmstrip/" + Version(),
				HTTPClient: &http.Client{Transport: transport, Timeout: acmeTimeout},
			},
		},
	}, nil
}

// config returns the server's configuration of TLS, which answers challenges of type TLS-ALPN-01 (RFC 8737).
func (a *acmeCertificates) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: a.certificate,
		NextProtos: []string{"h2", "http/1.1", acme.ALPNProto},
	}
}

// errorLogPause is how often the errors of one domain are logged.
const errorLogPause = time.Minute

// certificate implements tls.Config.GetCertificate. Clients that name no host, such as health probes, get the
// certificate of the first domain.
func (a *acmeCertificates) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if hello.ServerName == "" {
		named := *hello
		named.ServerName = a.domains[0]
		hello = &named
	}
	certificate, err := a.manager.GetCertificate(hello)
	if err != nil && slices.Contains(a.domains, hello.ServerName) && !slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
		a.logError(hello.ServerName, err)
	}
	return certificate, err
}

func (a *acmeCertificates) logError(domain string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.logged[domain]) >= errorLogPause {
		a.logged[domain] = now
		a.logger.Error("there is no certificate", "domain", domain, "error", err)
	}
}

// obtain obtains the certificates that are missing, so that the first visitor does not wait for them. It tries again
// until it has all of them or the context ends.
func (a *acmeCertificates) obtain(ctx context.Context) {
	var waiting sync.WaitGroup
	for _, domain := range a.domains {
		waiting.Go(func() { a.obtainOne(ctx, domain) })
	}
	waiting.Wait()
}

// The pause before obtain tries again doubles between these. Certificate authorities limit failures per hour.
const firstObtainPause, longestObtainPause = 2 * time.Minute, time.Hour

func (a *acmeCertificates) obtainOne(ctx context.Context, domain string) {
	hello := &tls.ClientHelloInfo{ // of a client that accepts ECDSA, as almost all do
		ServerName: domain, SupportedVersions: []uint16{tls.VersionTLS13}, SupportedCurves: []tls.CurveID{tls.CurveP256},
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
	}
	for pause := firstObtainPause; ; pause = min(2*pause, longestObtainPause) {
		certificate, err := a.certificate(hello)
		if err == nil {
			a.logger.InfoContext(ctx, "the certificate is in use", "domain", domain, "until", certificate.Leaf.NotAfter)
			return
		}
		if !background.Sleep(ctx, pause, nil) {
			return
		}
	}
}

// challenges returns a handler that answers challenges of type HTTP-01 (RFC 8555 section 8.3) and passes all other
// requests to next.
func (a *acmeCertificates) challenges(next http.Handler) http.Handler {
	answers := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			r.Host = host // autocert compares it with the domains
		}
		answers.ServeHTTP(httperror.WithBodies(w, r, func(int) string {
			return "no challenge of a certificate authority is in progress at this address"
		}), r)
	})
}

// usesACMEState reports whether the certificates of --tls-domain are in the data directory.
func (c *Settings) usesACMEState() bool { return len(c.TLSDomain) > 0 && c.ACMEState == "" }

var errTwoCertificates = errors.New("--tls-domain cannot be used with --tls-cert and --tls-key: the server either obtains its certificates or reads one from files")
