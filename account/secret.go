package account

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// The errors of using up a code or a refresh token.
var (
	// ErrGrantUnknown says that there is no such token, that it has expired, or that it belongs to
	// another client: whoever asks must not learn which.
	ErrGrantUnknown = errors.New("account: unknown or expired refresh token")
	// ErrGrantReused says that the token had been replaced before, and not within RefreshGrace by a successor that is
	// still unused; its whole family has been revoked.
	ErrGrantReused = errors.New("account: refresh token used twice")
	// ErrCodeUnknown says that there is no such authorisation code, or that it has expired.
	ErrCodeUnknown = errors.New("account: unknown or expired authorisation code")
	// ErrCodeReused says that the code had been used before; what it gave has been revoked.
	ErrCodeReused = errors.New("account: authorisation code used twice")
)

// Key is a secret of the service, such as the one that signs tokens.
type Key struct {
	ID        string
	Secret    []byte
	CreatedAt time.Time
}

// Grant is what a refresh token stands for. The token itself is kept as its SHA-256 sum only.
type Grant struct {
	Hash [32]byte
	// Family is shared by all tokens that came from one sign-in, each replacing the one before.
	Family   string
	ClientID string
	// User is the ID of the user on whose behalf the client calls; "": none.
	User  string
	Scope string
	// IssuedAt is when this token was handed out, Expires when it ends unless it is used.
	IssuedAt, Expires time.Time
	// Session is the ID of the browser session that the family came from, and AuthTime when its user
	// signed in; "" and zero: there was none.
	Session  string
	AuthTime time.Time
}

// RefreshGrace is how long after its use a refresh token still yields the successor that it was replaced by, as long
// as that is unused: the answer to the first use may have been lost.
const RefreshGrace = 30 * time.Second

// CodeLifetime is how long an authorisation code may wait for its client.
const CodeLifetime = time.Minute

// Code is what an authorisation code stands for (RFC 6749 section 4.1.2). The code itself is kept as its
// SHA-256 sum only.
type Code struct {
	Hash     [32]byte
	ClientID string
	// RedirectURI is the one of the authorisation request, byte for byte.
	RedirectURI string
	User        string
	Scope       string
	// Nonce is that of the authorisation request (OpenID Connect Core, section 3.1.2.1); "": none.
	Nonce string
	// Challenge is the code challenge of method S256 (RFC 7636); "": none was sent.
	Challenge string
	// Family is that of the refresh tokens which the code gives.
	Family   string
	Session  string
	AuthTime time.Time
	Expires  time.Time
}

// IssuedAt is when the code was handed out.
func (c *Code) IssuedAt() time.Time { return c.Expires.Add(-CodeLifetime) }

// Session is a browser in which a user has signed in. Its cookie is kept as its SHA-256 sum only.
type Session struct {
	Hash [32]byte
	// ID is the session_state and sid of what came from the session; it is no secret.
	ID        string
	AccountID string
	User      string
	// Provider is the alias of the identity provider at which the user signed in; "": here.
	Provider string
	// AuthTime is when the user proved who they are.
	AuthTime time.Time
	Expires  time.Time
}

// Of names grants by one of their parts; the others are "".
type Of struct{ Family, Session, User, Client string }

const userMark = "user:"

// UserMark is the mark (store.SignIns.Revoke) of a user's access tokens that were given before an instant.
// Those that the user gets later, after signing in anew, count.
func UserMark(id string, before time.Time) string {
	return AnyUserMark(id) + "@" + strconv.FormatInt(before.UnixMicro(), 10)
}

// AnyUserMark is the mark of all access tokens of a user, later ones too.
func AnyUserMark(id string) string { return userMark + id }

// ParseUserMark takes apart what UserMark or AnyUserMark wrote; before is zero for the latter. It reports
// false for any other mark.
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
