// Package auth authenticates callers. It issues tokens to clients (POST /v1/token, RFC 6749), revokes them (RFC 7009),
// describes them (RFC 7662, OpenID Connect userinfo), publishes its endpoints and keys (RFC 8414, RFC 7517), and turns
// the bearer token of a request (RFC 6750, RFC 9068) into an account.Caller.
//
// A token carries identity only. Permissions and access come from a roster of all accounts and clients, which is held in
// memory and follows the store. A change or a revocation therefore takes effect within a second, also for tokens that
// were issued before it.
//
// Each kind of grant is one policy in a table (grants.go).
package auth

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Accounts is the part of the store that the token service uses. The methods have the contracts of store.Registry,
// store.SignIns and store.Keys.
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

// Keys is the part of the store that key rotation uses: store.Keys.
type Keys interface {
	Keys(ctx context.Context, purpose string) ([]account.Key, error)
	AddKey(ctx context.Context, purpose string, key account.Key, onlyFirst bool) error
	DropKeys(ctx context.Context, purpose string, ids []string) error
}

// Collections is the part of the store that resolves the collections of content packages: store.Collections.
type Collections interface {
	Head(ctx context.Context) (int64, error)
	Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error)
}

// Default lifetimes.
const (
	DefaultAccessLifetime  = 30 * time.Minute
	DefaultRefreshLifetime = 24 * time.Hour
)

// DefaultPublishAhead is the default of Config.PublishAhead.
const DefaultPublishAhead = 10 * time.Minute

// DefaultRemembered is the default of Config.Remembered.
const DefaultRemembered = 50_000

// Config configures a Service.
type Config struct {
	// Accounts is the store of accounts, keys and refresh tokens. The caller closes it after the service.
	Accounts Accounts
	// Collections stores the collections that content packages name. If it is nil, such rules grant nothing.
	Collections Collections
	// Issuer is the public base URL of the API. Unless AuthURL is set, it is also the issuer of tokens (iss, RFC 9068
	// section 2.2). All processes on one store must use the same issuer, regardless of the host that requests use, or they reject
	// each other's tokens.
	Issuer string
	// AuthURL is the base URL of the token endpoint and the related endpoints if it differs from Issuer. It then is
	// the issuer of tokens, because the discovery document must lie below the issuer (OpenID Connect Discovery
	// section 4.1). Changing it invalidates all access tokens issued before.
	AuthURL string
	// Audience is the aud of access tokens; empty means Issuer.
	Audience string
	// AccessLifetime is the lifetime of access and ID tokens in whole seconds; 0 means DefaultAccessLifetime.
	AccessLifetime time.Duration
	// RefreshLifetime is the lifetime of an unused refresh token in whole seconds. It must be longer than
	// AccessLifetime (spec.md, "Authentication" 3). 0 means DefaultRefreshLifetime.
	RefreshLifetime time.Duration
	// PublishAhead is the time between publishing a new key and signing with it. It must be longer than the five
	// minutes for which clients may cache the key set. All processes on one store must use the same value. 0 means
	// DefaultPublishAhead.
	PublishAhead time.Duration
	// Remembered is the maximum number of verified tokens kept in memory; 0 means DefaultRemembered.
	Remembered int
	// Clock returns the current time; nil means time.Now.
	Clock func() time.Time
	// MayForget reports whether expired records and retired keys may be deleted. It returns false while Clock cannot
	// be trusted. nil means always.
	MayForget func(context.Context) bool
	// Refused is called for each client, code or token that a request presents and the service refuses. reason is one
	// lower-case word; client is the ID that the caller sent or "". nil means that Logger logs each.
	Refused func(r *http.Request, reason, client string)
	// Logger records reused refresh tokens and store errors, but never a token, code or secret; nil means
	// slog.Default().
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	c.Audience = cmp.Or(c.Audience, c.Issuer)
	c.AuthURL = cmp.Or(c.AuthURL, c.Issuer)
	c.AccessLifetime = cmp.Or(c.AccessLifetime, DefaultAccessLifetime)
	c.RefreshLifetime = cmp.Or(c.RefreshLifetime, DefaultRefreshLifetime)
	c.PublishAhead = cmp.Or(c.PublishAhead, DefaultPublishAhead)
	c.Remembered = cmp.Or(c.Remembered, DefaultRemembered)
	c.Logger = cmp.Or(c.Logger, slog.Default())
	if c.Refused == nil {
		c.Refused = func(r *http.Request, reason, client string) {
			c.Logger.WarnContext(r.Context(), "authentication refused", "reason", reason, "client", client)
		}
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.MayForget == nil {
		c.MayForget = func(context.Context) bool { return true }
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

// Service is the token service of one process. It is safe for concurrent use.
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

// New starts the service. It reads accounts and keys, creates the first keys if there are none, and follows the store
// until Close. The context bounds only the start.
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

// Close stops following the store and waits until that has ended. Handlers and verifier then continue with the last
// known state.
func (s *Service) Close() error {
	s.stop()
	<-s.stopped
	return nil
}

// Verifier returns the verifier of bearer tokens.
func (s *Service) Verifier() *Verifier { return s.verifier }

// Issuer returns the issuer of the service's tokens, which is the base URL of its endpoints.
func (s *Service) Issuer() string { return s.config.AuthURL }

// Roster returns the newest roster. It is shared and must not be modified.
func (s *Service) Roster() *account.Roster { return s.rosters.now().records.Roster }

// Refresh ensures that the roster and the revocations are no older than this call. If the store cannot be read, the
// error has code Unavailable and the last roster stays in use.
func (s *Service) Refresh(ctx context.Context) error {
	if err := s.rosters.refresh(ctx); err != nil {
		return unavailable(err)
	}
	return nil
}

// AllowsOrigin reports whether any account that is not suspended allows pages of the origin to call with credentials.
// Expired accounts are included, so that their pages can read the error.
func (s *Service) AllowsOrigin(origin string) bool { return s.rosters.now().records.origins[origin] }

// TokenHandler returns the handler of POST /v1/token.
func (s *Service) TokenHandler() http.Handler { return http.HandlerFunc(s.serveToken) }

// RevokeHandler returns the handler of POST /v1/revoke (RFC 7009).
func (s *Service) RevokeHandler() http.Handler { return http.HandlerFunc(s.serveRevoke) }

// IntrospectHandler returns the handler of POST /v1/introspect (RFC 7662).
func (s *Service) IntrospectHandler() http.Handler { return http.HandlerFunc(s.serveIntrospect) }

// UserInfoHandler returns the handler of GET and POST /v1/userinfo (OpenID Connect Core section 5.3). It
// authenticates requests itself.
func (s *Service) UserInfoHandler() http.Handler { return http.HandlerFunc(s.serveUserInfo) }

// DiscoveryHandler returns the handler of the discovery document, to be mounted as /.well-known/openid-configuration,
// /v1/.well-known/openid-configuration (OpenID Connect Discovery) and /.well-known/oauth-authorization-server (RFC
// 8414).
func (s *Service) DiscoveryHandler() http.Handler { return http.HandlerFunc(s.serveDiscovery) }

// KeysHandler returns the handler of the key set (RFC 7517), to be mounted as /.well-known/jwks.json and
// /v1/.well-known/jwks.json.
func (s *Service) KeysHandler() http.Handler { return http.HandlerFunc(s.serveKeys) }
