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
	// renewAfter is how long what a provider says of itself is used before it is read again; as long
	// as that fails, the old counts on. Keys are read again whenever a token names an unknown one.
	renewAfter = time.Hour
	// retryAfter is how long a provider that could not be read is left alone.
	retryAfter = 3 * time.Second
)

// known is what a provider says of itself (OpenID Connect Discovery 1.0, section 3).
type known struct {
	*oidc.Provider
	issuer    string
	announced announced
}

// announced is the part of a discovery document that go-oidc leaves to its users.
type announced struct {
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	AnswersIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	JWKS          string   `json:"jwks_uri"`
}

// providers remembers what each issuer said.
type providers struct {
	asking  singleflight.Group
	mu      sync.Mutex
	entries map[string]entry
}

// entry is what came of asking an issuer: what it said last, and how the last attempt failed.
type entry struct {
	known *known
	err   error
	asked time.Time
}

// fresh reports whether the issuer need not be asked again at an instant.
func (e entry) fresh(now time.Time) bool {
	age := now.Sub(e.asked)
	if e.err != nil {
		return age < retryAfter
	}
	return e.known != nil && age < renewAfter
}

func (p *providers) get(issuer string) entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries[issuer]
}

// put notes an attempt, which leaves what is known where it failed.
func (p *providers) put(issuer string, found *known, err error, now time.Time) entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entries == nil {
		p.entries = map[string]entry{}
	}
	latest := entry{known: found, err: err, asked: now}
	if err != nil {
		latest.known = p.entries[issuer].known
	}
	p.entries[issuer] = latest
	return latest
}

// discover returns what an issuer says of itself, as it was remembered or asked anew. Callers who come
// at once share one question, which the first to leave does not end.
func (c *Client) discover(ctx context.Context, issuer string) (*known, error) {
	latest := c.providers.get(issuer)
	if !latest.fresh(c.clock()) {
		asked := c.providers.asking.DoChan(issuer, func() (any, error) {
			found, err := c.ask(context.WithoutCancel(ctx), issuer)
			if err != nil {
				c.logger.Warn("an identity provider's configuration cannot be read", "issuer", issuer, "error", brief(err))
			}
			return c.providers.put(issuer, found, err, c.clock()), nil
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case result := <-asked:
			latest = result.Val.(entry)
		}
	}
	if latest.known == nil {
		return nil, away(latest.err)
	}
	return latest.known, nil
}

// ask reads the discovery document of an issuer.
func (c *Client) ask(ctx context.Context, issuer string) (*known, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http), issuer)
	if err != nil {
		return nil, err
	}
	found := &known{Provider: provider, issuer: issuer}
	if err := provider.Claims(&found.announced); err != nil {
		return nil, err
	}
	return found, found.checkAddresses()
}

// checkAddresses holds the provider's endpoints to https, or to this machine where the issuer is there.
func (k *known) checkAddresses() error {
	issuer, err := url.Parse(k.issuer)
	if err != nil {
		return err
	}
	local := account.IsLoopback(issuer.Hostname())
	endpoint := k.Endpoint()
	for name, address := range map[string]string{
		"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL, "jwks_uri": k.announced.JWKS,
	} {
		if address == "" {
			return fmt.Errorf("the discovery document has no %s", name)
		}
	}
	for _, address := range []string{k.issuer, endpoint.AuthURL, endpoint.TokenURL, k.announced.JWKS, k.UserInfoEndpoint()} {
		if err := checkAddress(address, local); err != nil {
			return err
		}
	}
	return nil
}

var errInsecure = errors.New("an address of the provider is neither https nor on this machine")

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
