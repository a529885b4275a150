package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

const (
	// tokenType is the typ of access tokens (RFC 9068 section 2.1). It prevents other tokens signed with the same
	// keys from being accepted as access tokens.
	tokenType = "at+jwt"
	// maxTokenBytes is the maximum length of a token that is parsed; ours have about 600 bytes.
	maxTokenBytes = 4 << 10
	// nbfLeeway is how far in the future nbf may lie, because the clocks of processes differ. exp has no leeway.
	nbfLeeway = 5 * time.Second
)

// identity is the subject of a token.
type identity struct {
	clientID string
	// user is the ID of the user on whose behalf the client calls, and externalUser the client's name for the user;
	// "" if none.
	user, externalUser string
	scope              string
	// family is shared by all tokens of one sign-in, session is the ID of its browser session, and authTime the time
	// at which the user authenticated; "" and zero if there is none.
	family, session string
	authTime        time.Time
	// embed is the embed that the token is limited to; nil if it is not limited.
	embed *account.Embed
}

// verified is the content of a verified token. It is valid as long as the signing key is.
type verified struct {
	identity
	id, keyID    string
	issued, ends time.Time
}

// claims are the claims of an access token (RFC 9068 section 2.2). azp repeats client_id for OpenID Connect
// libraries; service_user_id and external_user_id are documented by this API.
type claims struct {
	jwt.Claims
	ClientID        string           `json:"client_id"`
	AuthorizedParty string           `json:"azp"`
	Scope           string           `json:"scope"`
	AuthTime        *jwt.NumericDate `json:"auth_time,omitempty"`
	Session         string           `json:"sid,omitempty"`
	User            string           `json:"service_user_id,omitempty"`
	ExternalUser    string           `json:"external_user_id,omitempty"`
	// Family identifies the sign-in, and IssuedMicros is the issue time in microseconds, because iat is too coarse to
	// separate tokens issued before and after a revocation. Both are private claims.
	Family       string `json:"family,omitempty"`
	IssuedMicros int64  `json:"iat_us,omitempty"`
	// Embed is the only video the token is valid for. Such tokens have an audience of their own, so that a process
	// that does not know this claim does not accept them as general tokens.
	Embed catalogue.ID `json:"embed,omitempty"`
	// The other fields of account.Embed, as private claims; ViewingOpened is in milliseconds since 1970.
	EmbedAddress  string `json:"embed_address,omitempty"`
	EmbedUser     string `json:"embed_user,omitempty"`
	Viewing       string `json:"viewing,omitempty"`
	ViewingOpened int64  `json:"viewing_opened_ms,omitempty"`
}

// accessTokens signs and verifies access tokens.
type accessTokens struct {
	issuer, audience string
	lifetime         time.Duration
}

func tokensOf(config Config) accessTokens {
	return accessTokens{issuer: config.AuthURL, audience: config.Audience, lifetime: config.AccessLifetime}
}

// write signs a token that is valid from now. Token times are whole seconds; exp is rounded up, so that a token is
// never valid for less time than its response says.
func (t accessTokens) write(ring *keyring, bearer identity, now time.Time) (string, error) {
	said := claims{
		Claims: jwt.Claims{
			Issuer: t.issuer, Subject: bearer.subject(), Audience: jwt.Audience{t.audience}, ID: rand.Text(),
			IssuedAt: jwt.NewNumericDate(now), NotBefore: jwt.NewNumericDate(now),
			Expiry: jwt.NewNumericDate(expiryOf(now, t.lifetime)),
		},
		ClientID: bearer.clientID, AuthorizedParty: bearer.clientID, Scope: bearer.scope, AuthTime: numericDate(bearer.authTime),
		Session: bearer.session, User: bearer.user, ExternalUser: bearer.externalUser,
		Family: bearer.family, IssuedMicros: now.UnixMicro(),
	}
	if e := bearer.embed; e != nil {
		said.Audience = jwt.Audience{t.audienceOf(e.Video)}
		said.Embed, said.EmbedAddress, said.EmbedUser = e.Video, e.Address, e.User
		said.Viewing, said.ViewingOpened = e.Viewing.ID, e.Viewing.Opened.UnixMilli()
	}
	token, err := jwt.Signed(ring.access.signer(now)).Claims(said).Serialize()
	if err != nil {
		return "", fmt.Errorf("auth: signing a token: %w", err)
	}
	return token, nil
}

// subject returns the user, or the client if there is no user (RFC 9068 section 2.2).
func (i identity) subject() string {
	if i.user == "" {
		return i.clientID
	}
	return i.user
}

func expiryOf(begin time.Time, lifetime time.Duration) time.Time {
	return begin.Add(lifetime + time.Second - 1)
}

// numericDate returns nil for the zero time.
func numericDate(instant time.Time) *jwt.NumericDate {
	if instant.IsZero() {
		return nil
	}
	return jwt.NewNumericDate(instant)
}

// tokenError is a reason for rejecting a token.
type tokenError struct {
	message string
	// reason is that of Config.Refused.
	reason string
}

// Error returns the message.
func (e *tokenError) Error() string { return e.message }

// Reasons for rejecting a token. errKeyUnknown may disappear when the roster is refreshed.
var (
	errMalformed  error = &tokenError{"it is not an access token of this service", "malformed_token"}
	errKeyUnknown error = &tokenError{"its signing key is unknown", "forged_token"}
	errSignature  error = &tokenError{"its signature is invalid", "forged_token"}
	errForeign    error = &tokenError{"it was not issued by this service for this API", "foreign_token"}
	errTooEarly   error = &tokenError{"it is not valid yet", "early_token"}
	errExpired    error = &tokenError{"it has expired", "expired_token"}
	errNoClient   error = &tokenError{"its client is unknown or disabled", reasonClientDisabled}
	errNoUser     error = &tokenError{"its user is disabled or deleted", "disabled_user"}
	errRevoked    error = &tokenError{"it has been revoked", "revoked_token"}
)

// read verifies a token (RFC 9068 section 4). With an error, it returns the client that the token names, if it names one,
// and nothing else.
func (t accessTokens) read(ring *keyring, token string, now time.Time) (verified, error) {
	if !canonical(token) {
		return verified{}, errMalformed
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(parsed.Headers) != 1 {
		return verified{}, errMalformed
	}
	header := parsed.Headers[0]
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); !isTokenType(typ) {
		return verified{}, errMalformed
	}
	key, known := ring.access.public[header.KeyID]
	var c claims
	if !known {
		_ = parsed.UnsafeClaimsWithoutVerification(&c) // for the log
		return c.client(), errKeyUnknown
	}
	if err := parsed.Claims(key, &c); errors.Is(err, jose.ErrCryptoFailure) {
		_ = parsed.UnsafeClaimsWithoutVerification(&c) // for the log
		return c.client(), errSignature
	} else if err != nil {
		return verified{}, errMalformed
	}
	if err := t.checkClaims(c, now); err != nil {
		return c.client(), err
	}
	return c.verified(header.KeyID), nil
}

// client returns only the client that a token names.
func (c claims) client() verified { return verified{identity: identity{clientID: c.ClientID}} }

func (c claims) verified(keyID string) verified {
	token := verified{
		identity: identity{
			clientID: c.ClientID, externalUser: c.ExternalUser, scope: c.Scope,
			family: c.Family, session: c.Session, authTime: c.AuthTime.Time(),
		},
		id: c.ID, keyID: keyID, issued: c.IssuedAt.Time(), ends: c.Expiry.Time(),
	}
	if c.IssuedMicros != 0 {
		token.issued = time.UnixMicro(c.IssuedMicros)
	}
	if c.Embed != "" {
		token.embed = &account.Embed{
			Video: c.Embed, Address: c.EmbedAddress, User: c.EmbedUser,
			Viewing: account.Viewing{ID: c.Viewing, Opened: time.UnixMilli(c.ViewingOpened)},
		}
	}
	if c.Subject != c.ClientID {
		token.user = c.Subject
	}
	return token
}

// checkClaims checks the claims of a token signed by this service.
func (t accessTokens) checkClaims(c claims, now time.Time) error {
	switch {
	case c.Issuer != t.issuer || !c.Audience.Contains(t.audienceOf(c.Embed)):
		return errForeign
	case c.ClientID == "" || c.Subject == "" || c.Expiry == nil, c.Embed != "" && (c.Viewing == "" || c.ViewingOpened == 0):
		return errMalformed
	case c.NotBefore != nil && now.Add(nbfLeeway).Before(c.NotBefore.Time()):
		return errTooEarly
	case !now.Before(c.Expiry.Time()):
		return errExpired
	}
	return nil
}

// isTokenType accepts both spellings of RFC 9068 section 4.
func isTokenType(typ string) bool {
	return strings.EqualFold(typ, tokenType) || strings.EqualFold(typ, "application/"+tokenType)
}

// strictBase64 rejects encodings that differ only in bits that decoding ignores.
var strictBase64 = base64.RawURLEncoding.Strict()

// canonical reports whether a token consists of three parts, each the unique base64url encoding of its bytes. Other
// tokens are rejected, although a lenient decoder would read the same content, so that changing a character never
// yields another valid token.
func canonical(token string) bool {
	if len(token) > maxTokenBytes || strings.Count(token, ".") != 2 || strings.ContainsAny(token, "\r\n") {
		return false
	}
	for part := range strings.SplitSeq(token, ".") {
		if !canonicalPart(part) {
			return false
		}
	}
	return true
}

// canonicalPart reports whether a text is the unique base64url encoding of at least one byte.
func canonicalPart(text string) bool {
	decoded, err := strictBase64.DecodeString(text)
	return err == nil && len(decoded) > 0
}
