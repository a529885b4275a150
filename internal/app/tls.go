package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// TLSSettings let the server speak TLS itself, without a proxy in front of it.
type TLSSettings struct {
	TLSCert      string `name:"tls-cert" help:"A PEM file with the server's certificate and its intermediate certificates. The server then speaks TLS 1.2 or later, and HTTP/2. It reads the file again when it changes." placeholder:"FILE"`
	TLSKey       string `name:"tls-key" help:"A PEM file with the private key of --tls-cert." placeholder:"FILE"`
	RedirectAddr string `help:"With --tls-cert or --tls-domain, a second address whose plain HTTP requests are redirected to https. With --tls-domain, it also answers HTTP-01 challenges." placeholder:"HOST:PORT"`

	acmeSettings
}

// check returns an error if the settings do not belong together or the files hold no certificate.
func (c *TLSSettings) check(demo bool) error {
	if err := c.acmeSettings.check(); err != nil {
		return err
	}
	obtains := len(c.TLSDomain) > 0
	switch {
	case demo && c.RedirectAddr != "":
		return errors.New("--redirect-addr cannot be used with --demo")
	case demo && obtains:
		return errors.New("--tls-domain cannot be used with --demo, which listens on loopback only")
	case obtains && (c.TLSCert != "" || c.TLSKey != ""):
		return errTwoCertificates
	case c.TLSCert == "" && c.TLSKey == "" && (c.RedirectAddr == "" || obtains):
		return nil
	case c.TLSCert == "" && c.TLSKey == "":
		return errors.New("--redirect-addr requires --tls-cert and --tls-key, or --tls-domain")
	case c.TLSCert == "" || c.TLSKey == "":
		return errors.New("--tls-cert and --tls-key require each other")
	}
	_, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return fmt.Errorf("--tls-cert %s with --tls-key %s: %w", c.TLSCert, c.TLSKey, err)
	}
	return nil
}

// config returns the server's configuration of TLS, or nil without a certificate.
func (c *TLSSettings) config(logger *slog.Logger) *tls.Config {
	if c.TLSCert == "" {
		return nil
	}
	files := &certificateFiles{settings: c, logger: logger}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: files.certificate}
}

// certificateAge is how long a certificate is used before the server reads its files again.
const certificateAge = time.Second

// certificateFiles reads a certificate from its files, again whenever they change. While the files cannot be read, for
// example because a renewal has replaced one of them only, the last certificate serves on.
type certificateFiles struct {
	settings *TLSSettings
	logger   *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	looked  time.Time
	failed  bool // the last attempt
}

// certificate implements tls.Config.GetCertificate.
func (f *certificateFiles) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current != nil && time.Since(f.looked) < certificateAge {
		return f.current, nil
	}
	f.looked = time.Now()
	loaded, err := tls.LoadX509KeyPair(f.settings.TLSCert, f.settings.TLSKey)
	switch {
	case err != nil && f.current == nil:
		return nil, err
	case err != nil && !f.failed:
		f.logger.Error("the certificate cannot be read again", "error", err)
	case err == nil && f.current != nil && !loaded.Leaf.Equal(f.current.Leaf):
		f.logger.Info("the certificate was renewed", "until", loaded.Leaf.NotAfter)
	}
	if err == nil {
		f.current = &loaded
	}
	f.failed = err != nil
	return f.current, nil
}

// serveRedirects redirects requests at --redirect-addr to the base URL, until close is called. It does not use the Host
// header, which the client chooses. If obtained is not nil, it also answers challenges of the certificate authority.
func (c *Settings) serveRedirects(logger *slog.Logger, obtained *acmeCertificates) (closeRedirects func() error, err error) {
	if c.RedirectAddr == "" {
		return func() error { return nil }, nil
	}
	listener, err := net.Listen("tcp", c.RedirectAddr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", c.RedirectAddr, err)
	}
	c.RedirectAddr = listener.Addr().String()
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, c.base()+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
	if obtained != nil {
		handler = obtained.challenges(handler)
	}
	server := &http.Server{
		Handler:     handler,
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			logger.ErrorContext(context.Background(), "redirects ended", "addr", c.RedirectAddr, "error", err)
		}
	}()
	return server.Close, nil
}
