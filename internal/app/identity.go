package app

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/netip"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/auth/signin"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/egress"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/limit"
	"github.com/filmstrip/filmstrip/internal/refusallog"
	accountadmin "github.com/filmstrip/filmstrip/resolvers/accounts"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/web"
	"github.com/filmstrip/filmstrip/web/design"
)

// anonymousPlayback is the value of --anonymous that opens the endpoints that a player needs to requests without a
// token.
const anonymousPlayback = "playback"

// LimitSettings bound the rates of clients and addresses.
type LimitSettings struct {
	ClientRate       int64 `help:"Requests a minute of each client, unless its account has a rate of its own; 0: unlimited." default:"30000" min:"0"`
	EventRate        int64 `help:"Events a minute of each client; each event of a batch counts. At least 500, the size of the largest batch; 0: unlimited." default:"0" min:"0"`
	DeviceEventRate  int64 `help:"Events a second of each address whose callers have no token or the token of an embed, and of each user of a client without a secret. 20 times as many may arrive at once; all visitors of one embed together have ten times both. 0: unlimited." default:"50" min:"0"`
	TokenRate        int64 `help:"Requests a minute of each address to the token endpoint and its siblings; 0: unlimited." default:"6000" min:"0"`
	LoginRate        int64 `help:"Password attempts a minute from each address; 0: unlimited." default:"300" min:"0"`
	UserLoginRate    int64 `help:"Password attempts a minute for each user from one address; ten times as many from all addresses together; 0: unlimited." default:"10" min:"0"`
	AnonymousRate    int64 `help:"Requests a minute of each address without a token, if --anonymous allows them, or with the token of an embed; 0: unlimited." default:"6000" min:"0"`
	ViewingRate      int64 `help:"Embed pages a minute that each address opens; ten times as many of one embed from all addresses together; 0: unlimited." default:"600" min:"0"`
	PictureRate      int64 `help:"Posters and previews a minute that the server draws for each address; cached ones do not count; 0: unlimited." default:"300" min:"0"`
	UnauthorizedRate int64 `help:"Requests a minute of each address that the server refuses for lack of a valid token; 0: unlimited." default:"600" min:"0"`
}

// Check returns an error if batches of events would never be within the rate.
func (c *LimitSettings) Check() error {
	if c.EventRate > 0 && c.EventRate < event.MaxBatch {
		return fmt.Errorf("--event-rate %d is below %d, the size of the largest batch; 0 means unlimited", c.EventRate, event.MaxBatch)
	}
	return nil
}

// identity identifies callers and limits their rates.
type identity struct {
	tokens *auth.Service
	signIn *signin.Handler
	// checkProvider is resolvers.Config.CheckProvider.
	checkProvider func(ctx context.Context, of string, provider *account.IdentityProvider) string
	limits        *limit.Limits
	// refusals logs refused credentials.
	refusals *refusallog.Log
}

// openIdentity starts tokens, sign-in and limits on the accounts of the store.
func (s *App) openIdentity(ctx context.Context, settings *Settings) (err error) {
	var accounts store.Accounts = demo.Disabled{Accounts: s.stores.Accounts}
	if settings.Demo {
		if err := demo.AddAccounts(ctx, s.stores.Accounts, settings.base()); err != nil {
			return err
		}
		accounts = s.stores.Accounts
	}
	s.identity = &identity{}
	if s.identity.limits, err = s.limits(settings); err != nil {
		return err
	}
	s.identity.tokens, err = auth.New(ctx, auth.Config{
		Accounts: accounts, Collections: s.stores.Collections, Refused: s.identity.refusals.Refused, Issuer: settings.base(), AuthURL: settings.AuthURL, Logger: s.logger,
		AccessLifetime: settings.AccessTokenLifetime, RefreshLifetime: settings.RefreshTokenLifetime,
		MayForget: s.clock.MayDelete,
	})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, s.identity.tokens.Close)
	return s.openSignIn(ctx, settings, accounts)
}

func (s *App) limits(settings *Settings) (*limit.Limits, error) {
	proxies, err := settings.proxies()
	if err != nil {
		return nil, err
	}
	var shared cache.Counters
	if s.indexes.far != nil {
		shared = s.indexes.far
	}
	var limits *limit.Limits
	s.identity.refusals = refusallog.New(refusallog.Config{
		Logger: s.logger, Addresses: settings.KeepAddresses > 0,
		AddressOf: func(r *http.Request) netip.Addr { return limits.WholeAddressOf(r) },
	})
	limits = limit.New(limit.Config{
		Refused: func(r *http.Request) { s.identity.refusals.Refused(r, "too_many_attempts", "") },
		Rates: limit.Rates{
			Client: settings.ClientRate, Events: settings.EventRate, DeviceEvents: settings.DeviceEventRate, Viewings: settings.ViewingRate,
			Login: settings.UserLoginRate, Unauthorized: settings.UnauthorizedRate, Anonymous: settings.AnonymousRate,
		},
		Counters: shared, Usage: s.stores.Accounts, Proxies: proxies, Logger: s.logger,
	})
	s.closers = append(s.closers, s.identity.refusals.Close, limits.Close)
	return limits, nil
}

func (s *App) openSignIn(ctx context.Context, settings *Settings, accounts store.Accounts) error {
	keys, err := s.keys(ctx, SignInKeys)
	if err != nil {
		return err
	}
	allowed, err := networks("federation-networks", settings.FederationNetworks)
	if err != nil {
		return err
	}
	providers := egress.NewTransport(egress.Options{Allowed: allowed, Setting: "--federation-networks"})
	relyingParty := federation.New(federation.Config{Transport: providers, Logger: s.logger})
	authURL := cmp.Or(settings.AuthURL, settings.base())
	s.identity.checkProvider = func(ctx context.Context, of string, provider *account.IdentityProvider) string {
		return relyingParty.Check(ctx, provider, authURL+signin.CallbackPath+of+"/"+provider.Alias)
	}
	tokens := s.identity.tokens
	s.identity.signIn, err = signin.New(signin.Config{
		Store: accounts, Roster: tokens.Roster, Refresh: tokens.Refresh,
		Issuer: tokens.Issuer(), AuthURL: authURL, SealingKey: FirstSecret(keys),
		SessionLifetime: settings.SessionLifetime, AccessLifetime: settings.AccessTokenLifetime,
		Federation:      relyingParty,
		ReadIDTokenHint: tokens.ReadIDTokenHint, Limit: s.identity.limits.Login, LimitCodes: s.identity.limits.Codes, Refused: s.identity.refusals.Refused, Logger: s.logger,
		Style: design.Style, Logo: template.HTML(design.Logo),
		SetPassword: setInvitedPassword(accounts, settings.AccessTokenLifetime), AfterInvitation: settings.base() + web.ConsolePath,
	})
	return err
}

// setInvitedPassword returns a function that sets the password of an invited user, unless the record has changed since, and
// ends sign-ins with an earlier password.
func setInvitedPassword(accounts store.Accounts, lifetime time.Duration) func(ctx context.Context, invited *account.User, given string) error {
	return func(ctx context.Context, invited *account.User, given string) error {
		hash, err := password.Hash(ctx, given)
		if err != nil {
			return err
		}
		actor := account.Actor{Client: "invitation", User: invited.ID}
		err = accounts.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
			record, err := tx.Entity(ctx, invited.Key())
			if err != nil {
				return err
			}
			user, ok := record.(*account.User)
			if !ok || user.Version != invited.Version {
				return fault.Errorf(fault.Conflict, "the user has changed")
			}
			user.PasswordHash = hash
			return tx.Put(ctx, user)
		})
		if err != nil {
			return err
		}
		return accountadmin.EndSignIns(ctx, accounts, invited.ID, time.Now, lifetime)
	}
}

// knownApart passes requests with a token that was verified before to the handler known, and all others to rest, so
// that the others do not use up the limits of known callers.
func (i *identity) knownApart(rest, known http.Handler) http.Handler {
	verifier := i.tokens.Verifier()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if verifier.Knows(r) {
			known.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// authenticate passes on requests with a valid token.
func (i *identity) authenticate(next http.Handler) http.Handler {
	verifier := i.tokens.Verifier()
	return i.limits.Guard(verifier.Knows, verifier.Require)(next)
}

// oauthErrors are the mounts whose error responses contain an OAuth error code.
var oauthErrors = map[string]bool{"/v1/token": true, "/v1/revoke": true, "/v1/introspect": true, "/v1/userinfo": true}

// mounts returns the endpoints of OAuth and OpenID Connect, and the sign-in pages.
func (i *identity) mounts(settings *Settings) []httpserver.Mount {
	get, post, both := []string{http.MethodGet}, []string{http.MethodPost}, []string{http.MethodGet, http.MethodPost}
	asked := func(next http.Handler) http.Handler { return i.limits.Address("token", settings.TokenRate, next) }
	userInfo := i.tokens.UserInfoHandler()
	tried := func(next http.Handler) http.Handler {
		return i.limits.Address("login-address", settings.LoginRate, next)
	}
	mounts := []httpserver.Mount{
		{Path: "/v1/token", Methods: post, Handler: asked(i.tokens.TokenHandler())},
		{Path: "/v1/revoke", Methods: post, Handler: asked(i.tokens.RevokeHandler())},
		{Path: "/v1/introspect", Methods: post, Handler: asked(i.tokens.IntrospectHandler())},
		{Path: "/v1/userinfo", Methods: both, Handler: i.knownApart(asked(userInfo), i.limits.Address("userinfo", settings.TokenRate, userInfo))},
		{Path: signin.LoginPath, Methods: post, Handler: i.signIn.Limited(tried, i.signIn.LoginHandler())},
		{Path: signin.CodePath, Methods: post, Handler: i.signIn.Limited(tried, i.signIn.CodeHandler())},
		{Path: signin.EnrollPath, Methods: post, Handler: i.signIn.Limited(tried, i.signIn.EnrollHandler())},
		{Path: signin.InvitationPath, Methods: both, Handler: i.signIn.Limited(tried, i.signIn.InvitationHandler())},
		{Path: signin.StylePath, Methods: get, Handler: i.signIn.StyleHandler()},
		{Path: signin.LogoPath, Prefix: true, Methods: get, Handler: i.signIn.Limited(asked, i.signIn.LogoHandler())},
		{Path: signin.CallbackPath, Prefix: true, Methods: get, Handler: i.signIn.Limited(asked, i.signIn.CallbackHandler())},
		{Path: signin.AuthorizePath, Methods: both, Handler: i.signIn.Limited(asked, i.signIn.AuthorizeHandler())},
		{Path: signin.LogoutPath, Methods: both, Handler: i.signIn.Limited(asked, i.signIn.LogoutHandler())},
		{Path: "/.well-known/oauth-authorization-server", Methods: get, Handler: i.tokens.DiscoveryHandler()},
	}
	for _, root := range []string{"", "/v1"} {
		mounts = append(mounts,
			httpserver.Mount{Path: root + "/.well-known/openid-configuration", Methods: get, Handler: i.tokens.DiscoveryHandler()},
			httpserver.Mount{Path: root + "/.well-known/jwks.json", Methods: get, Handler: i.tokens.KeysHandler()})
	}
	for at := range mounts {
		mounts[at].Public = true // each checks credentials itself
		if oauthErrors[mounts[at].Path] {
			mounts[at].Handler = httperror.WithOAuthCodes(mounts[at].Handler)
			mounts[at].ChecksUserID = true
		}
	}
	return mounts
}
