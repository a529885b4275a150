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
	// requires are the fields that must come along beside client_id.
	requires []string
	// exchange checks what the client presents and stores fresh, the refresh token that the answer will
	// carry. It returns who the tokens speak for, or a *refusal.
	exchange func(ctx context.Context, accounts Accounts, request grantRequest, fresh account.Grant) (identity, error)
}

// grantRequest is a token request whose client has been authenticated and whose required fields are
// there.
type grantRequest struct {
	client *account.LegacyClient
	form   form
	// scope is what was asked for; nil: nothing.
	scope []string
	now   time.Time
}

// grants are the grants of this service.
var grants = []grantPolicy{
	{name: "client_credentials", requires: []string{"client_secret"}, exchange: grantClientCredentials},
	{name: "refresh_token", requires: []string{"refresh_token"}, exchange: grantRefreshToken},
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
// confidential clients." A required secret that must be right sees to that. Section 4.4.3 advises
// against a refresh token here; the answer of this API has one (spec.md, "Token response").
func grantClientCredentials(ctx context.Context, accounts Accounts, request grantRequest, fresh account.Grant) (identity, error) {
	fresh.Family = rand.Text()
	fresh.Scope = grantedScope(request.scope, clientScopes)
	if err := accounts.PutGrant(ctx, fresh); err != nil {
		return identity{}, err
	}
	return identity{clientID: fresh.ClientID, scope: fresh.Scope}, nil
}

// grantRefreshToken is RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2: each token is
// good for one use, and one that comes again revokes its whole family, because whoever uses it second is
// the thief or the victim. Two requests that race with one token are the same case: one of them gets
// its answer, and the family is revoked. A scope that the old token does not have is not granted, rather
// than refused: by then the old token is spent.
func grantRefreshToken(ctx context.Context, accounts Accounts, request grantRequest, fresh account.Grant) (identity, error) {
	old, err := accounts.RotateGrant(ctx, hashOf(request.form["refresh_token"]), request.client.ID, fresh, request.now)
	switch {
	case errors.Is(err, account.ErrGrantReused):
		return identity{}, invalidGrant("the refresh token was used before; all that came from the same sign-in are revoked", err)
	case errors.Is(err, account.ErrGrantUnknown):
		return identity{}, invalidGrant("the refresh token is unknown, expired, revoked or of another client", err)
	case err != nil:
		return identity{}, err
	}
	return identity{clientID: old.ClientID, user: old.User, scope: grantedScope(request.scope, strings.Fields(old.Scope))}, nil
}

// newRefreshToken makes a refresh token of 256 random bits.
func newRefreshToken() string {
	var bits [32]byte
	rand.Read(bits[:]) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// hashOf is the form in which the store knows a refresh token. A plain sum is enough for a value that
// nobody can guess.
func hashOf(refreshToken string) [sha256.Size]byte { return sha256.Sum256([]byte(refreshToken)) }
