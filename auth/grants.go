package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
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
	// carry. It returns who the tokens speak for, or a *refusal.
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
		user, err := s.personalised(ctx, request.client, request.externalUser)
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
	if client, _ := s.roll.now().records.Client(fresh.ClientID); client != nil {
		return nil
	}
	if err := s.accounts.DropGrants(ctx, account.Of{Family: fresh.Family}); err != nil {
		return err
	}
	return invalidClient()
}

func (g *granted) setUser(user *account.User) {
	g.profile, g.user, g.externalUser = user, user.ID, user.ExternalID
}

// grantRefreshToken is RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2: each token is
// good for one use, and one that comes again revokes its whole family with its access tokens, because
// whoever uses it second is the thief or the victim. Two requests that race with one token are the same
// case: one of them gets its answer, and the family is revoked. A scope that the old token does not have
// is not granted, rather than refused: by then the old token is spent.
func (s *Service) grantRefreshToken(ctx context.Context, request grantRequest, fresh account.Grant) (granted, error) {
	hash := hashOf(request.form["refresh_token"])
	given := granted{identity: identity{clientID: request.client.ID}}
	if err := s.findRefreshed(ctx, request, hash, &given); err != nil {
		return granted{}, err
	}
	notBefore, err := s.notBefore(ctx)
	if err != nil {
		return granted{}, err
	}
	old, err := s.accounts.RotateGrant(ctx, hash, request.client.ID, fresh, request.now, notBefore)
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
	given.scope = grantedScope(request.scope, strings.Fields(old.Scope))
	return given, nil
}

// notBefore is the instant before which nothing counts, as the store has it now: what is given by an older
// one would be younger than the instant, and outlive it for ever.
func (s *Service) notBefore(ctx context.Context) (time.Time, error) {
	if err := s.roll.refresh(ctx); err != nil {
		return time.Time{}, err
	}
	return s.roll.now().records.NotBefore, nil
}

// findRefreshed looks up the user of a refresh token before the token is spent, so that a store that goes
// away between costs nobody their sign-in. What is wrong with the token itself is for the rotation to say.
func (s *Service) findRefreshed(ctx context.Context, request grantRequest, hash [sha256.Size]byte, given *granted) error {
	grant, err := s.accounts.Grant(ctx, hash, request.now)
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
