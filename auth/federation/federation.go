// Package federation signs users in at their customer's own OpenID Provider (OpenID Connect Core 1.0, authorization
// code flow with PKCE). It has no browser sessions or pages: Begin returns the URL to which the browser is redirected
// and the state to keep, and Finish turns the provider's response into an Identity.
//
// It accepts the variations that the standards allow: any asymmetric signature algorithm that the provider announces,
// rotating keys, clocks that differ by a minute, claims in the ID token or at userinfo, and responses with or without
// iss (RFC 9207).
package federation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// Config configures a Client.
type Config struct {
	// Transport sends requests to providers; nil means a transport that connects to public addresses only.
	Transport http.RoundTripper
	// Timeout limits each request to a provider; 0 means DefaultTimeout.
	Timeout time.Duration
	// Clock returns the current time; nil means time.Now.
	Clock func() time.Time
	// Logger records errors of providers, but never a code, token or secret; nil means slog.Default().
	Logger *slog.Logger
}

// DefaultTimeout is the default of Config.Timeout.
const DefaultTimeout = 10 * time.Second

// leeway is the tolerated difference between a provider's clock and ours.
const leeway = time.Minute

// Client is the relying party of one process for the providers of all accounts. It is safe for concurrent use.
type Client struct {
	http      *http.Client
	clock     func() time.Time
	logger    *slog.Logger
	providers providerCache
}

// New returns a client. It does not contact any provider.
func New(config Config) *Client {
	if config.Clock == nil {
		config.Clock = time.Now
	}
	return &Client{
		http:  boundedClient(config.Transport, cmp.Or(config.Timeout, DefaultTimeout)),
		clock: config.Clock, logger: cmp.Or(config.Logger, slog.Default()),
	}
}

// Options are optional parameters of a sign-in.
type Options struct {
	// LoginHint is the user's presumed name at the provider; "" if unknown.
	LoginHint string
	// Prompt is "login" if the user must authenticate again, and otherwise "".
	Prompt string
	// MaxAge is the maximum time in seconds since the user authenticated; nil means no limit.
	MaxAge *int64
}

// Pending is the state to keep between Begin and Finish. Only the browser that signs in may have it.
type Pending struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	MaxAge   *int64 `json:"maxAge,omitempty"`
}

// Begin returns the provider's URL to which the browser must be redirected, and the state that Finish needs when the
// browser returns to redirectURI. The error has code Unavailable if the provider cannot be reached.
func (c *Client) Begin(ctx context.Context, p *account.IdentityProvider, redirectURI string, wish Options) (string, Pending, error) {
	known, err := c.discover(ctx, p.Issuer)
	if err != nil {
		return "", Pending{}, err
	}
	pending := Pending{State: account.NewSecret(), Nonce: account.NewSecret(), Verifier: oauth2.GenerateVerifier(), MaxAge: wish.MaxAge}
	options := []oauth2.AuthCodeOption{oidc.Nonce(pending.Nonce), oauth2.S256ChallengeOption(pending.Verifier)}
	if wish.LoginHint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", wish.LoginHint))
	}
	if wish.Prompt != "" {
		options = append(options, oauth2.SetAuthURLParam("prompt", wish.Prompt))
	}
	if wish.MaxAge != nil {
		options = append(options, oauth2.SetAuthURLParam("max_age", strconv.FormatInt(*wish.MaxAge, 10)))
	}
	config := oauth2.Config{ClientID: p.ClientID, Endpoint: known.Endpoint(), RedirectURL: redirectURI, Scopes: scopesOf(p)}
	return config.AuthCodeURL(pending.State, options...), pending, nil
}

// scopesOf returns the requested scopes, which always include openid.
func scopesOf(p *account.IdentityProvider) []string {
	scopes := []string{oidc.ScopeOpenID}
	if p.Scopes == nil {
		return append(scopes, oidc.ScopeProfile, oidc.ScopeEmail)
	}
	for _, scope := range p.Scopes {
		if scope != oidc.ScopeOpenID {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// Denied is an error response of a provider (RFC 6749 section 4.1.2.1). The user has not been signed in.
type Denied struct {
	// Code is the provider's error code, such as access_denied.
	Code string
}

// Error quotes the code.
func (d *Denied) Error() string {
	return fmt.Sprintf("the identity provider returned the error %q", d.Code)
}

// Temporary reports whether the error is the provider's, so that the same sign-in may succeed later.
func (d *Denied) Temporary() bool {
	return d.Code == "server_error" || d.Code == "temporarily_unavailable"
}

// ErrUntrusted means that a response cannot be attributed to this provider and sign-in.
var ErrUntrusted = errors.New("federation: the identity provider's response cannot be trusted")

func untrusted(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUntrusted}, args...)...)
}

// Finish returns the user who signed in, given the parameters with which the provider redirected the browser back.
// The error is a *Denied, wraps ErrUntrusted, or has code Unavailable if the provider cannot be reached. Codes can be
// used once, so a second call with the same response fails.
func (c *Client) Finish(ctx context.Context, p *account.IdentityProvider, redirectURI string, pending Pending, answer url.Values) (*Identity, error) {
	if !sameSecret(answer.Get("state"), pending.State) {
		return nil, untrusted("the state does not match")
	}
	known, err := c.discover(ctx, p.Issuer)
	if err != nil {
		return nil, err
	}
	if err := known.checkIssuer(answer); err != nil {
		return nil, err
	}
	if code := answer.Get("error"); code != "" {
		return nil, &Denied{Code: code}
	}
	if answer.Get("code") == "" {
		return nil, untrusted("it contains no code")
	}
	token, err := c.exchange(ctx, known, p, redirectURI, answer.Get("code"), pending.Verifier)
	if err != nil {
		return nil, err
	}
	return c.identify(ctx, known, p, pending, token)
}

// checkIssuer implements RFC 9207: iss must be the provider's if it is present, and must be present if the provider
// announces it.
func (k *providerConfig) checkIssuer(answer url.Values) error {
	values, given := answer["iss"]
	switch {
	case !given && k.metadata.SendsIssuer:
		return untrusted("it does not name its issuer, as the provider announces")
	case given && (len(values) != 1 || values[0] != k.issuer):
		return untrusted("it names another issuer")
	}
	return nil
}

// unavailable is the error for a provider that cannot be reached. The cause is for the log.
func unavailable(cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: "the identity provider cannot be reached", Cause: cause}
}
