// Package signin signs users in and out in their browser. It implements the authorization endpoint (RFC 6749 section
// 3.1, OpenID Connect Core 1.0), the login page, redirects to and from customers' identity providers, browser sessions,
// and logout (OpenID Connect RP-Initiated Logout 1.0).
//
// The state of a sign-in in progress is not stored; the browser carries it encrypted. The result of a sign-in is an
// authorization code, which package auth exchanges for tokens.
package signin

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/internal/secondfactor"
)

// Store is the part of the store that sign-in uses. The methods have the contracts of store.Registry and
// store.SignIns.
type Store interface {
	secondfactor.Store
	Named(ctx context.Context, name string) (account.Entity, error)
	EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error)
	PutCode(ctx context.Context, code account.Code) error
	PutSession(ctx context.Context, session account.Session) error
	Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error)
	DropSessions(ctx context.Context, id, user string) error
	DropGrants(ctx context.Context, of account.GrantFilter) error
	Revoke(ctx context.Context, marks []string, until time.Time) error
}

// Default lifetimes.
const (
	DefaultSessionLifetime = 12 * time.Hour
	DefaultAccessLifetime  = 30 * time.Minute
)

// The paths below AuthURL.
const (
	AuthorizePath = "/v1/authorize"
	LoginPath     = "/v1/authorize/login"
	// CallbackPath is followed by the account's ID, a slash and the provider's alias. Each provider has its own
	// redirect URI, so that a response cannot be attributed to another provider (RFC 9700 section 4.4.2.2).
	CallbackPath = "/v1/authorize/callback/"
	StylePath    = "/v1/authorize/style.css"
	LogoutPath   = "/v1/logout"
)

// Config configures a Handler. All fields are required unless their comment says otherwise.
type Config struct {
	// Store is not closed by the Handler.
	Store Store
	// Roster returns the current roster. Refresh updates it from the store, for clients that it does not contain.
	Roster  func() *account.Roster
	Refresh func(ctx context.Context) error
	// Issuer is the iss of responses (RFC 9207), equal to that of the discovery document.
	Issuer string
	// AuthURL is the public base URL of the endpoints, without a trailing slash. Cookies are Secure unless its host
	// is loopback, so browsers elsewhere need https.
	AuthURL string
	// SealingKey encrypts the state that browsers carry. It must be at least 32 random bytes and the same in all
	// processes on one store.
	SealingKey []byte
	// SessionLifetime is how long a browser session lasts, regardless of activity; 0 means DefaultSessionLifetime.
	SessionLifetime time.Duration
	// AccessLifetime is the lifetime of access tokens, and therefore the time for which the tokens of an ended
	// session must stay revoked. 0 means DefaultAccessLifetime.
	AccessLifetime time.Duration
	// Federation signs users in at identity providers.
	Federation *federation.Client
	// ReadIDTokenHint verifies an ID token of this service, which may have expired, and returns the client it was
	// issued to, its user, and its session or "".
	ReadIDTokenHint func(token string) (client, user, session string, err error)
	// SetPassword sets the first password of a user whose record has not changed. The error has the code Invalid if the
	// password is not acceptable, and Conflict if the record has changed. AfterInvitation is the address of the page that
	// follows.
	SetPassword     func(ctx context.Context, user *account.User, password string) error
	AfterInvitation string
	// Limit is called before a password is checked. If it returns false, it has written the response.
	Limit func(w http.ResponseWriter, r *http.Request, account, username string) bool
	// LimitCodes is called before a code of a second factor is checked. An error refuses the code.
	LimitCodes func(ctx context.Context, user string) error
	// Refused is called for each refused password or code, with the reason, one lower-case word, and the client's ID.
	Refused func(r *http.Request, reason, client string)
	// Style is the style sheet that the pages share with others; their own styles follow it. Logo is an SVG element.
	Style []byte
	Logo  template.HTML
	// Clock returns the current time; nil means time.Now.
	Clock func() time.Time
	// Logger records sign-ins and errors, but never a password, code or cookie.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	c.SessionLifetime = cmp.Or(c.SessionLifetime, DefaultSessionLifetime)
	c.AccessLifetime = cmp.Or(c.AccessLifetime, DefaultAccessLifetime)
	if c.Clock == nil {
		c.Clock = time.Now
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

// Handler serves the sign-in endpoints. It is safe for concurrent use.
type Handler struct {
	Config
	seal    *sealer
	cookies cookies
	// base is the path of AuthURL.
	base   string
	style  []byte
	origin *http.CrossOriginProtection
}

// New returns a Handler.
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
		Config: config, seal: seal, base: address.EscapedPath(), origin: origin, style: slices.Concat(config.Style, ownStyle),
		cookies: cookies{secure: address.Scheme == "https" || !account.IsLoopback(address.Hostname())},
	}, nil
}

// AuthorizeHandler returns the handler of AuthorizePath.
func (h *Handler) AuthorizeHandler() http.Handler {
	return h.guarded(h.serveAuthorize, http.MethodGet, http.MethodPost)
}

// LoginHandler returns the handler of LoginPath, which receives the login form.
func (h *Handler) LoginHandler() http.Handler { return h.guarded(h.serveLogin, http.MethodPost) }

// CallbackHandler returns the handler of paths below CallbackPath, to which identity providers redirect browsers.
func (h *Handler) CallbackHandler() http.Handler {
	return h.guarded(h.serveCallback, http.MethodGet)
}

// LogoutHandler returns the handler of LogoutPath, the end_session_endpoint.
func (h *Handler) LogoutHandler() http.Handler {
	return h.guarded(h.serveLogout, http.MethodGet, http.MethodPost)
}

// StyleHandler returns the handler of StylePath, the style sheet of the pages.
func (h *Handler) StyleHandler() http.Handler {
	return h.guarded(h.serveStyle, http.MethodGet)
}

// guarded returns a handler that writes the error that serve returns. HEAD is handled like GET.
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
