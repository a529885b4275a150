package account

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Errors of redeeming a code or a refresh token.
var (
	// ErrGrantUnknown means that the token does not exist, has expired, or belongs to another client. Callers must
	// not learn which.
	ErrGrantUnknown = errors.New("account: unknown or expired refresh token")
	// ErrGrantReused means that the token has already been replaced, and that the reuse came after RefreshGrace or
	// after the first use of its successor. Its family has been revoked.
	ErrGrantReused = errors.New("account: refresh token used twice")
	// ErrCodeUnknown means that the authorization code does not exist or has expired.
	ErrCodeUnknown = errors.New("account: unknown or expired authorization code")
	// ErrCodeReused means that the code has already been redeemed. All tokens issued for it have been revoked.
	ErrCodeReused = errors.New("account: authorization code used twice")
)

// NewSecret returns 256 random bits in base64url, for tokens, codes and cookies.
func NewSecret() string {
	bits := make([]byte, 32)
	rand.Read(bits) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(bits)
}

// Key is a secret key of the service, such as a signing key for tokens.
type Key struct {
	ID        string
	Secret    []byte
	CreatedAt time.Time
}

// NewKey returns a key of 256 random bits with a random ID.
func NewKey(createdAt time.Time) Key {
	key := Key{ID: rand.Text(), Secret: make([]byte, 32), CreatedAt: createdAt}
	rand.Read(key.Secret) // never fails (crypto/rand)
	return key
}

// Grant is the stored form of a refresh token. Only the SHA-256 hash of the token is stored.
type Grant struct {
	Hash [32]byte
	// Family is shared by all refresh tokens that descend from one sign-in.
	Family   string
	ClientID string
	// User is the ID of the user on whose behalf the client calls; "" if none.
	User  string
	Scope string
	// IssuedAt is when the token was issued. Expires is when it expires unless it is used.
	IssuedAt, Expires time.Time
	// Session is the ID of the browser session of the sign-in, and AuthTime the time at which the user authenticated;
	// "" and zero if there was none.
	Session  string
	AuthTime time.Time
}

// RefreshGrace is the time after its first use during which a refresh token still returns the same successor, if that
// is unused. It covers lost responses.
const RefreshGrace = 30 * time.Second

// CodeLifetime is the time within which an authorization code must be redeemed.
const CodeLifetime = time.Minute

// Code is the stored form of an authorization code (RFC 6749 section 4.1.2). Only the SHA-256 hash of the code is
// stored.
type Code struct {
	Hash     [32]byte
	ClientID string
	// RedirectURI is the redirect URI of the authorization request, byte for byte.
	RedirectURI string
	User        string
	Scope       string
	// Nonce is the nonce of the authorization request (OpenID Connect Core, section 3.1.2.1); "" if none.
	Nonce string
	// Challenge is the code challenge with method S256 (RFC 7636); "" if none.
	Challenge string
	// Family is the family of the refresh tokens issued for the code.
	Family   string
	Session  string
	AuthTime time.Time
	Expires  time.Time
}

// IssuedAt returns when the code was issued.
func (c *Code) IssuedAt() time.Time { return c.Expires.Add(-CodeLifetime) }

// Session is a browser session of a signed-in user. Only the SHA-256 hash of its cookie is stored.
type Session struct {
	Hash [32]byte
	// ID is the session_state and sid of tokens of the session. It is not confidential.
	ID        string
	AccountID string
	User      string
	// Provider is the alias of the identity provider at which the user signed in; "" for a password sign-in.
	Provider string
	// AuthTime is when the user authenticated.
	AuthTime time.Time
	Expires  time.Time
}

// UserSession describes a Session, and the refresh tokens that clients got from it.
type UserSession struct {
	ID       string
	Provider string
	AuthTime time.Time
	Expires  time.Time
	// Clients are the IDs of the clients with refresh tokens of the session, sorted, and LastUsed is when one of them last
	// got a token; zero if none did.
	Clients  []string
	LastUsed time.Time
}

// AddGrant adds a refresh token that a client got from the session.
func (s *UserSession) AddGrant(client string, issuedAt time.Time) {
	if at, found := slices.BinarySearch(s.Clients, client); !found {
		s.Clients = slices.Insert(s.Clients, at, client)
	}
	if issuedAt.After(s.LastUsed) {
		s.LastUsed = issuedAt
	}
}

// GrantFilter selects grants by one property; the other fields are "".
type GrantFilter struct{ Family, Session, User, Client string }

const userMark = "user:"

// UserMark returns the revocation mark (store.SignIns.Revoke) of a user's access tokens issued before the given time.
// Later tokens stay valid.
func UserMark(id string, before time.Time) string {
	return AnyUserMark(id) + "@" + strconv.FormatInt(before.UnixMicro(), 10)
}

// AnyUserMark returns the revocation mark of all access tokens of a user, including future ones.
func AnyUserMark(id string) string { return userMark + id }

// ParseUserMark parses the result of UserMark or AnyUserMark. before is zero for AnyUserMark. ok is false for any
// other mark.
func ParseUserMark(mark string) (id string, before time.Time, ok bool) {
	id, ok = strings.CutPrefix(mark, userMark)
	if !ok {
		return "", time.Time{}, false
	}
	id, instant, dated := strings.Cut(id, "@")
	if !dated {
		return id, time.Time{}, true
	}
	micros, err := strconv.ParseInt(instant, 10, 64)
	return id, time.UnixMicro(micros).UTC(), err == nil
}
