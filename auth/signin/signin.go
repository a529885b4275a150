// Package signin signs users in and out in their browser: the authorisation endpoint (RFC 6749 section
// 3.1, OpenID Connect Core 1.0), its login page, the way to a customer's own identity provider and back,
// browser sessions, and logout (OpenID Connect RP-Initiated Logout 1.0).
//
// What a browser carries between two requests is sealed: nothing of a sign-in under way is stored.
// An authorisation code is the only thing that leaves this package; package auth turns it into tokens.
package signin

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
)

// Store is what signing in needs of the store. Each method is that of store.Registry or store.SignIns,
// whose contract holds here too.
type Store interface {
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	Named(ctx context.Context, name string) (account.Entity, error)
	EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error)
	PutCode(ctx context.Context, code account.Code) error
	PutSession(ctx context.Context, session account.Session) error
	Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error)
	DropSessions(ctx context.Context, id, user string) error
	DropGrants(ctx context.Context, of account.GrantFilter) error
	Revoke(ctx context.Context, marks []string, until time.Time) error
}

// Defaults where Config does not say.
const (
	DefaultSessionLifetime = 12 * time.Hour
	DefaultAccessLifetime  = 30 * time.Minute
)

// The addresses below the AuthURL.
const (
	AuthorizePath = "/v1/authorize"
	LoginPath     = "/v1/authorize/login"
	// CallbackPath goes on with the ID of the account, a slash and the alias of the provider: each
	// provider has a redirect address of its own, so that an answer cannot pass for another's (RFC 9700
	// section 4.4.2.2).
	CallbackPath = "/v1/authorize/callback/"
	StylePath    = "/v1/authorize/style.css"
	LogoutPath   = "/v1/logout"
)

// Config is what a Handler is made of.
type Config struct {
	// Store stays the caller's.
	Store Store
	// Roster returns the roster as it is known now; Refresh brings it up to the store where it does not
	// know what is asked of it.
	Roster  func() *account.Roster
	Refresh func(ctx context.Context) error
	// Issuer is the iss of answers (RFC 9207): that of the discovery document.
	Issuer string
	// AuthURL is the public base address of the endpoints, without a slash at its end. Cookies are
	// Secure unless its host is this machine, so that elsewhere it must be https for browsers.
	AuthURL string
	// SealingKey seals what browsers carry: at least 32 random bytes, the same in all processes on one
	// store.
	SealingKey []byte
	// SessionLifetime is how long a browser stays signed in, whatever it does; 0:
	// DefaultSessionLifetime.
	SessionLifetime time.Duration
	// AccessLifetime is how long access tokens live: so long those of a session that has ended stay
	// revoked. 0: DefaultAccessLifetime.
	AccessLifetime time.Duration
	// Federation signs users in at identity providers.
	Federation *federation.Client
	// ReadIDTokenHint verifies an ID token of ours, which may have expired, and returns whom it was
	// issued to and about; session is "" where it names none.
	ReadIDTokenHint func(token string) (client, user, session string, err error)
	// Limit is asked before a password is checked. Where it returns false, it has answered. nil: there
	// is no limit.
	Limit func(w http.ResponseWriter, r *http.Request, account, username string) bool
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Logger hears of sign-ins and refusals, and never of a password, a code or a cookie; nil:
	// slog.Default().
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	if c.SessionLifetime == 0 {
		c.SessionLifetime = DefaultSessionLifetime
	}
	if c.AccessLifetime == 0 {
		c.AccessLifetime = DefaultAccessLifetime
	}
	if c.Limit == nil {
		c.Limit = func(http.ResponseWriter, *http.Request, string, string) bool { return true }
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	switch {
	case c.Store == nil, c.Roster == nil, c.Refresh == nil, c.Federation == nil, c.ReadIDTokenHint == nil:
		return c, fmt.Errorf("signin: store, roster, federation and the reader of ID tokens are required")
	case c.Issuer == "":
		return c, fmt.Errorf("signin: an issuer is required")
	case c.SessionLifetime < time.Minute || c.AccessLifetime < 0:
		return c, fmt.Errorf("signin: a session must last a minute at least, not %s", c.SessionLifetime)
	}
	return c, nil
}

// Handler answers the endpoints of signing in. It may be used concurrently.
type Handler struct {
	Config
	seal    *sealer
	cookies cookies
	// base is the path of AuthURL, below which browsers find the endpoints.
	base   string
	origin *http.CrossOriginProtection
}

// New returns the handler.
func New(config Config) (*Handler, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(config.AuthURL)
	if err != nil || address.Host == "" || address.RawQuery != "" || strings.HasSuffix(config.AuthURL, "/") {
		return nil, fmt.Errorf("signin: %q is not the base address of the endpoints", config.AuthURL)
	}
	seal, err := newSealer(config.SealingKey)
	if err != nil {
		return nil, err
	}
	origin := http.NewCrossOriginProtection()
	if err := origin.AddTrustedOrigin(address.Scheme + "://" + address.Host); err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	return &Handler{
		Config: config, seal: seal, base: address.EscapedPath(), origin: origin,
		cookies: cookies{secure: address.Scheme == "https" || !account.IsLoopback(address.Hostname())},
	}, nil
}

// AuthorizeHandler returns the handler of AuthorizePath.
func (h *Handler) AuthorizeHandler() http.Handler {
	return h.guarded(h.serveAuthorize, http.MethodGet, http.MethodPost)
}

// LoginHandler returns the handler of LoginPath, where the login page's form goes.
func (h *Handler) LoginHandler() http.Handler { return h.guarded(h.serveLogin, http.MethodPost) }

// CallbackHandler returns the handler of what lies below CallbackPath, where identity providers send
// browsers back to.
func (h *Handler) CallbackHandler() http.Handler {
	return h.guarded(h.serveCallback, http.MethodGet)
}

// LogoutHandler returns the handler of LogoutPath, the end_session_endpoint.
func (h *Handler) LogoutHandler() http.Handler {
	return h.guarded(h.serveLogout, http.MethodGet, http.MethodPost)
}

// StyleHandler returns the handler of StylePath, the style sheet of the pages.
func (h *Handler) StyleHandler() http.Handler {
	return h.guarded(serveStyle, http.MethodGet)
}

// guarded is a handler whose error, if it returns one, is the answer. HEAD is answered as GET is, without a body.
func (h *Handler) guarded(serve func(http.ResponseWriter, *http.Request) error, methods ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecurityHeaders(w.Header())
		if err := checkMethod(w, r, methods); err != nil {
			h.writeProblem(w, r, err)
			return
		}
		if err := serve(w, r); err != nil {
			h.writeProblem(w, r, err)
		}
	})
}
