// Package auth says who calls. It gives tokens to clients (POST /v1/token, RFC 6749), takes them back
// (RFC 7009), tells what they stand for (RFC 7662, OpenID Connect userinfo), publishes where all this is
// and the keys that verify it (RFC 8414, RFC 7517), and turns a request's bearer token (RFC 6750, RFC
// 9068) into an account.Caller.
//
// A token carries identity only. What the caller may do and see comes from a roster of all accounts
// and clients that is held in memory and follows the store, so a change counts within a second, for
// tokens that were handed out before as well. So does the revocation of a token, a sign-in, a session or
// a user.
//
// Every kind of grant is one policy in a table (grants.go); a further one is one more entry.
package auth

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Accounts is what the token service needs of the store. Each method is that of store.Registry,
// store.SignIns or store.Keys, whose contract holds here too.
type Accounts interface {
	Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error)
	RosterVersion(ctx context.Context) (account.RosterVersion, error)
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error)

	RedeemCode(ctx context.Context, hash [32]byte, now time.Time, fresh account.Grant, check func(account.Code) error) (account.Code, error)
	PutGrant(ctx context.Context, grant account.Grant) error
	Grant(ctx context.Context, hash [32]byte, now time.Time) (account.Grant, error)
	RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now, notBefore time.Time) (grant, successor account.Grant, err error)
	DropGrants(ctx context.Context, of account.GrantFilter) error
	Revoke(ctx context.Context, marks []string, until time.Time) error
	Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error)
	Sweep(ctx context.Context, expiredBefore time.Time) error

	Keys
}

// Keys is what rotating keys needs of the store: store.Keys.
type Keys interface {
	Keys(ctx context.Context, purpose string) ([]account.Key, error)
	AddKey(ctx context.Context, purpose string, key account.Key, onlyFirst bool) error
	DropKeys(ctx context.Context, purpose string, ids []string) error
}

// Collections is what following content packages needs of the store of collections: store.Collections.
type Collections interface {
	Head(ctx context.Context) (int64, error)
	Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error)
}

// The lifetimes where Config names none.
const (
	DefaultAccessLifetime  = 30 * time.Minute
	DefaultRefreshLifetime = 24 * time.Hour
)

// DefaultPublishAhead is for how long a key is published before it signs, where Config does not say.
const DefaultPublishAhead = 10 * time.Minute

// DefaultRemembered is how many verified tokens are remembered where Config does not say.
const DefaultRemembered = 50_000

// Config is what the service is made of.
type Config struct {
	// Accounts is the store of accounts, keys and refresh tokens. It stays the caller's, who closes it
	// after the service.
	Accounts Accounts
	// Collections are those that content packages may name; nil: there are none, and such rules open nothing.
	Collections Collections
	// Issuer is the public base address of the API. It is the name of the service in its tokens too
	// (iss, RFC 9068 section 2.2) unless AuthURL is set. All processes on one store must use the same,
	// whatever host a request came by, or they refuse each other's tokens.
	Issuer string
	// AuthURL is the base address of the token endpoint and its siblings where that is not Issuer. Then it
	// is the name in tokens: the discovery document must lie below the issuer that it names (OpenID
	// Connect Discovery section 4.1), and it lies where the endpoints are. Setting it anew ends all access
	// tokens that were given before.
	AuthURL string
	// Audience names the API that access tokens are for (aud); empty: Issuer.
	Audience string
	// AccessLifetime is how long an access token or an ID token lives, in whole seconds; 0:
	// DefaultAccessLifetime.
	AccessLifetime time.Duration
	// RefreshLifetime is how long a refresh token lives unless it is used, in whole seconds; longer
	// than AccessLifetime (spec.md, "Authentication" 3). 0: DefaultRefreshLifetime.
	RefreshLifetime time.Duration
	// PublishAhead is for how long a new key is published before it signs; longer than whoever verifies
	// our tokens may keep the published set, which is five minutes. 0: DefaultPublishAhead. All processes
	// on one store must use the same.
	PublishAhead time.Duration
	// Remembered is the most verified tokens to remember; 0: DefaultRemembered.
	Remembered int
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// MayForget reports whether expired records and retired keys may be deleted now: not while Clock is not to be
	// trusted. nil: always.
	MayForget func(context.Context) bool
	// Logger hears of refused clients, reused refresh tokens and faults of the store, and never of a
	// token, a code or a secret; nil: slog.Default().
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	if c.Audience == "" {
		c.Audience = c.Issuer
	}
	if c.AuthURL == "" {
		c.AuthURL = c.Issuer
	}
	if c.AccessLifetime == 0 {
		c.AccessLifetime = DefaultAccessLifetime
	}
	if c.RefreshLifetime == 0 {
		c.RefreshLifetime = DefaultRefreshLifetime
	}
	if c.PublishAhead == 0 {
		c.PublishAhead = DefaultPublishAhead
	}
	if c.Remembered == 0 {
		c.Remembered = DefaultRemembered
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.MayForget == nil {
		c.MayForget = func(context.Context) bool { return true }
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, c.check()
}

func (c Config) check() error {
	switch {
	case c.Issuer == "":
		return fmt.Errorf("auth: an issuer is required")
	case c.AccessLifetime < time.Second || c.AccessLifetime%time.Second != 0:
		return fmt.Errorf("auth: the lifetime of access tokens must be whole seconds, at least one, not %s", c.AccessLifetime)
	case c.RefreshLifetime%time.Second != 0:
		return fmt.Errorf("auth: the lifetime of refresh tokens must be whole seconds, not %s", c.RefreshLifetime)
	case c.RefreshLifetime <= c.AccessLifetime:
		return fmt.Errorf("auth: refresh tokens (%s) must live longer than access tokens (%s)", c.RefreshLifetime, c.AccessLifetime)
	case c.PublishAhead <= keysMaxAge:
		return fmt.Errorf("auth: keys must be published for longer than the key set may be kept (%s) before they sign, not %s", keysMaxAge, c.PublishAhead)
	case c.Remembered < 0:
		return fmt.Errorf("auth: the number of remembered tokens must not be negative, but is %d", c.Remembered)
	}
	return nil
}

// Service is the token service of one process. Its handlers and its verifier may be used concurrently.
type Service struct {
	config                        Config
	accounts                      Accounts
	rosters                       *rosterStore
	verifier                      *Verifier
	discovery, discoveryOfSecrets []byte // the latter while the policy requires a secret of every client
	refreshKey                    []byte // of refreshPurpose
	stop                          context.CancelFunc
	stopped                       chan struct{}
}

// New starts the service: it reads accounts and keys, makes the first keys where there are none, and
// follows the store from then on, until Close. The context bounds the start only.
func New(ctx context.Context, config Config) (*Service, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	discovery, err := discoveryDocument(config.AuthURL, false)
	if err != nil {
		return nil, err
	}
	discoveryOfSecrets, err := discoveryDocument(config.AuthURL, true)
	if err != nil {
		return nil, err
	}
	if err := ensureKeys(ctx, config.Accounts, config.Clock()); err != nil {
		return nil, err
	}
	refreshKey, err := openRefreshKey(ctx, config.Accounts, config.Clock())
	if err != nil {
		return nil, err
	}
	rosters, err := openRosterStore(ctx, config)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Service{
		config: config, accounts: config.Accounts, rosters: rosters, verifier: newVerifier(config, rosters),
		discovery: discovery, discoveryOfSecrets: discoveryOfSecrets, refreshKey: refreshKey,
		stop: stop, stopped: make(chan struct{}),
	}
	go func() {
		defer close(s.stopped)
		s.maintain(running)
	}()
	return s, nil
}

// Close ends following the store and waits for it. Handlers and verifier go on answering from what is
// known by then.
func (s *Service) Close() error {
	s.stop()
	<-s.stopped
	return nil
}

// Verifier returns the verifier of bearer tokens.
func (s *Service) Verifier() *Verifier { return s.verifier }

// Issuer returns the name of the service in its tokens, which is the address below which its endpoints
// are.
func (s *Service) Issuer() string { return s.config.AuthURL }

// Roster returns the newest roster. It is shared and must not be changed.
func (s *Service) Roster() *account.Roster { return s.rosters.now().records.Roster }

// Refresh makes sure that Roster, and what is revoked, is no older than this call. Where the store cannot
// be read the error is of code Unavailable, and the last roster goes on counting.
func (s *Service) Refresh(ctx context.Context) error {
	if err := s.rosters.refresh(ctx); err != nil {
		return unavailable(err)
	}
	return nil
}

// AllowsOrigin reports whether an account allows pages of an origin to call with credentials. An account
// that has expired still does, so that its pages can read what they are told; one that is suspended does
// not.
func (s *Service) AllowsOrigin(origin string) bool { return s.rosters.now().records.origins[origin] }

// TokenHandler returns the handler of POST /v1/token.
func (s *Service) TokenHandler() http.Handler { return http.HandlerFunc(s.serveToken) }

// RevokeHandler returns the handler of POST /v1/revoke (RFC 7009).
func (s *Service) RevokeHandler() http.Handler { return http.HandlerFunc(s.serveRevoke) }

// IntrospectHandler returns the handler of POST /v1/introspect (RFC 7662).
func (s *Service) IntrospectHandler() http.Handler { return http.HandlerFunc(s.serveIntrospect) }

// UserInfoHandler returns the handler of GET and POST /v1/userinfo (OpenID Connect Core section 5.3). It
// authenticates by itself.
func (s *Service) UserInfoHandler() http.Handler { return http.HandlerFunc(s.serveUserInfo) }

// DiscoveryHandler returns the handler of the description of the service, to be mounted as
// /.well-known/openid-configuration, /v1/.well-known/openid-configuration (OpenID Connect Discovery) and
// /.well-known/oauth-authorization-server (RFC 8414).
func (s *Service) DiscoveryHandler() http.Handler { return http.HandlerFunc(s.serveDiscovery) }

// KeysHandler returns the handler of the published key set (RFC 7517), to be mounted as
// /.well-known/jwks.json and /v1/.well-known/jwks.json.
func (s *Service) KeysHandler() http.Handler { return http.HandlerFunc(s.serveKeys) }
