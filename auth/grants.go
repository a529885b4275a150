package auth

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// grantPolicy describes one kind of grant.
type grantPolicy struct {
	// name is the value of grant_type.
	name string
	// confidential requires the client's secret.
	confidential bool
	// requires lists the required parameters other than client_id.
	requires []string
	// exchange checks the parameters and stores fresh, the refresh token of the response. It returns the subject of
	// the tokens, or a *oauthError.
	exchange func(s *Service, ctx context.Context, request grantRequest, fresh account.Grant) (granted, error)
}

// grantRequest is a token request with an authenticated client and all required parameters.
type grantRequest struct {
	client *account.Client
	form   form
	// scope is the requested scope; nil if none was requested.
	scope []string
	// externalUser is the Service-User-Id of the request; "" if none.
	externalUser string
	now          time.Time
}

// granted describes the subject of tokens and further contents of an ID token.
type granted struct {
	identity
	// profile is the user; nil if there is none.
	profile *account.User
	nonce   string
	// refreshToken and refreshExpires are the refresh token of the response and its expiry; "" and zero mean those of
	// the fresh grant.
	refreshToken   string
	refreshExpires time.Time
}

// grants are the supported grants.
var grants = []grantPolicy{
	{name: "client_credentials", confidential: true, exchange: (*Service).grantClientCredentials},
	{name: "authorization_code", requires: []string{"code", "redirect_uri"}, exchange: (*Service).grantAuthorizationCode},
	{name: "refresh_token", requires: []string{"refresh_token"}, exchange: (*Service).grantRefreshToken},
}

func grantNames() []string {
	names := make([]string, len(grants))
	for i, policy := range grants {
		names[i] = policy.name
	}
	return names
}

func policyOf(form form) (grantPolicy, error) {
	name := form["grant_type"]
	if name == "" {
		return grantPolicy{}, missing([]string{"grant_type"})
	}
	at := slices.IndexFunc(grants, func(policy grantPolicy) bool { return policy.name == name })
	if at < 0 {
		return grantPolicy{}, unsupportedGrantType(name)
	}
	return grants[at], nil
}

// grantClientCredentials implements RFC 6749 section 4.4: "The client credentials grant type MUST only be used by
// confidential clients." Section 4.4.3 advises against a refresh token here, but the API's response has one (spec.md,
// "Token response"). With a Service-User-Id, the tokens are issued for that user; a disabled user is rejected with
// invalid_grant.
func (s *Service) grantClientCredentials(ctx context.Context, request grantRequest, fresh account.Grant) (granted, error) {
	given := granted{identity: identity{clientID: request.client.ID, family: rand.Text()}}
	asked, available := request.scope, clientScopes
	if asked == nil {
		asked = clientScopes
	}
	if request.externalUser != "" {
		user, err := s.serviceUser(ctx, request.client, request.externalUser)
		if err != nil {
			return granted{}, err
		}
		given.setUser(user)
		available = scopes
	}
	given.scope = grantedScope(asked, available)
	fresh.Family, fresh.User, fresh.Scope = given.family, given.user, given.scope
	if err := s.accounts.PutGrant(ctx, fresh); err != nil {
		return granted{}, err
	}
	return given, s.keepGrant(ctx, fresh)
}

// keepGrant drops a grant whose client was disabled, or whose account was suspended, while it was being created: that
// change dropped only the grants that existed at the time.
func (s *Service) keepGrant(ctx context.Context, fresh account.Grant) error {
	_ = s.Refresh(ctx) // while the store is unavailable, the last roster applies
	if client, _ := s.rosters.now().records.Client(fresh.ClientID); client != nil {
		return nil
	}
	if err := s.accounts.DropGrants(ctx, account.GrantFilter{Family: fresh.Family}); err != nil {
		return err
	}
	return invalidClient()
}

func (g *granted) setUser(user *account.User) {
	g.profile, g.user, g.externalUser = user, user.ID, user.ExternalID
}

// grantRefreshToken implements RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2: each token is
// replaced when it is used. Within account.RefreshGrace, and until its successor is used, a reused token returns the
// same successor with a new access token, because the first response may have been lost or two requests may race. Any
// other reuse revokes the whole family with its access tokens, because one of the two users of the token may be an
// attacker. Scopes that the old token does not have are ignored instead of rejected, because at that point the old
// token is already used up.
func (s *Service) grantRefreshToken(ctx context.Context, request grantRequest, fresh account.Grant) (granted, error) {
	token := request.form["refresh_token"]
	successor := s.successorOf(token)
	given := granted{identity: identity{clientID: request.client.ID}, refreshToken: successor}
	if err := s.findRefreshed(ctx, request, token, &given); err != nil {
		return granted{}, err
	}
	notBefore, err := s.notBefore(ctx)
	if err != nil {
		return granted{}, err
	}
	fresh.Hash = hashOf(successor)
	old, next, err := s.accounts.RotateGrant(ctx, hashOf(token), request.client.ID, fresh, request.now, notBefore)
	switch {
	case errors.Is(err, account.ErrGrantReused):
		s.config.Logger.WarnContext(ctx, "refresh token used twice; its family is revoked", "client", request.client.ID)
		if err := s.revoke(ctx, old.Family); err != nil {
			return granted{}, err
		}
		return granted{}, invalidGrant("the refresh token was used before; all tokens of the same sign-in are revoked", err)
	case errors.Is(err, account.ErrGrantUnknown):
		return granted{}, invalidGrant("the refresh token is unknown, expired, revoked or belongs to another client", err)
	case err != nil:
		return granted{}, err
	}
	given.family, given.session, given.authTime = old.Family, old.Session, old.AuthTime
	given.scope, given.refreshExpires = grantedScope(request.scope, strings.Fields(old.Scope)), next.Expires
	return given, nil
}

// refreshPurpose is the purpose of the key from which successors of refresh tokens are derived.
const refreshPurpose = "refresh"

// openRefreshKey returns the key with refreshPurpose. It is created once and never replaced, because it is useless
// without a refresh token.
func openRefreshKey(ctx context.Context, store Keys, now time.Time) ([]byte, error) {
	if err := store.AddKey(ctx, refreshPurpose, account.NewKey(now), true); err != nil {
		return nil, fmt.Errorf("auth: adding the key of refresh tokens: %w", err)
	}
	keys, err := store.Keys(ctx, refreshPurpose)
	if err != nil || len(keys) == 0 {
		return nil, fmt.Errorf("auth: reading the key of refresh tokens: %w", cmp.Or(err, errKeyUnknown))
	}
	return keys[len(keys)-1].Secret, nil
}

// successorOf derives the refresh token that replaces the given one. The result is the same in every process and at
// any time. It cannot be computed without both the service's key and the old token.
func (s *Service) successorOf(token string) string {
	mac := hmac.New(sha256.New, s.refreshKey)
	mac.Write([]byte(token))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// currentGrant returns the grant of a refresh token or of its successor.
func (s *Service) currentGrant(ctx context.Context, token string, now time.Time) (account.Grant, error) {
	grant, err := s.accounts.Grant(ctx, hashOf(token), now)
	if errors.Is(err, account.ErrGrantUnknown) {
		return s.accounts.Grant(ctx, hashOf(s.successorOf(token)), now)
	}
	return grant, err
}

// notBefore returns the policy's NotBefore as the store has it now. A token issued under an outdated value would be
// newer than NotBefore and never be revoked by it.
func (s *Service) notBefore(ctx context.Context) (time.Time, error) {
	if err := s.rosters.refresh(ctx); err != nil {
		return time.Time{}, err
	}
	return s.rosters.now().records.NotBefore, nil
}

// findRefreshed looks up the user of a refresh token before the token is used up, so that a store failure in between
// does not end the sign-in. It leaves errors of the token itself to the rotation.
func (s *Service) findRefreshed(ctx context.Context, request grantRequest, token string, given *granted) error {
	grant, err := s.currentGrant(ctx, token, request.now)
	switch {
	case errors.Is(err, account.ErrGrantUnknown):
		return nil
	case err != nil:
		return err
	case grant.ClientID != request.client.ID || grant.User == "":
		return nil
	}
	user, err := s.userOf(ctx, request.client, grant.User)
	if err != nil {
		return err
	}
	if grant.Session != "" {
		if err := s.checkSignIn(ctx, &grant, user); err != nil {
			return err
		}
	}
	given.setUser(user)
	return nil
}

// checkSignIn rejects the grant of a user's sign-in if the account no longer has the user's identity provider, or if a
// sign-in with a password does not count any more.
func (s *Service) checkSignIn(ctx context.Context, grant *account.Grant, user *account.User) error {
	roster := s.rosters.now().records
	owner := roster.Accounts[user.AccountID]
	if owner == nil || slices.ContainsFunc(owner.IdentityProviders, func(p account.IdentityProvider) bool { return p.Issuer == user.Issuer }) {
		return nil // without an account, the client is refused
	}
	factor, err := account.As[*account.SecondFactor](s.accounts.Entity(ctx, account.KindSecondFactor.Key(user.ID)))
	if err != nil {
		return err
	}
	if user.PasswordHash == "" || !roster.PasswordStands(owner, user.ID, grant.AuthTime, factor) {
		return invalidGrant("the user has to sign in again: the way of the sign-in is not allowed any more", nil)
	}
	return nil
}

// hashOf returns the hash under which the store keeps a refresh token or code. A fast hash suffices because the
// values cannot be guessed.
func hashOf(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }
