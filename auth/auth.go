// Package auth says who calls. It gives tokens to clients (POST /v1/token, RFC 6749), publishes the
// keys that verify them (RFC 7517), and turns a request's bearer token (RFC 6750, RFC 9068) into an
// account.Caller.
//
// A token carries identity only. What the caller may do and see comes from a roster of all clients
// that is held in memory and follows the store, so a changed, disabled or deleted client counts
// within a second, for tokens that were handed out before as well.
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
)

// Accounts is what the token service needs of the store. Each method is that of store.Accounts, whose
// contract holds here too.
type Accounts interface {
	Clients(ctx context.Context) ([]*account.LegacyClient, error)
	Version(ctx context.Context) (int64, error)
	Keys(ctx context.Context, purpose string) ([]account.Key, error)
	AddKey(ctx context.Context, purpose string, key account.Key, onlyFirst bool) error
	PutGrant(ctx context.Context, grant account.Grant) error
	RotateGrant(ctx context.Context, old [32]byte, clientID string, next account.Grant, now time.Time) (account.Grant, error)
	DropGrants(ctx context.Context, expiredBefore time.Time) error
}

// The lifetimes where Config names none.
const (
	DefaultAccessLifetime  = 30 * time.Minute
	DefaultRefreshLifetime = 24 * time.Hour
)

// DefaultRemembered is how many verified tokens are remembered where Config does not say.
const DefaultRemembered = 50_000

// Config is what the service is made of.
type Config struct {
	// Accounts is the store of clients, keys and refresh tokens. It stays the caller's, who closes it
	// after the service.
	Accounts Accounts
	// Issuer is the name of the service in its tokens (iss, RFC 9068 section 2.2): the public base
	// address where it is fixed. All processes on one store must use the same, whatever host a request
	// came by, or they refuse each other's tokens.
	Issuer string
	// Audience names the API that tokens are for (aud); empty: the issuer.
	Audience string
	// AccessLifetime is how long an access token lives, in whole seconds; 0: DefaultAccessLifetime.
	AccessLifetime time.Duration
	// RefreshLifetime is how long a refresh token lives unless it is used, in whole seconds; longer
	// than AccessLifetime (spec.md, "Authentication" 3). 0: DefaultRefreshLifetime.
	RefreshLifetime time.Duration
	// Remembered is the most verified tokens to remember; 0: DefaultRemembered.
	Remembered int
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Logger hears of refused clients, reused refresh tokens and faults of the store, and never of a
	// token or a secret; nil: slog.Default().
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	if c.Audience == "" {
		c.Audience = c.Issuer
	}
	if c.AccessLifetime == 0 {
		c.AccessLifetime = DefaultAccessLifetime
	}
	if c.RefreshLifetime == 0 {
		c.RefreshLifetime = DefaultRefreshLifetime
	}
	if c.Remembered == 0 {
		c.Remembered = DefaultRemembered
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	switch {
	case c.Issuer == "":
		return c, fmt.Errorf("auth: an issuer is required")
	case c.AccessLifetime < time.Second || c.AccessLifetime%time.Second != 0:
		return c, fmt.Errorf("auth: the lifetime of access tokens must be whole seconds, at least one, not %s", c.AccessLifetime)
	case c.RefreshLifetime%time.Second != 0:
		return c, fmt.Errorf("auth: the lifetime of refresh tokens must be whole seconds, not %s", c.RefreshLifetime)
	case c.RefreshLifetime <= c.AccessLifetime:
		return c, fmt.Errorf("auth: refresh tokens (%s) must live longer than access tokens (%s)", c.RefreshLifetime, c.AccessLifetime)
	case c.Remembered < 0:
		return c, fmt.Errorf("auth: the number of remembered tokens must not be negative, but is %d", c.Remembered)
	}
	return c, nil
}

// Service is the token service of one process. Its handlers and its verifier may be used concurrently.
type Service struct {
	config   Config
	roll     *roll
	verifier *Verifier
	stop     context.CancelFunc
	stopped  chan struct{}
}

// New starts the service: it reads clients and keys, makes the first signing key where there is none,
// and follows the store from then on, until Close. The context bounds the start only.
func New(ctx context.Context, config Config) (*Service, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := ensureKey(ctx, config.Accounts, config.Clock()); err != nil {
		return nil, err
	}
	roll, err := openRoll(ctx, config.Accounts)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Service{config: config, roll: roll, verifier: newVerifier(config, roll), stop: stop, stopped: make(chan struct{})}
	go func() {
		defer close(s.stopped)
		s.attend(running)
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

// TokenHandler returns the handler of POST /v1/token.
func (s *Service) TokenHandler() http.Handler { return http.HandlerFunc(s.serveToken) }

// KeysHandler returns the handler of the published key set (RFC 7517), to be mounted as
// /.well-known/jwks.json.
func (s *Service) KeysHandler() http.Handler { return http.HandlerFunc(s.serveKeys) }

const (
	// followEvery is how often the roll asks the store for changes: four tries within the second in
	// which a change must count.
	followEvery = 250 * time.Millisecond
	// sweepEvery is how often expired refresh tokens are forgotten, beside once at the start.
	sweepEvery = time.Hour
)

// attend follows the store and sweeps it until the context ends.
func (s *Service) attend(ctx context.Context) {
	follow, sweep := time.NewTicker(followEvery), time.NewTicker(sweepEvery)
	defer follow.Stop()
	defer sweep.Stop()
	s.sweep(ctx)
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-follow.C:
			failing = s.follow(ctx, failing)
		case <-sweep.C:
			s.sweep(ctx)
		}
	}
}

// follow renews the roster and returns whether the store fails. That is reported once when it begins and
// once when it ends; meanwhile the last roster goes on counting.
func (s *Service) follow(ctx context.Context, failing bool) bool {
	err := s.roll.refresh(ctx)
	switch {
	case ctx.Err() != nil: // closing
	case err != nil && !failing:
		s.config.Logger.Error("clients and keys cannot be read; the last known ones still count", "error", err)
	case err == nil && failing:
		s.config.Logger.Info("clients and keys can be read again")
	}
	return err != nil
}

// sweep forgets expired refresh tokens. One that fails is made up for by the next.
func (s *Service) sweep(ctx context.Context) {
	if err := s.config.Accounts.DropGrants(ctx, s.config.Clock()); err != nil && ctx.Err() == nil {
		s.config.Logger.Warn("expired refresh tokens could not be forgotten", "error", err)
	}
}
