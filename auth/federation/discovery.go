package federation

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/sync/singleflight"

	"github.com/filmstrip/filmstrip/account"
)

const (
	// renewAfter is how long a discovery document is used before it is read again. If that fails, the old one stays
	// in use. Keys are read again whenever a token names an unknown one.
	renewAfter = time.Hour
	// retryAfter is the pause after a failure to read a discovery document.
	retryAfter = 3 * time.Second
)

// providerConfig is the discovery document of a provider (OpenID Connect Discovery 1.0, section 3).
type providerConfig struct {
	*oidc.Provider
	issuer   string
	metadata metadata
}

// metadata is the part of a discovery document that go-oidc does not interpret.
type metadata struct {
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	SendsIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	JWKS        string   `json:"jwks_uri"`
}

// providerCache caches the discovery documents by issuer.
type providerCache struct {
	inFlight singleflight.Group
	mu       sync.Mutex
	entries  map[string]cacheEntry
}

// cacheEntry is the last discovery document of an issuer and the error of the last attempt.
type cacheEntry struct {
	config    *providerConfig
	err       error
	attempted time.Time
}

// fresh reports whether the entry need not be renewed at the given time.
func (e cacheEntry) fresh(now time.Time) bool {
	age := now.Sub(e.attempted)
	if e.err != nil {
		return age < retryAfter
	}
	return e.config != nil && age < renewAfter
}

func (p *providerCache) get(issuer string) cacheEntry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries[issuer]
}

// put records an attempt. After an error the previous document stays.
func (p *providerCache) put(issuer string, found *providerConfig, err error, now time.Time) cacheEntry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entries == nil {
		p.entries = map[string]cacheEntry{}
	}
	latest := cacheEntry{config: found, err: err, attempted: now}
	if err != nil {
		latest.config = p.entries[issuer].config
	}
	p.entries[issuer] = latest
	return latest
}

// discover returns the discovery document of an issuer, from the cache if possible. Concurrent callers share one
// request, which continues if the first of them is canceled.
func (c *Client) discover(ctx context.Context, issuer string) (*providerConfig, error) {
	latest := c.providers.get(issuer)
	if !latest.fresh(c.clock()) {
		asked := c.providers.inFlight.DoChan(issuer, func() (any, error) {
			found, err := c.fetch(context.WithoutCancel(ctx), issuer)
			if err != nil {
				c.logger.Warn("an identity provider's configuration cannot be read", "issuer", issuer, "error", logText(err))
			}
			return c.providers.put(issuer, found, err, c.clock()), nil
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case result := <-asked:
			latest = result.Val.(cacheEntry)
		}
	}
	if latest.config == nil {
		return nil, unavailable(latest.err)
	}
	return latest.config, nil
}

// fetch reads the discovery document of an issuer.
func (c *Client) fetch(ctx context.Context, issuer string) (*providerConfig, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http), issuer)
	if err != nil {
		return nil, err
	}
	found := &providerConfig{Provider: provider, issuer: issuer}
	if err := provider.Claims(&found.metadata); err != nil {
		return nil, err
	}
	return found, found.checkAddresses()
}

// checkAddresses requires https for the provider's endpoints, or loopback if the issuer is on loopback.
func (k *providerConfig) checkAddresses() error {
	issuer, err := url.Parse(k.issuer)
	if err != nil {
		return err
	}
	local := account.IsLoopback(issuer.Hostname())
	endpoint := k.Endpoint()
	for name, address := range map[string]string{
		"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL, "jwks_uri": k.metadata.JWKS,
	} {
		if address == "" {
			return fmt.Errorf("the discovery document has no %s", name)
		}
	}
	for _, address := range []string{k.issuer, endpoint.AuthURL, endpoint.TokenURL, k.metadata.JWKS, k.UserInfoEndpoint()} {
		if err := checkAddress(address, local); err != nil {
			return err
		}
	}
	return nil
}

var errInsecure = errors.New("a URL of the provider uses neither https nor loopback")

func checkAddress(address string, local bool) error {
	u, err := url.Parse(address)
	switch {
	case address == "": // userinfo is optional
		return nil
	case err != nil || u.Host == "" && address != "":
		return errInsecure
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && local && account.IsLoopback(u.Hostname()):
		return nil
	}
	return errInsecure
}
