// Package federation signs users in at their customer's own OpenID Provider (OpenID Connect Core 1.0,
// authorization code flow with PKCE). It knows no browser session and no page: Begin says where to send a
// browser and what to keep meanwhile, Finish turns the provider's answer into an Identity.
//
// Providers differ, and what the standards allow is taken: any asymmetric signature that the provider
// announces, keys that rotate, clocks that differ by a minute, claims in the ID token or at userinfo, and
// issuers with or without iss in their answers (RFC 9207).
package federation

import (
	"context"
	"crypto/rand"
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

// Config is what a Client is made of.
type Config struct {
	// Transport carries the requests to providers; nil: one that reaches public addresses only.
	Transport http.RoundTripper
	// Timeout bounds each request to a provider; 0: DefaultTimeout.
	Timeout time.Duration
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Logger hears of what providers do wrong, and never of a code, a token or a secret; nil:
	// slog.Default().
	Logger *slog.Logger
}

// DefaultTimeout is how long a provider may take for one answer where Config does not say.
const DefaultTimeout = 10 * time.Second

// leeway is how far a provider's clock may be from ours.
const leeway = time.Minute

// Client is the relying party of one process, for the providers of all accounts. It may be used
// concurrently.
type Client struct {
	http      *http.Client
	clock     func() time.Time
	logger    *slog.Logger
	providers providerCache
}

// New returns a client that has not asked any provider yet.
func New(config Config) *Client {
	if config.Clock == nil {
		config.Clock = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	return &Client{http: boundedClient(config.Transport, config.Timeout), clock: config.Clock, logger: config.Logger}
}

// Wish is what a sign-in asks of the provider beside who the user is.
type Options struct {
	// LoginHint is how the user may be called at the provider; "": not known.
	LoginHint string
	// Prompt is "login" where the user must prove anew who they are, else "".
	Prompt string
	// MaxAge is how long ago, in seconds, the user may have proved who they are; nil: any time.
	MaxAge *int64
}

// Pending is what must be kept from Begin to Finish, out of everybody's sight but the browser's own.
type Pending struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	MaxAge   *int64 `json:"maxAge,omitempty"`
}

// Begin returns the address at the provider to send a browser to, and what Finish needs when it comes
// back to redirectURI. The error is of code Unavailable where the provider cannot be asked.
func (c *Client) Begin(ctx context.Context, p *account.IdentityProvider, redirectURI string, wish Options) (string, Pending, error) {
	known, err := c.discover(ctx, p.Issuer)
	if err != nil {
		return "", Pending{}, err
	}
	pending := Pending{State: secret(), Nonce: secret(), Verifier: oauth2.GenerateVerifier(), MaxAge: wish.MaxAge}
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

// scopesOf are the scopes to ask for: openid always.
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

// Denied is the error answer of a provider (RFC 6749 section 4.1.2.1): the user has not been signed in.
type Denied struct {
	// Code is the provider's, such as access_denied.
	Code string
}

// Error names the code.
func (d *Denied) Error() string { return fmt.Sprintf("the identity provider answers %q", d.Code) }

// Passing reports whether the provider is to blame, so that the same sign-in may succeed later.
func (d *Denied) Temporary() bool {
	return d.Code == "server_error" || d.Code == "temporarily_unavailable"
}

// ErrUntrusted says that an answer does not prove that its provider gave it to this sign-in.
var ErrUntrusted = errors.New("federation: the identity provider's answer cannot be trusted")

func untrusted(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUntrusted}, args...)...)
}

// Finish returns who has signed in, from the parameters that the provider sent the browser back with.
// Its errors: *Denied, ErrUntrusted (wrapped), and one of code Unavailable where the provider cannot be
// asked. The provider takes a code once, so that a second call with the same answer fails.
func (c *Client) Finish(ctx context.Context, p *account.IdentityProvider, redirectURI string, pending Pending, answer url.Values) (*Identity, error) {
	if !sameSecret(answer.Get("state"), pending.State) {
		return nil, untrusted("its state is another's")
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
		return nil, untrusted("it holds no code")
	}
	token, err := c.exchange(ctx, known, p, redirectURI, answer.Get("code"), pending.Verifier)
	if err != nil {
		return nil, err
	}
	return c.identify(ctx, known, p, pending, token)
}

// checkIssuer holds the answer to RFC 9207: an iss that is there must be the provider's, and must be
// there where the provider announces it.
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

// secret returns 256 random bits as text.
func secret() string {
	bits := make([]byte, 32)
	rand.Read(bits) // never fails (crypto/rand)
	return urlBase64.EncodeToString(bits)
}

// away is the error of a provider that cannot be asked now. Its cause is for the log.
func unavailable(cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: "the identity provider cannot be reached", Cause: cause}
}
