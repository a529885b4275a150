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

// grantPolicy is one kind of grant: what the token request must bring, and what it gets.
type grantPolicy struct {
	// name is the value of grant_type.
	name string
	// confidential asks for the client's secret.
	confidential bool
	// requires are the fields that must come along beside client_id.
	requires []string
	// exchange checks what the client presents and stores fresh, the refresh token that the answer will
	// carry. It returns who the tokens speak for, or a *oauthError.
	exchange func(s *Service, ctx context.Context, request grantRequest, fresh account.Grant) (granted, error)
}

// grantRequest is a token request whose client has been authenticated and whose required fields are
// there.
type grantRequest struct {
	client *account.Client
	form   form
	// scope is what was asked for; nil: nothing.
	scope []string
	// externalUser is the Service-User-Id of the request; "": none.
	externalUser string
	now          time.Time
}

// granted is whom tokens speak for, and what else an ID token says.
type granted struct {
	identity
	// profile is the user; nil: there is none.
	profile *account.User
	nonce   string
	// refreshToken is the one of the answer and refreshExpires its end; "" and zero: those of the fresh grant.
	refreshToken   string
	refreshExpires time.Time
}

// grants are the grants of this service.
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

// grantClientCredentials is RFC 6749 section 4.4: "The client credentials grant type MUST only be used by
// confidential clients." Section 4.4.3 advises against a refresh token here; the answer of this API has
// one (spec.md, "Token response"). A Service-User-Id makes the tokens those of that user; one who is
// disabled is refused with invalid_grant.
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

// keepGrant drops a grant whose client was disabled, or its account suspended, while it was made: whoever
// did that has dropped the grants that there were by then, and the roster may have been older.
func (s *Service) keepGrant(ctx context.Context, fresh account.Grant) error {
	_ = s.Refresh(ctx) // while the store cannot tell, the last roster goes on counting
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

// grantRefreshToken is RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2: each token is
// replaced at its use. Within account.RefreshGrace, and until its successor is used, a token that comes again gets the
// same successor with a fresh access token, because the first answer may have been lost or two requests may race. Any
// other reuse revokes the whole family with its access tokens: either the thief or the victim came second. A scope that
// the old token does not have is not granted, rather than refused: by then the old token is spent.
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
		return granted{}, invalidGrant("the refresh token was used before; all that came from the same sign-in are revoked", err)
	case errors.Is(err, account.ErrGrantUnknown):
		return granted{}, invalidGrant("the refresh token is unknown, expired, revoked or of another client", err)
	case err != nil:
		return granted{}, err
	}
	given.family, given.session, given.authTime = old.Family, old.Session, old.AuthTime
	given.scope, given.refreshExpires = grantedScope(request.scope, strings.Fields(old.Scope)), next.Expires
	return given, nil
}

// refreshPurpose names the key from which successors of refresh tokens are derived.
const refreshPurpose = "refresh"

// openRefreshKey returns the key of refreshPurpose, which is made once and never replaced: whoever reads it can derive
// nothing without a refresh token.
func openRefreshKey(ctx context.Context, store Keys, now time.Time) ([]byte, error) {
	key := account.Key{ID: rand.Text(), Secret: make([]byte, sha256.Size), CreatedAt: now}
	rand.Read(key.Secret) // never fails (crypto/rand)
	if err := store.AddKey(ctx, refreshPurpose, key, true); err != nil {
		return nil, fmt.Errorf("auth: adding the key of refresh tokens: %w", err)
	}
	keys, err := store.Keys(ctx, refreshPurpose)
	if err != nil || len(keys) == 0 {
		return nil, fmt.Errorf("auth: reading the key of refresh tokens: %w", cmp.Or(err, errKeyUnknown))
	}
	return keys[len(keys)-1].Secret, nil
}

// successorOf derives the refresh token that replaces another, at every process and at any time the same. Nobody
// without the service's key can compute it from the old token, and nobody without the old token from the key.
func (s *Service) successorOf(token string) string {
	mac := hmac.New(sha256.New, s.refreshKey)
	mac.Write([]byte(token))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// currentGrant looks a refresh token up, or the one that has replaced it.
func (s *Service) currentGrant(ctx context.Context, token string, now time.Time) (account.Grant, error) {
	grant, err := s.accounts.Grant(ctx, hashOf(token), now)
	if errors.Is(err, account.ErrGrantUnknown) {
		return s.accounts.Grant(ctx, hashOf(s.successorOf(token)), now)
	}
	return grant, err
}

// notBefore is the instant before which nothing counts, as the store has it now: what is given by an older
// one would be younger than the instant, and outlive it for ever.
func (s *Service) notBefore(ctx context.Context) (time.Time, error) {
	if err := s.rosters.refresh(ctx); err != nil {
		return time.Time{}, err
	}
	return s.rosters.now().records.NotBefore, nil
}

// findRefreshed looks up the user of a refresh token before the token is spent, so that a store that goes
// away between costs nobody their sign-in. What is wrong with the token itself is for the rotation to say.
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
	given.setUser(user)
	return nil
}

// newRefreshToken makes a refresh token of 256 random bits.
func newRefreshToken() string {
	var bits [32]byte
	rand.Read(bits[:]) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// hashOf is the form in which the store knows refresh tokens and codes. A plain sum is enough for a value
// that nobody can guess.
func hashOf(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }
