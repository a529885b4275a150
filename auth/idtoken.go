package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/filmstrip/filmstrip/account"
)

// idClaims are the claims of an ID token (OpenID Connect Core section 2).
type idClaims struct {
	jwt.Claims
	AuthorizedParty string           `json:"azp"`
	AuthTime        *jwt.NumericDate `json:"auth_time,omitempty"`
	Nonce           string           `json:"nonce,omitempty"`
	// AccessHash binds the ID token to the access token (section 3.1.3.6).
	AccessHash string `json:"at_hash"`
	Session    string `json:"sid,omitempty"`
	profileClaims
}

// profileClaims are the claims about a user (OpenID Connect Core section 5.1). Unknown ones are omitted.
type profileClaims struct {
	Name              string `json:"name,omitempty"`
	GivenName         string `json:"given_name,omitempty"`
	FamilyName        string `json:"family_name,omitempty"`
	PreferredUsername string `json:"preferred_username,omitempty"`
	UpdatedAt         int64  `json:"updated_at,omitempty"`
	Email             string `json:"email,omitempty"`
	EmailVerified     *bool  `json:"email_verified,omitempty"`
}

// profileOf returns the claims that a scope reveals (OpenID Connect Core section 5.4).
func profileOf(user *account.User, scope string) profileClaims {
	var shown profileClaims
	if hasScope(scope, "profile") {
		shown.Name, shown.GivenName, shown.FamilyName = user.Name(), user.GivenName, user.FamilyName
		shown.PreferredUsername = user.Username
		if !user.UpdatedAt.IsZero() {
			shown.UpdatedAt = user.UpdatedAt.Unix()
		}
	}
	if hasScope(scope, "email") && user.Email != "" {
		verified := user.EmailVerified
		shown.Email, shown.EmailVerified = user.Email, &verified
	}
	return shown
}

func hasScope(scope, value string) bool { return slices.Contains(strings.Fields(scope), value) }

// writeIDToken signs the ID token that belongs to an access token. Both have the same lifetime.
func writeIDToken(config Config, ring *keyring, given granted, accessToken string, now time.Time) (string, error) {
	sum := sha256.Sum256([]byte(accessToken)) // the hash of RS256
	token, err := jwt.Signed(ring.identity.signer(now)).Claims(idClaims{
		Claims: jwt.Claims{
			Issuer: config.AuthURL, Subject: given.user, Audience: jwt.Audience{given.clientID}, ID: rand.Text(),
			IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(expiryOf(now, config.AccessLifetime)),
		},
		AuthorizedParty: given.clientID, AuthTime: numericDate(given.authTime), Nonce: given.nonce,
		AccessHash: base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2]), Session: given.session,
		profileClaims: profileOf(given.profile, given.scope),
	}).Serialize()
	if err != nil {
		return "", fmt.Errorf("auth: signing an ID token: %w", err)
	}
	return token, nil
}

var errNoIDToken = errors.New("auth: it is not an ID token of this service")

// ReadIDTokenHint verifies an ID token sent as id_token_hint (OpenID Connect RP-Initiated Logout section 2). It
// returns the client to which the token was issued, the user, and the session, which is "" if there was none. Expired
// tokens are accepted. The error means that this service did not sign the token, or that the key has been deleted or
// withdrawn.
func (s *Service) ReadIDTokenHint(token string) (clientID, user, session string, err error) {
	if !canonical(token) {
		return "", "", "", errNoIDToken
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{identityKeys.algorithm})
	if err != nil || len(parsed.Headers) != 1 {
		return "", "", "", errNoIDToken
	}
	key, known := s.rosters.now().records.keys.identity.public[parsed.Headers[0].KeyID]
	if !known {
		return "", "", "", errNoIDToken
	}
	var c idClaims
	if err := parsed.Claims(key, &c); err != nil || c.Issuer != s.config.AuthURL || len(c.Audience) != 1 || c.Subject == "" {
		return "", "", "", errNoIDToken
	}
	return c.Audience[0], c.Subject, c.Session, nil
}
